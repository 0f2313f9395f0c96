!> Two files with this text, with other names, have saved coarrays of procedures that are used within ASSOCIATE and BLOCK.
module NAME
  implicit none
contains
  !> Whether each image has got `number` and the image before it.
  logical function NAME_is_right(number) result(is_right)
    integer, intent(in) :: number
    integer, save :: v[*] = 5
    integer :: before
    associate (next => modulo(this_image(), num_images()) + 1)
      block
        integer :: k
        k = next
        sync all
        v[k] = number + this_image()
      end block
    end associate
    before = modulo(this_image() - 2, num_images()) + 1
    sync all
    is_right = v == number + before
  end function NAME_is_right
end module NAME
