! Arrays of procedures that stay from one call to the next: by attribute, by statement, by an initial value; with templates and
! nodes of the procedure and of a module.
module common
  implicit none
  integer, parameter :: n = 30
  !$xmp nodes p(*)
  !$xmp template t(n)
  !$xmp distribute t(block) onto p
contains
  integer function calls()
    integer, save :: counts(n)
    integer :: now(n), i
    logical, save :: is_first = .true.
    !$xmp align counts(i) with t(i)
    !$xmp align now(i) with t(i)
    if (is_first) counts(:) = 0
    is_first = .false.
    calls = 0
    !$xmp loop on t(i) reduction(+: calls)
    do i = 1, n
      counts(i) = counts(i) + 1
      now(i) = counts(i)
      calls = calls + now(i)
    end do
  end function
end module

subroutine sums(total)
  implicit none
  integer, intent(out) :: total
  integer, parameter :: n = 25
  !$xmp nodes q(*)
  !$xmp nodes r(*) = q(:)
  !$xmp template u(n)
  !$xmp distribute u(cyclic) onto r
  integer a(n), b(n), k, i
  save a, k
  !$xmp align a(i) with u(i)
  !$xmp align b(i) with u(i)
  integer :: c(n) = 7
  !$xmp align c(i) with u(i)
  data k /0/
  k = k + 1
  !$xmp loop on u(i)
  do i = 1, n
    if (k == 1) a(i) = i
    a(i) = a(i) + 1
    b(i) = k
    c(i) = c(i) + b(i)
  end do
  total = 0
  !$xmp loop on u(i) reduction(+: total)
  do i = 1, n
    total = total + a(i) + 100*c(i)
  end do
end subroutine

program saved
  use common
  implicit none
  integer :: k, total, added
  added = 7
  do k = 1, 5
    if (calls() /= n*k) error stop 'an array with the attribute'
    added = added + k
    call sums(total)
    if (total /= 25*26/2 + 25*k + 2500*added) error stop 'arrays that stay'
  end do
end program
