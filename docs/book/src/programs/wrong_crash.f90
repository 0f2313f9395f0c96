program wrong_crash
  implicit none
  integer, pointer :: p
  nullify (p)
  if (this_image() == 2) p = 1      ! stores to address 0
  sync all
end program wrong_crash
