!> A few elements of long arrays. (With gfortran 15 and 16 an accessor takes them, where the array is on another host there.)
program few_of_many
  use checks
  implicit none
  integer, parameter :: rows = 300, columns = 200
  real(8) :: a(rows, columns)[*], got(3), one
  character(7), allocatable :: names(:)[:]
  character(7) :: name, pair(2)
  integer(1), save :: bytes(100000)[*]
  real(4), allocatable :: taken(:)
  integer :: me, next, prev, i, picked(3)

  me = this_image(); next = right_of(me); prev = left_of(me)
  picked = [7, 3, 190]
  allocate (names(-1000:4000)[*])
  a = 0; names = '-'; bytes = 0
  sync all
  do i = 1, 50
    a(i, 2 * i)[next] = me + i
  end do
  a(100:102, 77)[next] = [me, me + 1, me + 2]
  a(299, picked)[next] = real([me, me + 3, me + 6])
  names(-500)[next] = 'abc'
  names(3999:4000)[next] = ['first  ', 'seconds']
  bytes(99999)[next] = 5_1
  sync all
  call require(all([(a(i, 2 * i), i = 1, 50)] == [(prev + i, i = 1, 50)]), 'scalars put')
  call require(all(a(100:102, 77) == [prev, prev + 1, prev + 2]), 'a section put')
  call require(all(a(299, picked) == [prev, prev + 3, prev + 6]), 'elements put by subscripts')
  call require(count(a /= 0) == 56, 'beside what was put')
  call require(names(-500) == 'abc' .and. names(3999) == 'first' .and. names(4000) == 'seconds', 'characters put')
  call require(count(names /= '-') == 3 .and. bytes(99999) == 5 .and. count(bytes /= 0) == 1, 'beside characters and bytes')
  sync all
  a = reshape([(1000000 * me + i, i = 1, size(a))], shape(a))
  names(7) = 'image ' // achar(iachar('0') + mod(me, 10))
  sync all
  one = a(5, 6)[next]
  got = a(290, picked)[next]
  taken = a(20:200:90, 150)[next]
  name = names(7)[next]
  pair = names(7:6:-1)[next]
  call require(one == 1000000 * next + 5 * rows + 5, 'a scalar')
  call require(all(got == [(1000000 * next + (picked(i) - 1) * rows + 290, i = 1, 3)]), 'elements by subscripts')
  call require(size(taken) == 3, 'the shape of a section')
  call require(all(taken == real([(1000000 * next + 149 * rows + i, i = 20, 200, 90)])), 'a section')
  call require(name == 'image ' // achar(iachar('0') + mod(next, 10)) .and. pair(1) == name .and. pair(2) == '-', 'characters')
  sync all
  if (me == 1) then
    a(1, 1)[num_images()] = a(2, 2)[next]
    a(5:6, 9)[num_images()] = a(7:8, 10)[next]
  end if
  sync all
  if (me == num_images()) then
    call require(a(1, 1) == 1000000 * right_of(1) + rows + 2, 'a scalar between images')
    call require(all(a(5:6, 9) == 1000000 * right_of(1) + 9 * rows + [7, 8]), 'a section between images')
  end if
end program
