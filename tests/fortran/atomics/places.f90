!> Atomic variables may be elements, components, parts of allocatable coarrays and dummy arguments, here and elsewhere.
module receivers
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind
  implicit none
  integer(atomic_int_kind) :: of_module(3)[*] = 0

contains

  subroutine add_to(x, image, value)
    integer(atomic_int_kind), intent(inout) :: x[*]
    integer, intent(in) :: image, value
    call atomic_add(x[image], value)
  end subroutine
end module

program places
  use checks
  use receivers
  implicit none
  type cell
    logical :: pad
    integer(atomic_int_kind) :: n(2, 2)
  end type
  integer(atomic_int_kind) :: matrix(3, 3)[*], got
  integer(atomic_int_kind), allocatable :: later(:)[:]
  type(cell) :: cells(2)[*]
  integer :: me, n, k, i

  me = this_image(); n = num_images()
  allocate (later(-1:1)[0:*])
  matrix = 0; later = 0
  do i = 1, 2
    cells(i)%n = 0
  end do
  sync all
  do k = 1, n
    call atomic_add(matrix(2, 3)[k], me)
    call atomic_add(later(0)[k - 1], me)
    call atomic_add(cells(2)[k]%n(1, 2), me)
    call atomic_add(of_module(3)[k], me)
    call add_to(matrix(3, 1), k, me)
  end do
  sync all
  call atomic_ref(got, matrix(2, 3)); call require_equal(int(got), n * (n + 1) / 2, 'element')
  call atomic_ref(got, later(0)); call require_equal(int(got), n * (n + 1) / 2, 'allocatable')
  call atomic_ref(got, cells(2)%n(1, 2)); call require_equal(int(got), n * (n + 1) / 2, 'component')
  call atomic_ref(got, of_module(3)); call require_equal(int(got), n * (n + 1) / 2, 'coarray of a module')
  call atomic_ref(got, matrix(3, 1)); call require_equal(int(got), n * (n + 1) / 2, 'dummy argument')
  call require(count(matrix /= 0) == 2 .and. count(later /= 0) == 1 .and. count(cells(2)%n /= 0) == 1, 'beside them')
  call require(all(cells(1)%n == 0) .and. all(of_module(:2) == 0), 'other elements')
end program
