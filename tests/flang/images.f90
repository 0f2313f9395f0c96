! Images, teams and collective subroutines: statements that LLVM flang 22 to 24 compile right. For the compiler itself, where it
! is installed, and for the one that is tested.
program images
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type :: pair
    integer :: i
    real(8) :: x
  end type
  integer :: me, n, s(5), two(2, 3), status
  character(len=5) :: c
  real(8) :: x
  type(pair) :: p
  type(team_type) :: team

  me = this_image()
  n = num_images()
  s = [1, 2, 3, 4, 5]
  call co_sum(s(1:5:2))
  if (any(s /= [n, 2, 3 * n, 4, 5 * n])) error stop 'co_sum of a section'
  x = 0.5d0 * me
  call co_sum(x)
  if (x /= 0.25d0 * n * (n + 1)) error stop 'co_sum'
  two = me
  call co_max(two)
  if (any(two /= n)) error stop 'co_max'
  two = me
  call co_min(two, result_image=1)
  if (me == 1 .and. any(two /= 1)) error stop 'co_min'
  write (c, '(a, i1, a)') 'ab', me, 'cd'
  call co_max(c)
  if (c /= 'ab' // achar(ichar('0') + n) // 'cd') error stop 'co_max of characters'
  p = pair(me, 2d0 * me)
  call co_broadcast(p, n)
  if (p%i /= n .or. p%x /= 2d0 * n) error stop 'co_broadcast of a derived type'
  status = 0
  call co_sum(s, result_image=n + 1, stat=status)
  if (status == 0) error stop 'stat= of co_sum'

  form team (mod(me, 2) + 1, team)
  change team (team)
    if (num_images() /= (n + mod(me, 2)) / 2) error stop 'num_images in a team'
    if (this_image() /= (me + 1) / 2) error stop 'this_image in a team'
    x = 1
    call co_sum(x)
    if (x /= num_images()) error stop 'co_sum in a team'
    sync all
  end team
  sync team (team)
  sync memory
  sync all
  if (this_image() /= me .or. num_images() /= n) error stop 'end team'
end program
