!> Heat conduction in a rod. Its cells are spread over the images in blocks of equal size.
module rod
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: make_rod, step, heat, temperature

  !> The cells of this image.
  real(real64), allocatable :: temperature(:)[:]

contains

  !> Makes a rod with this many cells on each image. It is cold but for its first cell.
  subroutine make_rod(cells)
    integer, intent(in) :: cells

    if (allocated(temperature)) deallocate (temperature)
    allocate (temperature(cells)[*])
    temperature = 0
    if (this_image() == 1) temperature(1) = 1
    sync all
  end subroutine make_rod

  !> Computes the temperature one time step later. Both ends of the rod are insulated.
  subroutine step(conductivity)
    real(real64), intent(in) :: conductivity
    real(real64) :: left, right
    integer :: cells

    cells = size(temperature)
    left = temperature(1)
    right = temperature(cells)
    if (this_image() > 1) left = temperature(cells)[this_image() - 1]
    if (this_image() < num_images()) right = temperature(1)[this_image() + 1]
    sync all ! All images have read; now they may write.
    temperature = temperature &
      + conductivity*([left, temperature(:cells - 1)] - 2*temperature + [temperature(2:), right])
    sync all
  end subroutine step

  !> The heat of the whole rod, on every image.
  real(real64) function heat()
    heat = sum(temperature)
    call co_sum(heat)
  end function heat

end module rod
