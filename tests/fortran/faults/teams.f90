!> Teams used in the wrong way that the argument names. Images 2 and 4 of 4 are one team, 1 and 3 the other.
program teams
  use, intrinsic :: iso_c_binding, only: c_intptr_t, c_loc, c_ptr
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  interface
    subroutine end_team(nothing) bind(C, name='_gfortran_caf_end_team')
      import
      type(c_ptr), value :: nothing
    end subroutine
  end interface
  character(30) :: what
  type(team_type) :: half, other, inner, copy, never
  integer, target :: a(3)[*]
  integer, allocatable :: outer(:)[:], w(:)[:], moved(:)[:]
  integer :: me, x, status

  call get_command_argument(1, what)
  me = this_image(); a = me; x = 1; status = 0
  allocate (outer(5)[*])
  form team (1 + mod(me, 2), half)
  form team (3 + mod(me, 2), other)
  sync all
  select case (what)
  case ('number-0')
    form team (me - 2, inner)
  case ('number-negative')
    form team (-7, inner)
  case ('change-not-formed-here')
    change team (half)
      change team (other)
        print '(a)', 'entered'
      end team
    end team
  case ('change-to-current')
    change team (half)
      change team (half)
        print '(a)', 'entered'
      end team
    end team
  case ('change-ended', 'sync-ended', 'number-ended', 'put-ended')
    change team (half)
      form team (1, inner)
      copy = inner
    end team
    select case (what)
    case ('change-ended')
      change team (copy)
        print '(a)', 'entered'
      end team
    case ('sync-ended')
      sync team (copy)
    case ('number-ended')
      x = team_number(inner)
    case ('put-ended')
      a(1)[1, team=inner] = 5
    end select
  case ('change-undefined', 'sync-undefined', 'number-undefined', 'put-undefined')
    ! A compiler that gives team variables no value may have any.
    never = transfer(transfer(c_loc(a), 1_c_intptr_t), never)
    select case (what)
    case ('change-undefined')
      change team (never)
        print '(a)', 'entered'
      end team
    case ('sync-undefined')
      sync team (never)
    case ('number-undefined')
      x = team_number(never)
    case ('put-undefined')
      a(1)[1, team=never] = 5
    end select
  case ('sync-sibling')
    change team (half)
      sync team (other)
    end team
  case ('end-without-change')
    call end_team(transfer(0_c_intptr_t, c_loc(a)))
  case ('deallocate-outer')
    change team (half)
      deallocate (outer)
    end team
  case ('deallocate-outer-team')
    change team (half)
      call allocate_three(w)
      form team (1, inner)
      change team (inner)
        deallocate (w)
      end team
    end team
  case ('put-beyond')
    change team (half)
      a(1)[3] = 5
    end team
  case ('get-beyond')
    change team (half)
      x = a(1)[3]
    end team
  case ('put-beyond-team')
    change team (half)
      a(1)[5, team=half] = 5
    end team
  case ('put-not-entered')
    a(1)[1, team=half] = 5
  case ('put-not-there')
    change team (half)
      call allocate_three(w)
      form team (1, inner)
      change team (inner)
        call allocate_three(moved)
        moved(1)[1, team=half] = 5
      end team
    end team
  case ('put-after-end', 'get-after-end', 'atomic-after-end')
    change team (half)
      call allocate_three(w)
      ! So that the library does not find the variable any more.
      call move_alloc(w, moved)
    end team
    if (what == 'put-after-end') moved(1)[1] = 5
    if (what == 'get-after-end') x = moved(1)[1]
    if (what == 'atomic-after-end') call atomic_define(moved(1)[1], 5)
  case ('sync-images-beyond')
    change team (half)
      sync images (3)
    end team
  case ('atomic-beyond')
    change team (half)
      call atomic_add(a(1)[4], 1)
    end team
  case ('co-sum-beyond')
    change team (half)
      call co_sum(x, result_image=3)
    end team
  case ('co-broadcast-beyond')
    change team (half)
      call co_broadcast(x, source_image=3)
    end team
  case ('co-reduce-beyond')
    change team (half)
      call co_reduce(x, plus, result_image=-1)
    end team
  case ('co-max-beyond-stat')
    change team (half)
      call co_max(x, result_image=3, stat=status)
      if (status > 0 .and. x == 1) error stop 99, quiet=.true.
    end team
  case ('allocate-too-much')
    change team (half)
      call allocate_too_much()
    end team
  case ('allocate-too-much-stat')
    change team (half)
      call allocate_too_much(status)
      if (status > 0 .and. .not. allocated(w)) error stop 99, quiet=.true.
    end team
  case ('subset')
    ! The others go away instead.
    if (me > 2) stop
    form team (1, inner)
  case ('subset-sync')
    ! The other two wait for all.
    if (me > 2) then
      sync all
    else
      form team (1, inner)
    end if
    error stop 99, quiet=.true.
  case default
    error stop 'teams: unknown fault'
  end select
  print '(a)', 'went on'

contains

  ! Not in the constructs: gfortran 16 crashes at ALLOCATE in a CHANGE TEAM construct that is within SELECT CASE.
  subroutine allocate_three(x)
    integer, allocatable, intent(inout) :: x(:)[:]
    allocate (x(3)[*])
  end subroutine

  subroutine allocate_too_much(status)
    integer, intent(out), optional :: status
    if (present(status)) then
      allocate (w(2_c_intptr_t**58)[*], stat=status)
    else
      allocate (w(2_c_intptr_t**58)[*])
    end if
  end subroutine

  pure integer function plus(a, b)
    integer, intent(in) :: a, b
    plus = a + b
  end function
end program
