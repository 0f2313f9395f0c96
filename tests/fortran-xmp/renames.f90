! Distributed arrays of modules under other names: in lists of names and without, in all formats, allocated elsewhere, components.
module fields
  implicit none
  integer, parameter :: n = 30
  type cell
    integer :: x(n)
  end type
  !$xmp nodes p(*)
  !$xmp template t(n)
  !$xmp distribute t(block) onto p
  !$xmp template u(n)
  !$xmp distribute u(cyclic) onto p
  !$xmp template v(n)
  !$xmp distribute v(cyclic(3)) onto p
  integer :: a(n), b(n), c(n)
  integer, allocatable :: d(:)
  type(cell) :: whole
  !$xmp align a(i) with t(i)
  !$xmp shadow a(1)
  !$xmp align b(i) with u(i)
  !$xmp align c(i) with v(i)
  !$xmp align d(i) with t(i)
  !$xmp align cell%x(i) with t(i)
contains
  integer function sum_of_d()
    integer :: i
    sum_of_d = 0
    !$xmp loop on t(i) reduction(+: sum_of_d)
    do i = 1, n
      sum_of_d = sum_of_d + d(i)
    end do
  end function
end module
program renames
  use fields, only: n, one => a, b => c, c => b, sum_of_d
  implicit none
  integer :: i, total
  !$xmp loop on t(i)
  do i = 1, n
    one(i) = i
  end do
  !$xmp loop on u(i)
  do i = 1, n
    c(i) = 2*i
  end do
  !$xmp loop on v(i)
  do i = 1, n
    b(i) = 3*i
  end do
  total = 0
  !$xmp reflect (one)
  !$xmp loop on t(i) reduction(+: total)
  do i = 2, n - 1
    total = total + one(i - 1) + one(i + 1)
  end do
  if (total /= (n - 2)*(n + 1)) error stop 'reflect of an array with another name'
  !$xmp gmove
  one(1:n) = b(1:n)
  !$xmp loop on t(i)
  do i = 1, n
    if (one(i) /= 3*i) error stop 'gmove of arrays with other names'
  end do
  !$xmp gmove
  one(1:n) = c(1:n)
  !$xmp loop on t(i)
  do i = 1, n
    if (one(i) /= 2*i) error stop 'gmove of arrays whose names are exchanged'
  end do
  call allocated()
  if (sum_of_d() /= n*(n + 1)/2) error stop 'an array that is allocated under another name'
  if (inside() /= 2*n*(n + 1)/2 + 7*n) error stop 'in an internal procedure'
contains
  subroutine allocated()
    use fields, e => d
    integer :: i, d
    d = 1
    allocate (e(n))
    !$xmp loop on t(i)
    do i = 1, n
      e(i) = i*d
    end do
  end subroutine
  integer function inside() result(total)
    use fields, only: part => whole
    integer :: i, whole(n)
    !$xmp align whole(i) with u(i)
    !$xmp loop on u(i)
    do i = 1, n
      whole(i) = 7
    end do
    !$xmp loop on t(i)
    do i = 1, n
      part%x(i) = one(i)
    end do
    total = 0
    !$xmp loop on t(i) reduction(+: total)
    do i = 1, n
      total = total + part%x(i)
    end do
    !$xmp loop on u(i) reduction(+: total)
    do i = 1, n
      total = total + whole(i)/1
    end do
  end function
end program
