!> Image 2 executes another ALLOCATE or DEALLOCATE than the others, as the argument says.
program allocations
  implicit none
  real, allocatable :: a(:)[:], b(:)[:]
  character(30) :: what
  integer :: n

  call get_command_argument(1, what)
  n = 10
  if (this_image() == 2 .and. what == 'size') n = 20
  if (this_image() == 2 .and. what == 'no allocate') then
    sync all
    ! Until image 3 has found it.
    call execute_command_line('sleep 300')
  else
    allocate (a(n)[*])
  end if
  allocate (b(10)[*])
  if (this_image() == 2 .and. what == 'other deallocate') then
    deallocate (b)
  else if (this_image() == 2 .and. what == 'no deallocate') then
    sync all
  else
    deallocate (a)
  end if
  sync all
  print '(a)', 'good'
end program allocations
