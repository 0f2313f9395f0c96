!> Compares the rod with the same rod on one image.
program check
  use, intrinsic :: iso_fortran_env, only: real64
  use rod, only: heat, make_rod, step, temperature
  implicit none
  integer, parameter :: cells = 7, steps = 60
  real(real64), parameter :: conductivity = 0.25_real64
  real(real64), allocatable :: whole(:)
  real(real64) :: difference, total
  integer :: i, first

  allocate (whole(cells*num_images()), source=0.0_real64)
  whole(1) = 1
  call make_rod(cells)
  do i = 1, steps
    call step(conductivity)
    whole = whole + conductivity*([whole(1), whole(:size(whole) - 1)] - 2*whole &
                                  + [whole(2:), whole(size(whole))])
  end do
  first = (this_image() - 1)*cells + 1
  difference = maxval(abs(temperature - whole(first:first + cells - 1)))
  call co_max(difference)
  total = heat()
  if (difference > 1e-14_real64) error stop 'the rod differs from the one on a single image'
  if (abs(total - 1) > 1e-14_real64) error stop 'heat was lost or gained'
  if (this_image() == 1) print '(a, i0, a)', 'PASS with ', num_images(), ' images'
end program check
