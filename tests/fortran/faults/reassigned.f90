!> Assignments to whole allocatable coarrays, of arrays of another shape, as the argument says; the marked lines are the statements.
program reassigned
  implicit none
  integer, allocatable :: a(:)[:], b(:)[:], m(:,:)[:], six(:), square(:,:)
  character(20) :: what
  integer :: me, k

  call get_command_argument(1, what)
  me = this_image()
  six = [(k, k = 1, 6)]
  allocate (a(3)[*], source=0)
  allocate (m(2, 3)[*], source=0)
  select case (what)
  case ('all')
    a = six * me                       ! all
  case ('one')
    if (me == 2) a = six(1:2)          ! one
  case ('matrix')
    allocate (square(2, 2), source=1)
    m = &
        square                         ! matrix
  case ('dummy')
    call assign_to(a)
  case ('good')
    a = six(1:3) + me
    m = reshape(six, [2, 3])
    allocate (b(6)[*], source=6)
    call move_alloc(b, a)              ! replaces a coarray of another shape
    a = six
    sync all
    if (any(a(:)[1] /= six) .or. m(2, 3)[1] /= 6) error stop 'a wrong value'
    deallocate (a)
    allocate (a(2)[*], source=2)
    a = 3
    if (size(a) /= 2) error stop 'a wrong size'
  end select
  print '(a)', 'went on'
contains
  subroutine assign_to(coarray)
    integer, allocatable, intent(inout) :: coarray(:)[:]
    coarray = six                      ! dummy
  end subroutine
end program
