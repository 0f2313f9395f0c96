!> Image 2 executes another ALLOCATE or DEALLOCATE than the others, as the argument says.
program allocations
  implicit none
  type :: with_coarray
    real, allocatable :: c(:)[:]
  end type
  real, allocatable :: a(:)[:], b(:)[:], s(:, :)[:]
  type(with_coarray) :: t
  character(30) :: what
  integer :: n, status
  logical :: differs

  call get_command_argument(1, what)
  differs = this_image() == 2
  n = 10
  if (differs .and. what == 'size') n = 20
  if (differs .and. what == 'no allocate') then
    sync all
    ! Until image 3 has found it.
    call execute_command_line('sleep 300')
  else if (differs .and. what == 'order') then
    allocate (b(n)[*])
    allocate (a(n)[*])
  else
    allocate (a(n)[*])
  end if
  if (.not. allocated(b)) allocate (b(10)[*])
  if (what == 'component') allocate (t%c(merge(4, 5, differs))[*])
  if (what == 'shape') then
    allocate (s(merge(2, 3, differs), merge(3, 2, differs))[*])
  end if
  if (what == 'stat') then
    allocate (s(merge(2, 3, differs), 5)[*], stat=status)
    print '(a, i0)', 'status ', status
    stop
  end if
  if (what == 'deallocate stat') then
    if (differs) then
      deallocate (b, stat=status)
    else
      deallocate (a, stat=status)
    end if
    print '(a, i0)', 'status ', status
    stop
  end if
  if (differs .and. what == 'other deallocate') then
    deallocate (b)
  else if (differs .and. what == 'no deallocate') then
    sync all
  else
    deallocate (a)
  end if
  sync all
  print '(a)', 'good'
end program allocations
