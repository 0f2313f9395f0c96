!> Loops that get single elements of an image of another host, or of memory that is in no coarray. Prints microseconds for an element,
!> the median of five loops.
!>
!>     xmpfc -O2 elements_of_hosts.f90 -o elements_of_hosts
!>     XMP_VIRTUAL_HOSTS=2 XMP_MPI_SOCKETS=always mpirun -n 2 ./elements_of_hosts
!>
!> mpirun passes the settings on by itself (MPICH) or with `-x XMP_VIRTUAL_HOSTS -x XMP_MPI_SOCKETS` (Open MPI). With
!> `XMP_READ_CACHE=never` each get is a round trip. With `xmprun -n 2`, on one host, the last two rows are calls of the system.
program elements_of_hosts
  use, intrinsic :: iso_fortran_env
  implicit none
  type chain
    real(real64), allocatable :: data(:)
    integer, pointer :: kept(:) => null()
  end type chain
  integer, parameter :: n = 100000, loops = 5
  integer :: a(n)[*], places(n), i
  integer, target, save :: kept(n)
  type(chain) :: c[*]
  real :: u

  if (num_images() /= 2) error stop 'two images'
  call random_init(repeatable=.true., image_distinct=.false.)
  do i = 1, n
    call random_number(u)
    places(i) = 1 + int(u * n)
  end do
  a = [(i * this_image(), i=1, n)]
  allocate (c%data(n))
  c%data = a
  kept = a
  c%kept => kept
  call measure('one after the other', 10000)
  call measure('at random', 2000)
  call measure('of a component', 2000)
  call measure('always the same', 2000)
  call measure('kept, one after the other', 10000)
  call measure('kept, at random', 2000)

contains

  subroutine measure(what, gets)
    character(*), intent(in) :: what
    integer, intent(in) :: gets
    integer(int64) :: start, end, rate
    real(real64) :: times(loops), found
    integer :: i, loop

    do loop = 1, loops
      found = 0
      sync all
      call system_clock(start, rate)
      if (this_image() == 1) then
        select case (what)
        case ('one after the other')
          do i = 1, gets
            found = found + a(i)[2]
          end do
        case ('at random')
          do i = 1, gets
            found = found + a(places(i))[2]
          end do
        case ('of a component')
          do i = 1, gets
            found = found + c[2]%data(i)
          end do
        case ('always the same')
          do i = 1, gets
            found = found + a(1)[2]
          end do
        case ('kept, one after the other')
          do i = 1, gets
            found = found + c[2]%kept(i)
          end do
        case ('kept, at random')
          do i = 1, gets
            found = found + c[2]%kept(places(i))
          end do
        end select
      end if
      call system_clock(end)
      times(loop) = (end - start) * 1e6_real64 / rate / gets
      if (this_image() == 1 .and. found < 2 * gets) error stop 'wrong elements'
    end do
    if (this_image() == 1) print '(a, t28, f8.3)', what, median(times)
  end subroutine measure

  real(real64) function median(times)
    real(real64), intent(in) :: times(:)
    integer :: i

    do i = 1, size(times)
      if (count(times < times(i)) <= size(times) / 2 .and. count(times > times(i)) <= size(times) / 2) median = times(i)
    end do
  end function median
end program elements_of_hosts
