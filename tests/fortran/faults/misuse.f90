!> Image 2 does what the argument names, which is an error, and has no stat= that would report it.
program misuse
  use, intrinsic :: iso_fortran_env, only: lock_type, int64, real64
  implicit none
  character(30) :: operation
  type(lock_type) :: guard[*]
  real(real64), allocatable :: huge_one(:)[:]
  integer :: list(4), status

  call get_command_argument(1, operation)
  if (this_image() == 1) then
    lock (guard[1])
  end if
  sync all
  if (operation == 'allocate') allocate (huge_one(2_int64**57)[*])
  if (this_image() == 2) then
    status = 0
    select case (operation)
    case ('unlock-of-another')
      unlock (guard[1])
    case ('unlock-of-unlocked')
      unlock (guard[3])
    case ('lock-twice')
      lock (guard[2])
      lock (guard[2])
    case ('repeated-image')
      list = [1, 3, 1, 4]
      sync images (list)
    case ('repeated-image-stat')
      list = [1, 3, 1, 4]
      sync images (list, stat=status)
    case default
      error stop 'misuse: unknown operation'
    end select
    print '(a, i0)', 'status ', status
    error stop 99, quiet=.true.
  end if
  sync all
end program
