!> Sections of the memory of other images that is no part of a coarray: what is copied, and by how many calls of the system,
!> or requests to another host. Those that lead to the target count, too: the descriptor is in the coarray.
! Not with gfortran 15 and later: pointer components have another layout in accessors.
program private_runs
  use checks
  use counted_copies, only: copies_since
  implicit none
  type t
    integer, pointer :: near(:) => null(), far(:) => null(), grid(:, :) => null()
  end type
  integer, parameter :: n = 1000, apart = 10000
  type(t) :: c[*]
  integer, save, target :: near(100*n), far(n*apart), grid(300, 400)
  integer :: here(n), block(150, 100), me, next, i, where_to(n)

  me = this_image(); next = right_of(me)
  near = [(me + 2*i, i=1, size(near))]
  do i = 1, size(far), apart
    far(i:i + 9) = [me + i, -1, -2, -3, -4, -5, -6, -7, -8, -9]
  end do
  grid = reshape([(me + 3*i, i=1, size(grid))], shape(grid))
  c%near => near; c%far => far; c%grid => grid
  where_to = [(1 + modulo(7919*i, 100*n), i=1, n)]
  call counted('before', 0, 1000000)

  here = c[next]%near(where_to)
  call require(all(here == next + 2*where_to), 'vector subscript')
  call counted('vector subscript', 1, 1)

  here = c[next]%near(size(near) - 3:2:-100)
  call require(all(here(1:999) == next + 2*[(size(near) - 3 - 100*i, i=0, 998)]), 'backwards')
  call counted('section, backwards', 1, 1)

  where_to = [(1 + apart*modulo(7*i, n), i=1, n)]
  here = c[next]%far(where_to)
  call require(all(here == next + where_to), 'far apart')
  call counted('vector subscript, far apart', 1, 1)

  block = c[next]%grid(1:300:2, 3:400:4)
  call require(all(block == next + 3*grid_number(1, 2, 3, 4)), 'grid')
  call counted('section of a matrix', 1, 1)
  sync all

  c[next]%far(where_to) = [(-me*i, i=1, n)]
  sync all
  call require(all(far(where_to) == [(-left_of(me)*i, i=1, n)]), 'put')
  call require(all(far(where_to + 1) == -1), 'beside what was put')
  call counted('put by a vector subscript', 1, 1)

  c[next]%grid(2:300:2, 1:400:4) = block - next
  sync all
  call require(all(grid(2:300:2, 1:400:4) == 3*grid_number(1, 2, 3, 4)), 'put to a grid')
  call require(all(grid(1:300:2, 1:400:4) == me + 3*grid_number(1, 2, 1, 4)), 'beside what was put to a grid')
  ! 15,000 elements, 1,024 in a call.
  call counted('put of a section of a matrix', 15, 15)

contains

  !> The numbers in array element order of every `i`-th row from `first`, of every `j`-th column from `column`.
  pure function grid_number(first, i, column, j) result(numbers)
    integer, intent(in) :: first, i, column, j
    integer :: numbers(150, 100), row, col
    do col = 1, 100
      do row = 1, 150
        numbers(row, col) = first + i*(row - 1) + 300*(column + j*(col - 1) - 1)
      end do
    end do
  end function

  !> The images have made between `least` and `most` copies each, on average, since the last call.
  subroutine counted(what, least, most)
    character(*), intent(in) :: what
    integer, intent(in) :: least, most
    integer :: copies
    sync all
    copies = copies_since()
    call co_sum(copies)
    if (copies < least*num_images() .or. copies > most*num_images()) &
      call require_equal(copies, most*num_images(), 'copies by the system: ' // what)
    ! Those of co_sum itself.
    sync all
    copies = copies_since()
    sync all
  end subroutine

end program
