! Pi by random points in a square, counted in three ways.
program monte_carlo
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind
  implicit none
  integer, parameter :: points = 1000000      ! on each image
  integer :: in_critical[*] = 0
  integer(atomic_int_kind) :: by_atomics[*] = 0
  integer :: mine, so_far, i
  real :: x, y

  call random_init(repeatable=.true., image_distinct=.true.)
  mine = 0
  do i = 1, points
    call random_number(x)
    call random_number(y)
    if (x**2 + y**2 < 1) mine = mine + 1
  end do

  critical                                    ! one image at a time
    so_far = in_critical[1]
    in_critical[1] = so_far + mine
  end critical
  call atomic_add(by_atomics[1], mine)        ! one indivisible operation
  sync all                                    ! all images have added
  call co_sum(mine, result_image=1)           ! the best way here: one collective call

  if (this_image() == 1) then
    if (in_critical /= mine .or. by_atomics /= mine) error stop 'monte_carlo: the counts differ'
    print '(a,f5.3)', 'pi is about ', 4.0 * mine / (real(points) * num_images())
  end if
end program monte_carlo
