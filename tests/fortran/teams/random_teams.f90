!> Teams made from scattered numbers: the members are those that gave the number, in the order of their images.
program random_teams
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: team, inner
  integer :: a[*]
  integer :: n, me, k, i, seed, mine
  integer :: numbers(8), members(8), count
  integer, allocatable :: here(:)

  me = this_image(); n = num_images(); seed = 17
  do k = 1, 40
    do i = 1, n
      seed = modulo(seed * 1103 + 12345, 65537)
      numbers(i) = 1 + modulo(seed, 3 * n) / 2
    end do
    count = 0; mine = 0
    do i = 1, n
      if (numbers(i) /= numbers(me)) cycle
      count = count + 1
      members(count) = i
      if (i == me) mine = count
    end do
    form team (numbers(me), team)
    a = me + 100 * k
    sync all
    change team (team)
      call require_equal(team_number(), numbers(me), 'number')
      call require_equal(num_images(), count, 'images')
      call require_equal(this_image(), mine, 'image')
      do i = 1, count
        call require_equal(a[i], members(i) + 100 * k, 'member')
      end do
      allocate (here(count))
      here = 0
      here(mine) = me
      call co_sum(here)
      call require(all(here == members(:count)), 'members')
      deallocate (here)
      form team (1 + modulo(seed + mine, 2), inner)
      change team (inner)
        call require_equal(num_images(), (count + modulo(mine, 2)) / 2, 'images within')
      end team
      sync all
    end team
    sync all
  end do
end program
