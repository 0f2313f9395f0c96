!> CO_SUM, CO_MIN, CO_MAX, CO_BROADCAST and CO_REDUCE count among the images of the current team only.
program collectives_in_teams
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: team
  integer :: me, n, teams, mine, here, k, x, low, high, product_of, i
  real(8) :: v(40)
  character(6) :: word

  me = this_image(); n = num_images()
  do teams = 1, n
    mine = mod(me - 1, teams) + 1
    form team (mine, team)
    change team (team)
      here = num_images()
      do k = 1, here
        x = me; low = me; high = me; product_of = this_image() + 1
        v = [(me * i, i = 1, size(v))]
        write (word, '(a, i0)') 'image', me
        call co_sum(x)
        call require_equal(x, here * mine + teams * here * (here - 1) / 2, 'co_sum')
        call co_min(low)
        call require_equal(low, mine, 'co_min')
        call co_max(high)
        call require_equal(high, mine + teams * (here - 1), 'co_max')
        call co_sum(v, result_image=k)
        if (this_image() == k) call require(all(v == [(x * i, i = 1, size(v))]), 'co_sum on one image')
        call co_broadcast(word, source_image=k)
        call require(word == 'image' // achar(iachar('0') + mine + teams * (k - 1)), 'co_broadcast')
        call co_reduce(product_of, times)
        call require_equal(product_of, product([(i, i = 2, here + 1)]), 'co_reduce')
      end do
    end team
    x = 1
    call co_sum(x)
    call require_equal(x, n, 'co_sum of all')
  end do

contains

  pure integer function times(a, b)
    integer, intent(in) :: a, b
    times = a * b
  end function
end program
