program wrong_freed
  implicit none
  type :: box
    integer, allocatable :: items(:)
  end type
  call fill(3)
contains
  subroutine fill(n)
    integer, intent(in) :: n
    type(box), allocatable :: buffer[:]
    allocate (buffer[*])
    allocate (buffer%items(n))
  end subroutine                        ! deallocates buffer
end program wrong_freed
