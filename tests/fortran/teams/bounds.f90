!> Coarrays of several codimensions in teams: images at cosubscripts, cobounds, image_index, this_image.
program bounds
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: team
  integer :: grid(4)[2, 0:*]
  integer, allocatable :: own(:)[:, :, :]
  integer :: me, here, i, c(2), d(3)

  grid = 0
  form team (1 + mod(this_image(), 2), team)
  sync all
  change team (team)
    me = this_image(); here = num_images()
    c = this_image(grid)
    call require(all(c == [1 + mod(me - 1, 2), (me - 1) / 2]), 'this_image of a coarray')
    call require_equal(this_image(grid, 2), (me - 1) / 2, 'this_image with dim')
    call require_equal(image_index(grid, c), me, 'image_index')
    call require_equal(image_index(grid, [1, here]), 0, 'image_index beyond the team')
    i = right_of(me)
    grid(:)[1 + mod(i - 1, 2), (i - 1) / 2] = i
    sync all
    call require(all(grid == me), 'put')
    allocate (own(2)[-1:0, 2, 5:*])
    d = this_image(own)
    call require(all(d == [mod(me - 1, 2) - 1, 1 + mod((me - 1) / 2, 2), 5 + (me - 1) / 4]), 'three codimensions')
    own = me
    sync all
    call require_equal(own(2)[d(1), d(2), d(3)], me, 'get')
    call require_equal(own(1)[-1, 1, 5], 1, 'get from image 1')
    call require(all(lcobound(own) == [-1, 1, 5]) .and. ucobound(own, 2) == 2, 'cobounds')
  end team
end program
