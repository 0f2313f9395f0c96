!> The initial team is entered again from within teams. gfortran has no GET_TEAM before version 16, so that the
!> program asks the library for it, as that version does.
! Not with gfortran 16 and later: allocatable coarrays of a BLOCK within CHANGE TEAM crash it.
program initial_team_again
  use checks
  use, intrinsic :: iso_c_binding, only: c_ptr, c_int
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  integer(c_int), parameter :: initial = 0, parent = 1, current = 2
  interface
    type(c_ptr) function get_team(level) bind(C, name='_gfortran_caf_get_team')
      import
      integer(c_int), intent(in) :: level
    end function
  end interface
  type(team_type) :: world, half, quarter, t
  integer :: me, n, k, x
  integer :: a[*]
  integer, allocatable :: w(:)[:], of_half(:)[:], of_quarter(:)[:]

  me = this_image(); n = num_images()
  a = me
  world = transfer(get_team(initial), world)
  t = transfer(get_team(parent), t)
  call require_equal(team_number(world), -1, 'number of the initial team')
  call require_equal(team_number(t), -1, 'parent of the initial team')
  sync team (world)
  form team (1 + mod(me, 2), half)
  do k = 1, 10
    change team (half)
      t = transfer(get_team(current), t)
      call require_equal(team_number(t), 1 + mod(me, 2), 'the current team')
      t = transfer(get_team(parent), t)
      call require_equal(team_number(t), -1, 'the parent')
      ! What the teams have allocated differs.
      allocate (of_half(100 * k * (1 + mod(me, 2)))[*])
      of_half = this_image()
      form team (this_image(), quarter)
      change team (quarter)
        allocate (of_quarter(7 * me)[*])
        of_quarter = me
        change team (world)
          call require(this_image() == me .and. num_images() == n .and. team_number() == -1, 'the initial team')
          t = transfer(get_team(parent), t)
          call require_equal(team_number(t), -1, 'parent of the initial team again')
          allocate (w(k)[*])
          w = me
          sync all
          call require_equal(w(k)[right_of(me)], right_of(me), 'a coarray of the initial team')
          call require_equal(a[left_of(me)], left_of(me), 'a coarray from the start')
          x = 1
          call co_sum(x)
          call require_equal(x, n, 'co_sum')
          ! And from there into a team again, above what the teams around have.
          form team (1 + mod((me - 1) / 2, 2), t)
          change team (t)
            block
              integer, allocatable :: deep(:)[:]
              allocate (deep(50)[*])
              deep = -me
              sync all
            end block
          end team
        end team
        call require(.not. allocated(w), 'after END TEAM of the initial team')
        call require(this_image() == 1 .and. num_images() == 1, 'back')
        call require(all(of_quarter == me), 'what was allocated before')
      end team
      call require_equal(of_half(1)[right_of(this_image())], right_of(this_image()), 'what the half has')
    end team
    call require(.not. allocated(of_half) .and. .not. allocated(of_quarter), 'after END TEAM')
  end do
end program
