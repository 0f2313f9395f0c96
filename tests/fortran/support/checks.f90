!> What the self-checking programs share: a check that ends the job with a text, and who is beside whom.
module checks
  implicit none
  private
  public :: require, require_equal, right_of, left_of

  !> The kind of real(10) on x86-64, and 16 on machines that have no real(10).
  integer, parameter, public :: kind10 = selected_real_kind(18)

contains

  !> Ends the job with the number of this image and `what`, unless `ok`.
  subroutine require(ok, what)
    logical, intent(in) :: ok
    character(*), intent(in) :: what
    character(12) :: image

    if (ok) return
    write (image, '(i0)') this_image()
    error stop 'image ' // trim(image) // ': ' // what
  end subroutine

  !> As `require(got == want, what)`, and the text shows both.
  subroutine require_equal(got, want, what)
    integer, intent(in) :: got, want
    character(*), intent(in) :: what
    character(80) :: text

    if (got == want) return
    write (text, '(" is ", i0, ", should be ", i0)') got, want
    call require(.false., what // trim(text))
  end subroutine

  !> The image after `image`; the first one after the last.
  integer function right_of(image)
    integer, intent(in) :: image
    right_of = modulo(image, num_images()) + 1
  end function

  !> The image before `image`; the last one before the first.
  integer function left_of(image)
    integer, intent(in) :: image
    left_of = modulo(image - 2, num_images()) + 1
  end function
end module
