! What LFortran accepts in image selectors and ignores; not all of it is compiled, because the stand-in is gfortran.
program selectors
  implicit none
  integer :: x[*], k, status
  x = this_image()
  k = x[1, stat=status]  ! x[1, team=t]
#ifdef NEVER
  x[k + n(1), team = odd] = 1
  print *, 'x[1, team=t]', &
    x[1, TEAM_NUMBER=2]
#endif
  k = sum([1, status])
end program
