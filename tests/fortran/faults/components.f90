!> Wrong accesses through components; the argument says which. Image 2 has none of them allocated.
program components
  use checks
  implicit none
  type t
    integer, allocatable :: x(:)
  end type
  type u
    integer, allocatable :: x(:)
    integer :: k(2, 2)
  end type
  type(t) :: c[*]
  type(u) :: cs(3)[*]
  integer, allocatable :: b(:)
  integer :: got, status, zero
  character(20) :: what

  call get_command_argument(1, what)
  if (this_image() /= 2) allocate (c%x(3), source=1)
  allocate (cs(3)%x(2))
  zero = num_images() - num_images()
  sync all
  if (this_image() == 1) then
    got = 0; status = 0
    select case (what)
    case ('unallocated'); b = c[2]%x
    case ('bounds'); b = c[1]%x(2:4)
    case ('element'); got = c[1]%x(0)
    case ('image'); b = c[9]%x
    case ('put'); c[2]%x = [1, 2]
    case ('shape'); c[1]%x = [1, 2]
    case ('array'); cs(zero + 4)[1]%x(2) = 1
    case ('fixed'); cs(3)[1]%k(1, zero + 3) = 1
    case ('surplus')
      b = [7, 8, 9]
      c[1]%x(::2) = b
      call require(all(c%x == [7, 1, 8]), 'surplus')
      deallocate (b)
    case ('stat')
      got = c[2, stat=status]%x(1)
      call require(status > 0, 'stat')
    case default; error stop 'components: unknown case'
    end select
    if (allocated(b)) got = b(1)
    print '(a)', 'done'
  end if
  sync all
end program
