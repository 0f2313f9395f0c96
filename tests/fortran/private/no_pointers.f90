!> A program with coarrays, but without references through pointer components: what it allocates stays where it was.
! Not with gfortran 15 and later: any reference may follow pointers.
program no_pointers
  use checks
  use, intrinsic :: iso_c_binding, only: c_int, c_loc, c_ptr
  implicit none
  interface
    integer(c_int) function is_reachable(address) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: address
    end function
  end interface
  integer, allocatable, target :: array(:)
  integer :: number[*]

  allocate (array(100000), source=this_image())
  number = array(100000)
  sync all
  call require_equal(number[right_of(this_image())], right_of(this_image()), 'coarray')
  call require_equal(int(is_reachable(c_loc(array))), 0, 'memory of the program')
end program
