!> Coindexed arrays with vector subscripts whose size only the program knows: results of functions, and allocatable arrays.
program subscripts_of_functions
  use checks
  implicit none
  integer, parameter :: n = 12
  integer, allocatable :: a(:)[:], list(:), got(:)
  integer :: b(n, 3)[*], few(3), me, next, i

  me = this_image()
  next = mod(me, num_images()) + 1
  allocate (a(n)[*])
  a = [(100 * me + i, i=1, n)]
  b = spread(a, 2, 3)
  b(:, 2) = -b(:, 2)
  sync all

  allocate (got(n))
  got = a(numbers(n))[next]
  call require(all(got == 100 * next + [(i, i=1, n)]), 'all, by a function')
  few = a(backwards(5, 3))[next]
  call require(all(few == 100 * next + [5, 4, 3]), 'some, by a function')
  list = [7, 7, 2]
  few = a(list)[next]
  call require(all(few == 100 * next + [7, 7, 2]), 'an allocatable array')
  few = b(list, 2)[next]
  call require(all(few == -100 * next - [7, 7, 2]), 'an allocatable array, and a column')
  deallocate (list)
  allocate (list(0))
  got = [1, 2]
  call require(size(a(list)) == 0, 'none')

  sync all
  list = [3, 1, 12]
  b(list, 3)[next] = [me, 2 * me, 3 * me]
  sync all
  i = merge(num_images(), me - 1, me == 1)
  call require(all(b([3, 1, 12], 3) == i * [1, 2, 3]), 'put by an allocatable array')
  sync all
  b(backwards(6, 2), 1)[next] = [-me, -me - 1]
  sync all
  call require(all(b([6, 5], 1) == [-i, -i - 1]), 'put by a function')

contains

  function numbers(count)
    integer, intent(in) :: count
    integer :: numbers(count), k
    numbers = [(k, k=1, count)]
  end function

  function backwards(from, count)
    integer, intent(in) :: from, count
    integer :: backwards(count), k
    backwards = [(from - k, k=0, count - 1)]
  end function
end program
