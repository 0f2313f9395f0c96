!> Coarrays of size 0, and large ones, allocated in teams.
program zero_sized
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: team
  integer, allocatable :: none(:)[:], a(:)[:], big(:)[:]
  integer :: k

  form team (1 + mod(this_image(), 2), team)
  do k = 1, 3
    change team (team)
      allocate (none(0)[*], a(3)[*])
      a = this_image()
      none(:)[1] = 5
      allocate (big(3000000)[*])
      big(1) = k; big(size(big)) = this_image()
      sync all
      call require_equal(size(none(:)[num_images()]), 0, 'nothing')
      call require_equal(big(size(big))[right_of(this_image())], right_of(this_image()), 'the end of a large one')
      call require(all(a == this_image()), 'a')
      if (k == 2) deallocate (none)
    end team
    call require(.not. allocated(none) .and. .not. allocated(big), 'after END TEAM')
  end do
end program
