!> Image 2 writes where there is no memory.
program crashes
  implicit none
  integer, pointer :: p

  nullify (p)
  sync all
  if (this_image() == 2) p = 5
  sync all
end program crashes
