! Items travel from image to image. Each image adds its index to an item and hands it on.
program pipeline
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  integer, parameter :: items = 5
  type(event_type) :: full[*], empty[*]
  integer :: box[*], item, value, me, images

  me = this_image()
  images = num_images()
  if (me > 1) event post (empty[me - 1])      ! the box of this image may be filled

  do item = 1, items
    if (me == 1) then
      value = 100 * item
    else
      event wait (full)                       ! the previous image has filled the box
      value = box
      if (item < items) event post (empty[me - 1])
    end if
    value = value + me
    if (me < images) then
      event wait (empty)                      ! the next image has emptied its box
      box[me + 1] = value
      event post (full[me + 1])
    else
      print '(a,i0,a,i0)', 'item ', item, ' arrives as ', value
    end if
  end do
end program pipeline
