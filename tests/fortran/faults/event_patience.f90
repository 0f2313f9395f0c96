!> Image 2 fails. Image 1 waits for a post of image 4, which waits for one of image 3, which is busy for some time.
program event_patience
  use victim, only: nap
  use, intrinsic :: iso_fortran_env, only: output_unit, event_type
  implicit none
  type(event_type) :: ready[*]

  sync all
  select case (this_image())
  case (1)
    event wait (ready)
  case (2)
    fail image
  case (3)
    call nap(500)
    event post (ready[4])
  case (4)
    event wait (ready)
    call nap(100)
    event post (ready[1])
  end select
  write (output_unit, '(a,i0)') 'went on: ', this_image()
end program
