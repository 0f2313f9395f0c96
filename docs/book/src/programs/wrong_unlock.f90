program wrong_unlock
  use, intrinsic :: iso_fortran_env, only: lock_type
  implicit none
  type(lock_type) :: guard[*]
  if (this_image() == 1) lock (guard[1])
  sync all
  if (this_image() == 2) unlock (guard[1])
  sync all
end program wrong_unlock
