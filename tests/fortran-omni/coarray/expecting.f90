! What the programs of this directory have in common. Each is as the Omni XcalableMP compiler and its driver would have made
! it: xmpf_main is the program, and the traverse procedures set up its static coarrays. They are silent when all is well.
module expecting
  use xmpf_coarray_decl
  implicit none
contains
  ! Ends the job when something is not so.
  subroutine expect(is_so, what)
    logical, intent(in) :: is_so
    character(len=*), intent(in) :: what
    if (is_so) return
    write (0, '("image ", i0, ": ", a)') xmpf_this_image_generic(), what
    flush (0)
    call xmpf_error_stop()
  end subroutine expect
end module expecting

program main
  use xmpf_coarray_decl
  call xmpf_init_all_()
  call xmpf_traverse_countcoarray()
  call xmpf_coarray_malloc_pool()
  call xmpf_traverse_initcoarray()
  call xmpf_sync_all_auto()
  call xmpf_main()
  call xmpf_finalize_all_()
end program main
