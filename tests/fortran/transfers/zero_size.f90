!> Transfers of nothing change nothing and are no errors, whatever the empty bounds say.
program zero_size
  use checks
  implicit none
  integer :: a(4)[*], empty(0)[*], flat(3, 0)[*]
  integer :: nothing(0), got(4), i, next
  integer, allocatable :: none(:)[:]

  next = right_of(this_image())
  a = [1, 2, 3, 4]
  allocate (none(0)[*])
  sync all
  a(3:2)[next] = nothing
  a(4:1)[next] = 9
  a(1:4:-1)[next] = nothing
  a(100:99)[next] = nothing
  empty(:)[next] = nothing
  empty(:)[next] = 5
  none(:)[next] = nothing
  flat(:, :)[next] = 5
  sync all
  call require(all(a == [1, 2, 3, 4]), 'put of nothing')
  got = 7
  got(2:1) = a(3:2)[next]
  got(1:0) = empty(:)[next]
  got(4:3) = none(:)[next]
  nothing = a(5:4)[next]
  call require(all(got == 7), 'get of nothing')
  a(3:2)[next] = a(2:1)[next]
  sync all
  call require(all(a == [1, 2, 3, 4]), 'transfer of nothing between images')
  call require(size(none) == 0 .and. size(empty) == 0 .and. all([(i, i = 1, 4)] == a), 'sizes')
end program
