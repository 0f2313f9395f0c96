!> A program that knows nothing of coarrays.
program plain
  implicit none
  print '(a)', 'plain Fortran'
end program
