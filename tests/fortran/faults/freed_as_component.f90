!> A local scalar allocatable coarray of a type whose first component is allocatable, which its procedure deallocates at its
!> end.
program freed_as_component
  implicit none
  type :: box
    integer, allocatable :: array(:)
  end type
  call local(3)
contains
  subroutine local(n)
    integer, intent(in) :: n
    type(box), allocatable :: buffer[:]
    allocate (buffer[*])
    allocate (buffer%array(n), source=this_image())
    sync all
    if (buffer[1]%array(1) /= 1) error stop
    ! gfortran 13 and 14 free the component before images meet for the coarray.
    sync all
  end subroutine
end program freed_as_component
