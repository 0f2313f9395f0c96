program wrong_lock
  use, intrinsic :: iso_fortran_env, only: lock_type
  implicit none
  type(lock_type) :: guard[*]
  lock (guard[1])
  lock (guard[1])                   ! UNLOCK was forgotten
end program wrong_lock
