!> Image 2 executes another ALLOCATE or DEALLOCATE than the others, as the argument says.
program allocations
  implicit none
  type :: with_coarray
    real, allocatable :: c(:)[:]
  end type
  type :: base
    integer :: i
  end type
  type, extends(base) :: one
    integer :: j
  end type
  type, extends(base) :: other
    real :: x
  end type
  type, extends(base) :: renamed
  end type
  real, allocatable :: a(:)[:], b(:)[:], s(:, :)[:], grid(:, :)[:, :], wide(:, :, :)[:, :]
  real, allocatable :: scalar[:]
  character(:), allocatable :: text[:], texts(:)[:]
  class(base), allocatable :: object[:], objects(:)[:]
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
  select case (what)
  case ('lower bound')
    allocate (s(merge(0, 1, differs):merge(2, 3, differs), 5)[*])
  case ('cobound')
    allocate (grid(2, 0:1)[merge(1, 2, differs), *])
  case ('lower cobound')
    allocate (scalar[merge(0, 1, differs):*])
  case ('bounds and stat')
    allocate (grid(2, merge(3, 2, differs):merge(4, 3, differs))[1, *], stat=status)
  case ('far bounds')
    allocate (wide(1, 2, 2)[merge(2, 1, differs), *])
  case ('several')
    allocate (s(2, 2)[*], scalar[merge(0, 1, differs):*])
  case ('nothing in it')
    allocate (s(0, merge(2, 3, differs))[*])
  case ('length')
    allocate (character(merge(20, 10, differs)) :: text[*])
  case ('lengths')
    allocate (character(merge(20, 10, differs)) :: texts(3)[*])
  case ('type')
    if (differs) then
      allocate (other :: object[*])
    else
      allocate (one :: object[*])
    end if
  case ('types')
    if (differs) then
      allocate (other :: objects(3)[*])
    else
      allocate (one :: objects(3)[*])
    end if
  case ('extension without components')
    if (differs) then
      allocate (renamed :: objects(3)[*])
    else
      allocate (base :: objects(3)[*])
    end if
  case ('local type')
    call allocate_locals()
  end select
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
contains
  subroutine allocate_locals()
    class(base), allocatable :: local(:)[:]
    if (differs) then
      allocate (other :: local(3)[*])
    else
      allocate (one :: local(3)[*])
    end if
  end subroutine
end program allocations
