!> Procedures for a main program in another language, whose first operation is no image control statement.
module put_at_once
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  private
  public :: put_to_next, post_to_others, put_to, own_value

  integer, save :: scalar[*] = 0
  integer, save :: array(3)[*] = [-1, -2, -3]
  type(event_type), save :: posted[*]

contains

  !> Puts to the next image at once. The number of images, or 0 when a put was lost.
  integer(c_int) function put_to_next() bind(C)
    integer :: next, previous
    next = modulo(this_image(), num_images()) + 1
    previous = modulo(this_image() - 2, num_images()) + 1
    scalar[next] = this_image()
    array(2)[next] = this_image()
    sync all
    put_to_next = num_images()
    if (scalar /= previous .or. any(array /= [-1, previous, -3])) put_to_next = 0
    sync all
  end function

  !> Puts a value to an image. It is there when this returns.
  subroutine put_to(image, value) bind(C)
    integer(c_int), value :: image, value
    scalar[image] = value
    sync memory
  end subroutine

  !> What is on this image.
  integer(c_int) function own_value() bind(C)
    own_value = scalar
  end function

  !> Posts to all other images at once, and waits for the posts of all but `fewer` of them. The number of images.
  integer(c_int) function post_to_others(fewer) bind(C)
    integer(c_int), value :: fewer
    integer :: image, stat
    do image = 1, num_images()
      if (image /= this_image()) event post (posted[image], stat=stat)
    end do
    if (num_images() > 1 + fewer) event wait (posted, until_count=num_images() - 1 - fewer)
    post_to_others = num_images()
  end function
end module
