!> Team numbers: -1 at the start, any positive ones, with gaps, in any order, of any integer kind.
program numbers
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type, int64
  implicit none
  type(team_type) :: a, b, c, d
  integer :: me, n

  me = this_image(); n = num_images()
  call require_equal(team_number(), -1, 'initial team')
  form team (huge(1), a)
  form team (1000003 * (n - me + 1), b)
  form team (mod(me, 2) + 1, c)
  form team (int(mod(me, 3) + 7, int64), d)
  call require_equal(team_number(), -1, 'initial team after form team')
  call require_equal(team_number(a), huge(1), 'one team')
  call require_equal(team_number(b), 1000003 * (n - me + 1), 'a team each')
  call require_equal(team_number(c), mod(me, 2) + 1, 'an expression')
  call require_equal(team_number(d), mod(me, 3) + 7, 'kind 8')
  change team (b)
    call require_equal(team_number(), 1000003 * (n - me + 1), 'in a team')
    call require_equal(num_images(), 1, 'images of a team each')
    ! Numbers are those of the siblings: what is used elsewhere does not matter.
    form team (huge(1), a)
    change team (a)
      call require_equal(team_number(), huge(1), 'in a team of a team')
    end team
  end team
  change team (d)
    call require_equal(num_images(), (n - 1 - mod(me + 2, 3)) / 3 + 1, 'every third image')
  end team
  call require_equal(team_number(), -1, 'initial team at the end')
end program
