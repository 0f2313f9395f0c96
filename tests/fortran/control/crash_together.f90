!> All images write where there is no memory.
program crash_together
  implicit none
  integer, pointer :: p
  nullify (p)
  sync all
  p = 5
  sync all
end program crash_together
