program main
  use, intrinsic :: iso_fortran_env, only: real64
  use rod, only: heat, make_rod, step, temperature
  implicit none
  real(real64) :: warmest, total
  integer :: i

  call make_rod(cells=100)
  do i = 1, 1000
    call step(conductivity=0.25_real64)
  end do
  warmest = maxval(temperature)
  call co_max(warmest)
  total = heat()
  if (this_image() == 1) then
    print '(i0, a, f8.6, a, f8.6)', num_images(), ' images: heat ', total, ', warmest cell ', warmest
  end if
end program main
