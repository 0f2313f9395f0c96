!> Exchange of the halo of an unstructured mesh: each image reads, element by element, what it needs of arrays of other images, to
!> which pointer components of a coarray lead. And the same by puts. With an argument it prints the least time of an exchange.
! Not with gfortran 15 and later: pointer components have another layout in accessors.
program halo
  use checks
  use counted_copies, only: copies_since
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  type box
    integer, pointer :: data(:) => null()
  end type
  integer, parameter :: cells = 100000, needed = 2500
  type(box) :: b[*]
  integer, allocatable, target :: values(:)
  integer, allocatable :: owner(:), place(:)
  integer :: me, i, round, rounds
  integer(int64) :: start, end, rate, least(2)

  me = this_image()
  rounds = merge(200, 2, command_argument_count() > 0)
  ! The cells of this image, and after them copies of cells of others.
  allocate (values(cells + 2*needed), owner(2*needed), place(2*needed))
  b%data => values
  do i = 1, 2*needed
    owner(i) = merge(left_of(me), right_of(me), i <= needed)
    place(i) = 1 + modulo(7919*i, cells)
  end do
  least = huge(least)
  do round = 1, rounds
    values(1:cells) = [(me + 5*i + round, i=1, cells)]
    sync all
    call system_clock(start, rate)
    do i = 1, 2*needed
      values(cells + i) = b[owner(i)]%data(place(i))
    end do
    sync all
    call system_clock(end)
    least(1) = min(least(1), end - start)
    call require(all(values(cells + 1:) == owner + 5*place + round), 'read')
    sync all
    call system_clock(start)
    do i = 1, 2*needed
      b[owner(i)]%data(place(i)) = values(cells + i) + me
    end do
    sync all
    call system_clock(end)
    least(2) = min(least(2), end - start)
    call require(values(place(1)) == me + 5*place(1) + round + right_of(me), 'written')
    sync all
  end do
  if (num_images() > 1 .and. rounds == 2) call require_equal(int(copies_since()), 0, 'copies by the system')
  if (me == 1 .and. rounds > 2) print '(2(a, f9.4))', 'reads, ms:', 1e3*least(1)/rate, '  writes, ms:', 1e3*least(2)/rate
end program
