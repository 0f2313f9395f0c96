!> What programs that say `use prif` share: coarrays of integers, who this image is, checks of the outcome.
module with_prif
  use, intrinsic :: iso_c_binding
  use prif
  use checks
  implicit none

  procedure(prif_coarray_cleanup_interface), pointer :: no_final => null()

  !> No upper cobounds.
  integer(c_int64_t), parameter :: none(0) = 0

contains

  !> The index of this image in the current team.
  integer(c_int) function me()
    call prif_this_image_no_coarray(this_image=me)
  end function

  !> The number of images of the current team.
  integer(c_int) function images()
    call prif_num_images(images)
  end function

  !> Allocates a coarray of `n` integers with the bounds [*], all `value` on this image.
  subroutine make(n, value, handle, local)
    integer, intent(in) :: n
    integer(c_int64_t), intent(in) :: value
    type(prif_coarray_handle), intent(out) :: handle
    integer(c_int64_t), pointer, intent(out) :: local(:)
    type(c_ptr) :: memory

    call prif_allocate_coarray([1_c_int64_t], none, int(8 * n, c_size_t), no_final, handle, memory)
    call c_f_pointer(memory, local, [n])
    local = value
    call prif_sync_all()
  end subroutine

  !> The address as a number.
  integer(c_intptr_t) function address(memory)
    type(c_ptr), intent(in) :: memory
    address = transfer(memory, address)
  end function

  !> The address of this image's part of a coarray on every image, in the order of the initial team.
  function addresses(memory) result(all)
    type(c_ptr), intent(in) :: memory
    integer(c_intptr_t) :: all(num_images())

    all = 0
    all(me()) = address(memory)
    call prif_co_sum(all)
  end function

  !> Ends the job unless `stat` is 0.
  subroutine is_fine(stat, what)
    integer(c_int), intent(in) :: stat
    character(*), intent(in) :: what
    call require_equal(int(stat), 0, 'stat of ' // what)
  end subroutine

  !> Ends the job unless a call has failed with this text as the start of its message, in both forms.
  subroutine has_failed(stat, errmsg, errmsg_alloc, text)
    integer(c_int), intent(in) :: stat
    character(*), intent(in) :: errmsg, errmsg_alloc, text

    call require(stat > 0, 'no error, but: ' // text)
    call require(index(errmsg, text) == 1, 'errmsg is "' // trim(errmsg) // '", and not "' // text // '"')
    call require(trim(errmsg) == errmsg_alloc, 'errmsg_alloc is "' // errmsg_alloc // '"')
  end subroutine
end module
