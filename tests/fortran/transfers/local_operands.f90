!> The local side of a transfer may be anything: pointers to sections, allocatables, temporaries, dummies.
program local_operands
  use checks
  implicit none
  integer :: a(6)[*]
  integer, target :: store(6, 6)
  integer, pointer :: view(:)
  integer, allocatable :: local(:)
  integer :: me, next, prev, i, j

  me = this_image(); next = right_of(me); prev = left_of(me)
  store = reshape([((1000 * me + 10 * i + j, i = 1, 6), j = 1, 6)], [6, 6])
  a = 0
  sync all
  view => store(2, 6:1:-1)
  a(:)[next] = view
  sync all
  call require(all(a == 1000 * prev + 20 + [6, 5, 4, 3, 2, 1]), 'put from a pointer to a section')
  view => store(:, 3)
  view(6:1:-2) = a(1:5:2)[next]
  call require(all(store([6, 4, 2], 3) == 1000 * me + 20 + [6, 4, 2]), 'get into a section of a pointer')
  allocate (local(0:5), source=[(i * me, i = 1, 6)])
  sync all
  a(:)[next] = local
  sync all
  call require(all(a == [(i * prev, i = 1, 6)]), 'put from an allocatable')
  sync all
  a(:)[next] = squares(6) + 1
  sync all
  call require(all(a == [2, 5, 10, 17, 26, 37]), 'put from a function result')
  call get_all(store(3:4, 1:6:2))
  call require(all(store(3:4, 1:6:2) == reshape([2, 5, 10, 17, 26, 37], [2, 3])), 'get into a dummy argument')
  deallocate (local)
  allocate (local(6))
  local(1:6) = a(6:1:-1)[next]
  call require(all(local == [37, 26, 17, 10, 5, 2]), 'get into an allocatable')

contains

  function squares(n) result(r)
    integer, intent(in) :: n
    integer :: r(n), k
    r = [(k * k, k = 1, n)]
  end function

  subroutine get_all(x)
    integer, intent(out) :: x(:, :)
    integer :: k
    do k = 1, size(x, 2)
      x(:, k) = a(2 * k - 1:2 * k)[next]
    end do
  end subroutine
end program
