!> Megabytes at once: contiguous, every second element, by columns; every byte arrives.
program large
  use checks
  implicit none
  integer, parameter :: n = 100003, rows = 300, cols = 200
  integer(8), allocatable :: a(:)[:], b(:, :)[:]
  integer(8), allocatable :: local(:), block(:, :)
  integer :: me, next, prev, i

  me = this_image(); next = right_of(me); prev = left_of(me)
  allocate (a(n)[*], b(rows, cols)[*])
  allocate (local(n), source=[(me * 1000000_8 + i, i = 1, n)])
  allocate (block(rows, cols))
  a = -1; b = -1
  sync all
  a(:)[next] = local
  b(101:200, :)[next] = reshape(local(1:100 * cols), [100, cols])
  sync all
  call require(all(a == [(prev * 1000000_8 + i, i = 1, n)]), 'contiguous put')
  call require(all(reshape(b(101:200, :), [100 * cols]) == a(1:100 * cols)), 'put to a block of rows')
  call require(all(b(:100, :) == -1) .and. all(b(201:, :) == -1), 'beside the block')
  local = 0
  local(1:n) = a(n:1:-1)[next]
  call require(all(local == [(me * 1000000_8 + i, i = n, 1, -1)]), 'reversed get')
  local(1:n / 2) = a(2:n:2)[next]
  call require(all(local(1:n / 2) == [(me * 1000000_8 + i, i = 2, n, 2)]), 'get of every second element')
  block(1:rows, 1:cols) = b(:, :)[next]
  call require(block(101, 1) == me * 1000000_8 + 1 .and. block(200, cols) == me * 1000000_8 + 100 * cols, &
               'get of the matrix')
end program
