!> A coarray with an allocatable component; these are not there yet.
program not_yet_components
  implicit none
  type box
    integer, allocatable :: items(:)
  end type
  type(box) :: b[*]

  allocate (b%items(3), source=1)
  sync all
  b[1]%items(2) = 5
  print '(a)', 'done'
end program
