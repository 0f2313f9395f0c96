! What LFortran 0.67 makes of coarrays: for the compiler itself, where it is installed.
program coarrays
  use, intrinsic :: iso_fortran_env, only: team_type, current_team, initial_team, parent_team, &
    stat_failed_image, stat_stopped_image, stat_locked, stat_unlocked, stat_locked_other_image
  implicit none
  integer :: me, n, right, i, status
  integer :: x[*], s(5), two(2, 3)
  integer, allocatable :: a(:)[:]
  character(len=5) :: c, cc(2)
  character(len=100) :: message
  type(team_type) :: team
  type :: pair
    integer :: i
    real(8) :: x
  end type
  type(pair) :: p
  real(16) :: wide, wides(3)

  me = this_image()
  n = num_images()
  right = mod(me, n) + 1

  ! Get and put, of static and allocatable coarrays.
  x = 10 * me
  sync all
  i = x[right]
  if (i /= 10 * right) error stop 'get'
  sync all
  x[right] = me
  allocate(a(4)[*])
  a = me
  sync all
  if (mod(x, n) + 1 /= me) error stop 'put'
  a(2)[right] = 100 * me
  sync all
  if (mod(a(2) / 100, n) + 1 /= me .or. a(1) /= me) error stop 'put of an element'
  i = a(2)[1]
  if (i /= 100 * n) error stop 'get of an element'
  sync all
  deallocate(a)

  ! Collective subroutines: sections, ranks, characters, derived types.
  s = [1, 2, 3, 4, 5]
  call co_sum(s(1:5:2))
  if (any(s /= [n, 2, 3 * n, 4, 5 * n])) error stop 'co_sum of a section'
  two = me
  call co_max(two)
  if (any(two /= n)) error stop 'co_max'
  two = me
  call co_min(two, result_image=1)
  if (me == 1 .and. any(two /= 1)) error stop 'co_min'
  wide = 0.5_16 * me
  call co_sum(wide)
  if (wide /= 0.25_16 * n * (n + 1)) error stop 'co_sum of real(16)'
  wides = me
  call co_max(wides)
  if (any(wides /= n)) error stop 'co_max of real(16)'
  write (c, '(a, i1, a)') 'ab', me, 'cd'
  call co_max(c)
  if (ichar(c(3:3)) /= ichar('0') + n) error stop 'co_max of characters'
  cc = 'abcde'
  cc(2)(5:5) = char(96 + me)
  call co_min(cc)
  if (cc(2) /= 'abcda' .or. cc(1) /= 'abcde') error stop 'co_min of characters'
  p = pair(me, 2d0 * me)
  call co_broadcast(p, n)
  if (p%i /= n .or. p%x /= 2d0 * n) error stop 'co_broadcast'

  ! Teams, errors, the end.
  form team(mod(me, 2) + 1, team)
  change team(team)
    if (num_images() /= (n + mod(me, 2)) / 2) error stop 'change team'
    sync all
  end team
  sync team(team)
  status = 0
  message = ' '
  call co_sum(s, result_image=77, stat=status, errmsg=message)
  if (status == 0 .or. index(message, 'prif_co_sum: result_image: image index 77 is not in 1:') /= 1) error stop 'stat'
  ! The values of the module.
  if (current_team /= 1 .or. initial_team /= 0 .or. parent_team /= 2) error stop 'the levels are other ones'
  if (stat_failed_image /= -1 .or. stat_locked /= 2 .or. stat_locked_other_image /= 3 .or. stat_stopped_image /= 4 &
    .or. stat_unlocked /= 1) error stop 'the constants are other ones'
  if (me == 1) stop 3
end program
