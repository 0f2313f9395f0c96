!> What components have allocated is given back with their coarray, at the end of the procedure and by DEALLOCATE: 100 times
!> 5 MB and more do not add up.
program given_back
  use checks
  implicit none
  type leaf
    real(8), allocatable :: x(:)
  end type
  type branch
    real(8), allocatable :: x(:)
    type(leaf), allocatable :: leaf
  end type
  type tree
    real(8), allocatable :: x(:)
    type(branch), allocatable :: branch
  end type
  integer :: round

  do round = 1, 100
    call once(round)
  end do

contains

  subroutine once(round)
    integer, intent(in) :: round
    type(tree), allocatable :: d(:)[:]
    real(8) :: value

    allocate (d(4)[*])
    allocate (d(1)%x(100000))
    allocate (d(2)%branch)
    allocate (d(2)%branch%x(200000))
    allocate (d(2)%branch%leaf)
    allocate (d(2)%branch%leaf%x(300000))
    d(2)%branch%leaf%x = round
    sync all
    value = d(2)[right_of(this_image())]%branch%leaf%x(300000)
    call require(value == round, 'innermost component')
    sync all
  end subroutine
end program
