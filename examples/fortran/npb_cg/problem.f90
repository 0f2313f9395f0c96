! The classes of the benchmark.
module cg_problem
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none (type, external)
  private
  public :: dp, problem, find_problem

  integer, parameter :: dp = real64

  ! One class of the benchmark, with the official result.
  type :: problem
    character(len=1) :: name
    integer :: n          ! order of the matrix
    integer :: nonzer     ! non-zeros of a generating vector
    integer :: iterations ! steps of the power iteration
    real(dp) :: shift
    real(dp) :: zeta
  end type problem

  type(problem), parameter :: classes(4) = [ &
      problem('S', 1400, 7, 15, 10.0_dp, 8.5971775078648_dp), &
      problem('W', 7000, 8, 15, 12.0_dp, 10.362595087124_dp), &
      problem('A', 14000, 11, 15, 20.0_dp, 17.130235054029_dp), &
      problem('B', 75000, 13, 75, 60.0_dp, 22.712745482631_dp)]

contains

  subroutine find_problem(name, found, the_problem)
    character(len=*), intent(in) :: name
    logical, intent(out) :: found
    type(problem), intent(out) :: the_problem
    integer :: k

    the_problem = classes(1)
    found = .false.
    do k = 1, size(classes)
      if (classes(k)%name == name) then
        the_problem = classes(k)
        found = .true.
      end if
    end do
  end subroutine find_problem
end module cg_problem
