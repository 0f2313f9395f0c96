!> Whole objects with allocated components that come from another image are copied with their components, in turn, and go away
!> with the variables that they are assigned to.
program whole_objects
  use checks
  implicit none
  type part
    integer :: n = 0
    integer, allocatable :: v(:)
  end type
  type whole
    integer, allocatable :: none(:)
    real, allocatable :: matrix(:, :)
    type(part), allocatable :: parts(:)
    integer :: last = 0
  end type
  type(part) :: c[*], d(3)[*]
  type(whole) :: w[*]
  integer :: me, next, i, round

  me = this_image(); next = right_of(me)
  c%n = me
  c%v = [(me*i, i=1, 5)]
  do i = 1, 3, 2
    d(i)%n = 10*me + i
    allocate (d(i)%v(0:i))
    d(i)%v = 100*me + i
  end do
  allocate (w%matrix(2, 3), w%parts(2))
  w%matrix = me
  w%parts(2)%n = 7*me
  allocate (w%parts(2)%v(me))
  w%parts(2)%v = -me
  w%last = me
  sync all
  do round = 1, 5
    call scalars
#if __GNUC__ >= 16
    call arrays
#endif
    call components_in_components
  end do
  sync all
  call require(all(c%v == [(me*i, i=1, 5)]), 'the original')
  call require(all(d(3)%v == 100*me + 3) .and. all(w%parts(2)%v == -me), 'the other originals')
  call later

contains

  subroutine scalars
    type(part) :: copy
#if __GNUC__ >= 15
    type(part), allocatable :: on_the_heap
#endif
    copy = c[next]
    call require(copy%n == next .and. all(copy%v == [(next*i, i=1, 5)]), 'scalar')
    copy%v = [copy%v, 6]
    copy%v(1) = -1
#if __GNUC__ >= 15
    copy = d(3)[next]
    call require(copy%n == 10*next + 3, 'element')
    call require(lbound(copy%v, 1) == 0 .and. all(copy%v == [(100*next + 3, i=0, 3)]), 'of an element')
    copy = d(2)[next]
    call require(copy%n == 0 .and. .not. allocated(copy%v), 'not allocated')
    allocate (on_the_heap)
    on_the_heap = d(1)[next]
    call require(all(on_the_heap%v == [100*next + 1, 100*next + 1]), 'to an allocated variable')
#endif
    call look(c[next])
    call look((c[next]))
  end subroutine

  subroutine look(x)
    type(part), intent(in) :: x
    call require(x%n == next .and. all(x%v == [(next*i, i=1, 5)]), 'argument')
  end subroutine

#if __GNUC__ >= 16
  subroutine arrays
    type(part) :: all_of(3), some_of(4)
    type(part), allocatable :: any_number(:)
    all_of = d(:)[next]
    call require(all(all_of%n == [10*next + 1, 0, 10*next + 3]), 'array')
    call require(all(all_of(3)%v == [(100*next + 3, i=0, 3)]), 'of an array')
    call require(.not. allocated(all_of(2)%v), 'not allocated in an array')
    all_of(3)%v(2) = 0
    some_of(4:1:-3) = d(1:3:2)[next]
    call require(all(some_of(4)%v == [100*next + 1, 100*next + 1]), 'of a section')
    call require(some_of(1)%n == 10*next + 3 .and. size(some_of(1)%v) == 4, 'section')
    call require(some_of(2)%n == 0 .and. .not. allocated(some_of(2)%v), 'beside a section')
    any_number = d(2:3)[next]
    call require(size(any_number) == 2 .and. all(any_number(2)%v == [(100*next + 3, i=0, 3)]), 'allocated')
    any_number = d(3:3)[next]
    call require(size(any_number) == 1 .and. size(any_number(1)%v) == 4, 'allocated anew')
  end subroutine
#endif

  subroutine components_in_components
    type(whole) :: copy
#if __GNUC__ >= 16
    type(part) :: parts(2)
#endif
    copy = w[next]
    call require(copy%last == next .and. .not. allocated(copy%none), 'whole')
    call require(all(shape(copy%matrix) == [2, 3]) .and. all(copy%matrix == next), 'matrix')
    call require(.not. allocated(copy%parts(1)%v) .and. copy%parts(2)%n == 7*next, 'parts')
    call require(size(copy%parts(2)%v) == next .and. all(copy%parts(2)%v == -next), 'of a part')
    copy%parts(2)%v = [1, 2]
#if __GNUC__ >= 16
    parts = w[next]%parts(:)
    call require(parts(2)%n == 7*next .and. all(parts(2)%v == [(-next, i=1, next)]), 'parts by themselves')
#endif
  end subroutine

  !> A copy does not know what becomes of the original.
  subroutine later
    type(part) :: copy
    copy = c[next]
    sync all
    c%v = 0
    sync all
    call require(all(copy%v == [(next*i, i=1, 5)]), 'then')
  end subroutine
end program
