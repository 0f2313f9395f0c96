!> Nothing but the start and the end of PRIF: each image tells its peak resident memory in kilobytes.
program prif_empty
  use, intrinsic :: iso_c_binding, only: c_bool, c_int
  use, intrinsic :: iso_fortran_env, only: output_unit
  use prif, only: prif_init, prif_stop, prif_this_image_no_coarray
  implicit none
  integer(c_int) :: stat, me
  logical(c_bool) :: quiet
  character(len=256) :: line
  integer :: unit, status, kilobytes

  call prif_init(stat)
  call prif_this_image_no_coarray(this_image=me)
  kilobytes = 0
  open (newunit=unit, file='/proc/self/status', action='read', iostat=status)
  do while (status == 0)
    read (unit, '(a)', iostat=status) line
    if (status == 0 .and. line(1:6) == 'VmHWM:') read (line(7:index(line, 'kB') - 1), *) kilobytes
  end do
  write (output_unit, '("rss,", i0, ",", i0)') me - 1, kilobytes
  flush (output_unit)
  quiet = .true.
  call prif_stop(quiet)
end program prif_empty
