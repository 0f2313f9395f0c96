!> The heat equation on a square of n*n points an image, in single precision: a loop that the compiler vectorises, and a halo that is put. For
!> what checks cost. Prints the seconds of all steps, and how much memory the process has had.
!>
!>     xmpfc -O3 stencil_checked.f90 -o stencil
!>     xmprun -n 2 ./stencil 480 400
program stencil_checked
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  real, allocatable :: u(:, :)[:], new(:, :)[:]
  character(80) :: text
  integer :: n, steps, step, i, j, me, right, unit, status
  integer(int64) :: begin, end, rate

  call get_command_argument(1, text)
  read (text, *) n
  call get_command_argument(2, text)
  read (text, *) steps
  me = this_image()
  right = modulo(me, num_images()) + 1
  allocate (u(0:n + 1, 0:n + 1)[*], new(0:n + 1, 0:n + 1)[*])
  u = me
  new = me
  sync all
  call system_clock(begin, rate)
  do step = 1, steps
    do j = 1, n
      do i = 1, n
        new(i, j) = u(i, j) + 0.2 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j))
      end do
    end do
    u(1:n, 1:n) = new(1:n, 1:n)
    sync all
    u(1:n, 0)[right] = u(1:n, n)
    sync all
  end do
  call system_clock(end)
  if (me /= 1) stop
  print '(a,f0.4,a)', 'steps in ', real(end - begin) / real(rate), ' s'
  open (newunit=unit, file='/proc/self/status', action='read')
  do
    read (unit, '(a)', iostat=status) text
    if (status /= 0) exit
    if (text(1:5) == 'VmHWM') print '(a)', trim(text)
  end do
end program
