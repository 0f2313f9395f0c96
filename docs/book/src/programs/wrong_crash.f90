program wrong_crash
  implicit none
  integer, pointer :: p
  nullify (p)
  if (this_image() == num_images()) p = 1   ! stores to address 0
  sync all
end program wrong_crash
