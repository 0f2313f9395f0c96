!> A broadcast and a gathering along a binary tree of images, with events only: what was put before a post is seen.
program tree
  use checks
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  type(event_type) :: down[*], up[*]
  integer :: from_above(20)[*], below(2)[*]
  integer :: me, n, k, child, side, children, sum

  me = this_image(); n = num_images()
  do k = 1, 15
    if (me == 1) then
      from_above = k
    else
      event wait (down)
      call require(all(from_above == k), 'what came from above')
    end if
    children = 0; below = 0
    do side = 0, 1
      child = 2 * me + side
      if (child > n) cycle
      from_above(:)[child] = from_above
      event post (down[child])
      children = children + 1
    end do
    if (children > 0) event wait (up, until_count=children)
    sum = me + below(1) + below(2)
    if (me > 1) then
      below(1 + mod(me, 2))[me / 2] = sum
      event post (up[me / 2])
    else
      call require_equal(sum, n * (n + 1) / 2, 'what came from below')
    end if
    ! Before an image clears what the next round needs.
    sync all
  end do
end program
