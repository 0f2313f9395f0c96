!> Arguments of collective subroutines that are not allocated, as the argument says; the marked lines are the statements.
program not_allocated
  implicit none
  type :: point
    real :: x = 0, y = 0
  end type
  integer, allocatable :: l(:), k, matrix(:, :), from_zero(:), coarray[:]
  integer, pointer :: target_of(:)
  character(:), allocatable :: text
  character(3), allocatable :: word
  type(point), allocatable :: points(:)
  character(20) :: what
  integer :: me

  call get_command_argument(1, what)
  me = this_image()
  allocate (l(4), source=me)
  allocate (k, source=me)
  allocate (points(3))
  select case (what)
  case ('vector')
    deallocate (l)
    call co_broadcast(l, 1)            ! vector
  case ('scalar')
    deallocate (k)
    call co_broadcast(k, 1)            ! scalar
  case ('derived')
    deallocate (points)
    call co_broadcast(points, 1)       ! derived
  case ('on one image')
    if (me == 2) deallocate (l)
    call co_broadcast(l, 1)            ! on one image
  case ('sum')
    deallocate (l)
    call co_sum(a=l)                   ! sum
  case ('dummy')
    deallocate (l)
    call spread_value(l)
  case ('matrix')
    call co_broadcast(matrix, 1)       ! matrix
  case ('from 0')
    allocate (from_zero(0:3))
    deallocate (from_zero)
    call co_broadcast(from_zero, 1)    ! from 0
  case ('pointer')
    nullify (target_of)
    call co_broadcast(target_of, 1)    ! pointer
  case ('text')
    call co_broadcast(text, 1)         ! text
  case ('word')
    call co_broadcast(word, 1)         ! word
  case ('coarray')
    call co_broadcast(coarray, 1)      ! coarray
  case ('empty sum')
    call co_sum(matrix)                ! empty sum
  case ('sum of pointer')
    nullify (target_of)
    call co_min(target_of)             ! sum of pointer
  case ('greatest text')
    call co_max(text)                  ! greatest text
  case ('least scalar')
    deallocate (k)
    call co_min(k)                     ! least scalar
  case ('reduction')
    nullify (target_of)
    call co_reduce(target_of, total)   ! reduction
  case ('good')
    allocate (matrix(0, 3), from_zero(0:-1), word)
    word = 'abc'
    text = ''
    call co_broadcast(matrix, 2)
    call co_sum(matrix)
    call co_reduce(from_zero, total)
    call co_broadcast(text, 2)
    call co_max(text)
    call co_max(word)
    call co_broadcast(l, 2)
    call co_broadcast(k, 2)
    call co_broadcast(points, 2)
    if (any(l /= 2) .or. k /= 2 .or. word /= 'abc') error stop 'a wrong value'
  end select
  print '(a)', 'went on'
contains
  pure function total(one, other)
    integer, intent(in) :: one, other
    integer :: total
    total = one + other
  end function
  subroutine spread_value(values)
    integer, allocatable, intent(inout) :: values(:)
    call co_broadcast(values, &
                      1)               ! dummy
  end subroutine
end program
