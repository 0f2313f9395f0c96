! Functions in directives are called once for each time that the directive is executed.
module counted
  implicit none
  integer :: calls = 0
contains
  integer function first()
    calls = calls + 1
    first = 1
  end function
  integer function by()
    calls = calls + 100
    by = 2
  end function
end module

program once
  use counted
  implicit none
  integer, parameter :: n = 24
  integer :: i, x(n), kind, status
  integer, external :: xmp_desc_kind, xmp_num_nodes
  !$xmp nodes p(*)
  !$xmp template t(n)
  !$xmp distribute t(block) onto p
  integer :: a(n)
  !$xmp align a(i) with t(i)

  !$xmp task on p(first():)
  if (xmp_num_nodes() /= num_images()) error stop 'nodes'
  !$xmp end task
  if (calls /= 1) error stop 'task'
  calls = 0
  !$xmp barrier on p(first()::by())
  if (calls /= 101) error stop 'barrier'

  !$xmp loop on t(i)
  do i = 1, n
    a(i) = i
  end do
  x = 0
  calls = 0
  !$xmp gmove
  x(first()::by()) = a(1:n/2)
  if (calls /= 101) error stop 'gmove'
  if (any(x(1::2) /= [(i, i = 1, n/2)]) .or. any(x(2::2) /= 0)) error stop 'values'

  status = xmp_desc_kind(xmp_desc_of(t), kind)
  if (status /= 0 .or. kind /= 2201) error stop 'kind'
end program
