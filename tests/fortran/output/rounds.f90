! Rounds in which all images print many lines at a time: those of a round come before those of the next one.
program rounds
  implicit none
  integer :: round, line

  do round = 1, 200
    do line = 1, 40
      print '(i0)', round
    end do
    sync all
  end do
end program
