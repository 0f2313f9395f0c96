!> However a component was allocated, in a procedure, by a constructor, by a move, as a function has left it: an object that
!> is got from another image has it.
program allocated_anyhow
  use checks
  implicit none
  type t
    integer :: n = 0
    integer, allocatable :: v(:)
#if __GNUC__ >= 15
    real, allocatable :: x
    character(:), allocatable :: text
#endif
  end type
  type(t) :: c[*]
  integer :: me, next, i
  integer, allocatable :: moved(:)

  me = this_image(); next = right_of(me)
  call fill(c%v)
#if __GNUC__ >= 15
  call fill_scalar(c%x)
#endif
  c%n = 3
  call look('allocated in a procedure')

  c%n = 500
  moved = [(me, i=1, 500)]
  call move_alloc(moved, c%v)
  call look('moved')

#if __GNUC__ >= 15
  c = t(3, [me, me, me], 0.5*me, repeat('x', me))
  call look('constructed')

  c = made()
  call look('left by a function')
#endif

  deallocate (c%v)
  c%n = 100000
  allocate (c%v(c%n), source=me)
  call look('of its own, again')

contains

  subroutine look(what)
    character(*), intent(in) :: what
    type(t) :: copy
    sync all
    copy = c[next]
    call require(copy%n == c%n .and. size(copy%v) == c%n, what // ': size')
    call require(all(copy%v == next), what // ': elements')
#if __GNUC__ >= 15
    call require(copy%x == 0.5*next, what // ': scalar')
    if (allocated(copy%text)) call require(copy%text == repeat('x', next), what // ': characters')
#endif
    copy%v = [1]
    sync all
    call require(size(c%v) == c%n .and. all(c%v == me), what // ': the original')
  end subroutine

  subroutine fill(v)
    integer, allocatable, intent(inout) :: v(:)
    allocate (v(3))
    v = me
  end subroutine

#if __GNUC__ >= 15
  subroutine fill_scalar(x)
    real, allocatable, intent(inout) :: x
    allocate (x)
    x = 0.5*me
  end subroutine

  function made()
    type(t) :: made
    made%n = 3
    made%v = [me, me, me]
    made%x = 0.5*me
    made%text = repeat('x', me)
  end function
#endif
end program
