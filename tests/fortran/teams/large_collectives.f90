!> Sibling teams execute collectives of different sizes, each at its own pace, and none sees the others' data.
program large_collectives
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: team
  integer, parameter :: lengths(3) = [1, 1000, 200000]
  real(8), allocatable :: v(:)
  integer :: me, n, mine, here, k, length

  me = this_image(); n = num_images()
  mine = 1 + mod(me, 3)
  form team (mine, team)
  do k = 1, 4
    change team (team)
      here = num_images()
      length = lengths(1 + mod(mine + k, 3))
      allocate (v(length))
      v = this_image()
      call co_sum(v)
      call require(all(v == here * (here + 1) / 2), 'co_sum')
      v = 10 * mine + this_image()
      call co_broadcast(v, source_image=here)
      call require(all(v == 10 * mine + here), 'co_broadcast')
      v = this_image() * mine
      call co_min(v, result_image=here)
      if (this_image() == here) call require(all(v == mine), 'co_min')
      deallocate (v)
    end team
  end do
end program
