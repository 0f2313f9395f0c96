! Objects of `block` constructs, names that hide distributed arrays, and statements where the compiler does not want them.
module hidden
  implicit none
  integer, parameter :: n = 30
  !$xmp nodes p(*)
  !$xmp template t(n)
  !$xmp distribute t(cyclic(2)) onto p
  integer :: a(n)
  !$xmp align a(i) with t(i)
contains
  ! The argument is no distributed array.
  integer function third(a)
    integer, intent(in) :: a(3)
    third = a(3)
  end function

  subroutine set(value)
    integer, intent(in) :: value
    integer :: a(n), i
    a(n) = value
    do i = n - 1, 1, -1
      a(i) = a(i + 1)
    end do
    if (a(1) /= value .or. third(a(4:6)) /= value) error stop 'a local array'
  end subroutine
end module

program blocks
  integer k = 0
  use hidden
  integer :: i, round, total
  !$xmp loop on t(i)
  do i = 1, n
    a(i) = i
  end do
  call set(5)
  do round = 1, 50
    total = 0
    block
      !$xmp nodes q(*)
      !$xmp template u(0:round)
      !$xmp distribute u(block) onto q
      real(8) :: c(0:round), d(0:round)
      !$xmp align c(i) with u(i)
      !$xmp align d(i) with u(i)
      !$xmp shadow c(1)
      !$xmp loop on u(i)
      do i = 0, round
        if (i == 3) cycle
        c(i) = i
      end do
      !$xmp task on u(min(3, round))
      c(min(3, round)) = min(3, round)
      !$xmp end task
      !$xmp reflect (c)
      !$xmp loop on u(i) reduction(+: total)
      do i = 1, round
        total = total + nint(c(i - 1))
      end do
      !$xmp array on u(0:round)
      d(0:round) = c(0:round)
      block
        integer :: a(3)
        a = 4
        k = k + third(a)
      end block
    end block
    block
      !$xmp nodes q(*)
      !$xmp template u(n)
      !$xmp distribute u(cyclic) onto q
      integer, save :: sums(n)
      integer :: rounds(n) = 0, now(n)
      !$xmp align (i) with t(i) :: sums, now
      !$xmp align rounds(i) with u(i)
      integer :: counted
      if (round == 1) sums(:) = 0
      !$xmp loop on t(i)
      do i = 1, n
        now(i) = i
        sums(i) = sums(i) + now(i)
      end do
      counted = 0
      !$xmp loop on u(i) reduction(+: counted)
      do i = 1, n
        rounds(i) = rounds(i) + 1
        counted = counted + rounds(i)
      end do
      if (counted /= n*round) error stop 'an array of a block with an initial value'
      counted = 0
      !$xmp loop on t(i) reduction(+: counted)
      do i = 1, n
        counted = counted + sums(i)
      end do
      if (counted /= round*n*(n + 1)/2) error stop 'a saved array of a block'
    end block
    if (total /= (round - 1)*round/2) error stop 'an array of a block'
  end do
  if (k /= 200) error stop 'a block in a block'
  total = 0
  !$xmp loop on t(i) reduction(+: total)
  do i = 1, n
    if (a(i) == i) total = total + 1
  end do
  if (total /= n) error stop 'a hidden array'
end subroutine
