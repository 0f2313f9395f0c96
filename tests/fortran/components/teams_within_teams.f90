!> Components in teams: what has moved to a coarray of an outer team outlives END TEAM, the rest goes.
! Not with gfortran 15 and later: MOVE_ALLOC from a component of a coarray is refused.
program teams_within_teams
  use iso_fortran_env, only: team_type
  use checks
  implicit none
  type u
    integer, allocatable :: x(:)
    character(:), allocatable :: s
  end type
  type t
    integer, allocatable :: x(:)
    type(u), allocatable :: k(:)
    character(:), allocatable :: s
  end type
  type(t), allocatable :: outer(:)[:]
  type(team_type) :: half, inner
  integer, allocatable :: b(:)
  character(:), allocatable :: s
  integer :: me, i, n, round, ti
  me = this_image()
  allocate (outer(2)[*])
  form team (1 + mod(me, 2), half)
  do round = 1, 20
    change team (half)
      ti = this_image()
      block
        type(t), allocatable :: in(:)[:]
        integer :: next
        next = right_of(ti)
        allocate (in(2)[*])
        in(1)%x = [(ti*10 + i, i=1, 100)]
        allocate (in(2)%k(3))
        in(2)%k(2)%x = [ti, ti]
        in(2)%k(2)%s = 'team'
        outer(1)%x = [(me*7 + round + i, i=1, 50)]
        sync all
        b = in(1)[next]%x
        call require(size(b) == 100 .and. b(1) == next*10 + 1, 'in')
        b = in(2)[next]%k(2)%x
        call require(size(b) == 2 .and. all(b == next), 'in k')
        sync all
        if (mod(round, 2) == 0) then
          call move_alloc(in(1)%x, outer(2)%x)
          call move_alloc(in(2)%k, outer(1)%k)
        end if
        if (mod(round, 3) == 0) deallocate (in)
        form team (this_image(), inner)
        change team (inner)
          allocate (outer(2)%s, source='alone')
          outer(2)%s = repeat('z', round)
        end team
        call move_alloc(outer(2)%s, s)
        sync all
      end block
    end team
    sync all
    b = outer(1)[right_of(me)]%x
    call require(size(b) == 50 .and. b(1) == right_of(me)*7 + round + 1, 'outer')
    if (round > 1) then
      b = outer(2)[right_of(me)]%x
      call require(size(b) == 100, 'moved out')
      b = outer(1)[right_of(me)]%k(2)%x
      call require(size(b) == 2, 'copied out')
    end if
    sync all
  end do
  deallocate (outer)
end program
