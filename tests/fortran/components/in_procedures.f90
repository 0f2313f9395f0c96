!> Coarrays with allocatable components in modules and as dummy arguments.
! Not with gfortran 15 and later: gets through dummy coarrays with allocatable components crash it.
module trees
  implicit none
  type tree
    integer :: n = 0
    integer, allocatable :: leaves(:)
  end type
  type(tree) :: forest(2)[*]

contains

  subroutine grow(t, n, value)
    type(tree), intent(inout) :: t[*]
    integer, intent(in) :: n, value
    t%n = n
    if (allocated(t%leaves)) deallocate (t%leaves)
    allocate (t%leaves(n))
    t%leaves = value
  end subroutine

  integer function leaf(t, image, which)
    type(tree), intent(in) :: t[*]
    integer, intent(in) :: image, which
    leaf = t[image]%leaves(which)
  end function

  subroutine plant(n, value)
    integer, intent(in) :: n, value
    if (allocated(forest(2)%leaves)) deallocate (forest(2)%leaves)
    allocate (forest(2)%leaves(n), source=value)
  end subroutine

  integer function leaf_of_forest(image, which)
    integer, intent(in) :: image, which
    leaf_of_forest = forest(2)[image]%leaves(which)
  end function

  subroutine cut(image, which)
    integer, intent(in) :: image, which
    forest(2)[image]%leaves(which) = 0
  end subroutine
end module

program in_procedures
  use checks
  use trees
  implicit none
  type(tree) :: mine[*]
  integer :: me, next, k

  me = this_image(); next = right_of(me)
  do k = 1, 3
    call grow(mine, me + k, 10 * me)
    call plant(2 * me + k, 20 * me)
    sync all
    call require_equal(leaf(mine, next, next + k), 10 * next, 'dummy')
    call require_equal(leaf_of_forest(next, 2 * next + k), 20 * next, 'coarray of the module')
    sync all
    call cut(next, 2)
    sync all
    call require(forest(2)%leaves(2) == 0 .and. count(forest(2)%leaves == 0) == 1, 'put')
    call require(.not. allocated(forest(1)%leaves), 'the other element')
    sync all
  end do
end program
