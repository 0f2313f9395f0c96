! Calls a procedure of the module as the stand-in for LFortran does for coarrays, without `use`.
program calls
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  interface
    subroutine num_images_of_prif(n) bind(C, name='__prif_MOD_prif_num_images')
      import
      implicit none
      integer(c_int), intent(out) :: n
    end subroutine
  end interface
  integer(c_int) :: n

  call num_images_of_prif(n)
  if (n /= 2) error stop 'prif_num_images'
end program
