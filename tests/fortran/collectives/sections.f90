!> Collectives on sections, rows, reversed and multi-dimensional arrays change just the elements given.
program sections
  use checks
  implicit none
  integer, parameter :: n = 9
  integer :: a(n, n), expected(n, n), line(20), want(20), few(3), cube(3, 4, 5)
  type box
    integer :: key
    real(8) :: w
  end type
  type(box), target :: boxes(6)
  ! Not the component itself: gfortran 12 hands the whole objects to collectives then.
  integer, pointer :: keys(:)
  integer, allocatable :: big(:, :)
  integer :: me, images, total, i, j

  me = this_image(); images = num_images(); total = images * (images + 1) / 2
  a = me; expected = me
  call co_sum(a(2:8:3, :))
  expected(2:8:3, :) = total
  call require(all(a == expected), 'sum of every third row')
  call co_max(a(:, 5))
  expected(:, 5) = images; expected(2:8:3, 5) = total
  call require(all(a == expected), 'maximum of a column')
  call co_broadcast(a(9, 9:1:-2), source_image=images)
  expected(9, 9:1:-2) = images
  call require(all(a == expected), 'broadcast of a reversed strided row')
  line = [(100 * me + i, i = 1, 20)]
  want = line
  call co_sum(line(20:2:-3))
  want(20:2:-3) = [(100 * total + i * images, i = 20, 2, -3)]
  call require(all(line == want), 'sum of a reversed strided line')
  cube = me
  call co_sum(cube(2, 1:3, 5:1:-2), result_image=1)
  if (me == 1) then
    call require(all(cube(2, 1:3, 1:5:2) == total) .and. count(cube == total) == merge(60, 9, total == me), &
                 'sum of a section of three dimensions')
  end if
  boxes = [(box(me * i, 0.5d0), i = 1, 6)]
  keys => boxes(1:5:2)%key
  call co_sum(keys)
  call require(all(boxes%key == [total, 2 * me, 3 * total, 4 * me, 5 * total, 6 * me]), 'sum of a component')
  call require(all(boxes%w == 0.5d0), 'beside the component')
  ! A section on some images, a whole array on the others.
  few = me
  line = me
  if (mod(me, 2) == 0) then
    call co_sum(line(1:20:9))
  else
    call co_sum(few)
  end if
  call require(all(few == merge(total, me, mod(me, 2) == 1)), 'sum of a whole array')
  call require(all(line(1:20:9) == merge(total, me, mod(me, 2) == 0)), 'sum of a section')
  allocate (big(501, 300))
  big = reshape([((me * mod(i + j, 7), i = 1, 501), j = 1, 300)], shape(big))
  call co_sum(big(1:501:2, :))
  call require(all(big(1:501:2, :) == reshape([((total * mod(i + j, 7), i = 1, 501, 2), j = 1, 300)], [251, 300])), &
               'sum of every second row of a large array')
  call require(all(big(2:500:2, :) == reshape([((me * mod(i + j, 7), i = 2, 500, 2), j = 1, 300)], [250, 300])), &
               'beside a large section')
end program
