! Objects of a procedure that have the names of objects of a module that it uses, with a list of names and without; arrays whose names
! look like those of other objects with a word before them.
module owner
  implicit none
  integer, parameter :: n = 24
  !$xmp nodes p(*)
  !$xmp template t(n)
  !$xmp distribute t(block) onto p
  integer, private, save :: a(n)
  integer :: b(n), own_b(n), start_owner(n)
  !$xmp align (i) with t(i) :: a, b, own_b, start_owner
contains
  subroutine fill(v)
    integer, intent(in) :: v
    integer :: i
    !$xmp loop on t(i)
    do i = 1, n
      a(i) = v*i
      b(i) = a(i) + 1
      own_b(i) = a(i) + 2
      start_owner(i) = a(i) + 3
    end do
  end subroutine
  integer function total()
    integer :: i
    total = 0
    !$xmp loop on t(i) reduction(+: total)
    do i = 1, n
      total = total + a(i) + b(i)*own_b(i) - start_owner(i)
    end do
  end function
end module
program names
  use owner, only: n, fill, total, b, own_b
  implicit none
  integer :: i, expected
  integer :: body_listed(n)
  !$xmp align body_listed(i) with t(i)
  call fill(3)
  expected = 0
  do i = 1, n
    expected = expected + 3*i + (3*i + 1)*(3*i + 2) - (3*i + 3)
  end do
  if (total() /= expected) error stop 'names with words before them'
  if (listed() /= 2*n*(n + 1)/2) error stop 'beside a list of names'
  if (all_of_it() /= 5*n*(n + 1)/2) error stop 'beside a whole module'
  !$xmp loop on t(i)
  do i = 1, n
    body_listed(i) = b(i)
  end do
  !$xmp gmove
  b(1:n) = own_b(1:n)
  !$xmp loop on t(i)
  do i = 1, n
    if (body_listed(i) /= 3*i + 1 .or. b(i) /= 3*i + 2) error stop 'of a module'
  end do
contains
  integer function listed() result(sum)
    use owner, only: b
    integer :: i, y(n)
    ! The module has an array `a` and a template `t`.
    !$xmp nodes a(*)
    !$xmp template t(n)
    !$xmp distribute t(cyclic) onto a
    !$xmp align y(i) with t(i)
    !$xmp loop on t(i)
    do i = 1, n
      y(i) = 2*i
    end do
    sum = 0
    !$xmp loop on t(i) reduction(+: sum)
    do i = 1, n
      sum = sum + y(i)
    end do
    if (sum > 0 .and. lbound(b, 1) < 1) error stop 'the part of b'
  end function
  integer function all_of_it() result(sum)
    use owner
    integer :: i, a(n)
    !$xmp nodes p(*)
    !$xmp template u(n)
    !$xmp distribute u(block) onto p
    !$xmp align a(i) with u(i)
    !$xmp loop on u(i)
    do i = 1, n
      a(i) = 5*i
    end do
    sum = 0
    !$xmp loop on u(i) reduction(+: sum)
    do i = 1, n
      sum = sum + a(i)
    end do
  end function
end program
