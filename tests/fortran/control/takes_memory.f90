!> Image 2 takes 400 MiB of memory that is no coarray; the others wait for it.
program takes_memory
  implicit none
  real(8), allocatable :: a(:)
  if (this_image() == 2) then
    allocate (a(50 * 2**20))
    call random_number(a)
    print *, sum(a)
  end if
  sync all
end program
