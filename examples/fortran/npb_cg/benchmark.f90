! The benchmark: iterations under the clock, and the report.
module cg_benchmark
  use, intrinsic :: iso_fortran_env, only: int64
  use cg_problem, only: dp, problem, find_problem
  use cg_solver, only: solver
  implicit none (type, external)
  private
  public :: choose_problem, run_benchmark, refuse

  real(dp), parameter :: tolerance = 1.0e-10_dp

contains

  ! The class that the first argument names. Ends the program when there is none,
  ! or when the images make no grid.
  subroutine choose_problem(program, prob)
    character(len=*), intent(in) :: program
    type(problem), intent(out) :: prob
    character(len=16) :: name
    logical :: found

    name = 'A'
    if (command_argument_count() > 0) call get_command_argument(1, name)
    call find_problem(trim(name), found, prob)
    if (.not. found) call refuse(program//': class "'//trim(name)//'" is not one of S, W, A, B')
    if (popcnt(num_images()) /= 1) call refuse(program//': the number of images is not a power of two')
  end subroutine choose_problem

  ! Image 1 speaks for all; the others are ended by its error termination.
  subroutine refuse(text)
    character(len=*), intent(in) :: text

    if (this_image() == 1) error stop text
    sync all
  end subroutine refuse

  ! Runs and reports; the program fails when the result is wrong.
  subroutine run_benchmark(cg, prob)
    class(solver), intent(inout) :: cg
    type(problem), intent(in) :: prob
    real(dp), allocatable :: x(:), z(:)
    real(dp) :: zeta, residual, seconds, error
    integer(int64) :: clock_start, clock_end, clock_rate
    integer :: iteration
    logical :: verified

    call cg%prepare(prob)
    if (this_image() == 1) then
      print '(a)', 'NAS Parallel Benchmarks CG, coarray Fortran'
      print '(a,a,a,i0)', ' class ', prob%name, ', order ', prob%n
      print '(a,i0,a,i0,a,i0)', ' images ', num_images(), ', grid ', cg%place%rows, ' x ', cg%place%cols
    end if
    call cg%build(prob)
    allocate (x(size(cg%p)), z(size(cg%p)))

    ! One step touches all data; then everything starts again under the clock.
    x = 1.0_dp
    call cg%step(prob%shift, x, z, zeta, residual)
    x = 1.0_dp
    sync all
    call system_clock(clock_start, clock_rate)
    if (this_image() == 1) print '(/,a)', '  iteration        ||r||                  zeta'
    do iteration = 1, prob%iterations
      call cg%step(prob%shift, x, z, zeta, residual)
      if (this_image() == 1) print '(i8,4x,es22.14,f22.13)', iteration, residual, zeta
    end do
    call system_clock(clock_end)
    seconds = real(clock_end - clock_start, dp) / real(clock_rate, dp)
    call co_max(seconds)

    error = abs(zeta - prob%zeta) / prob%zeta
    verified = error <= tolerance ! false for NaN as well
    if (this_image() == 1) call report(prob, cg%form, zeta, error, seconds, verified)
    sync all
    if (.not. verified) error stop 1
  end subroutine run_benchmark

  subroutine report(prob, form, zeta, error, seconds, verified)
    type(problem), intent(in) :: prob
    character(len=*), intent(in) :: form
    real(dp), intent(in) :: zeta, error, seconds
    logical, intent(in) :: verified
    real(dp) :: products, operations

    ! The count of the specification, not of what was executed.
    products = real(prob%nonzer * (prob%nonzer + 1), dp)
    operations = 2.0_dp * prob%iterations * prob%n &
        * (3.0_dp + products + 25.0_dp * (5.0_dp + products) + 3.0_dp)
    print '(/,a)', ' CG benchmark completed'
    print '(a,a)', ' Form            = ', form
    print '(a,a)', ' Class           = ', prob%name
    print '(a,i0)', ' Size            = ', prob%n
    print '(a,i0)', ' Iterations      = ', prob%iterations
    print '(a,i0)', ' Images          = ', num_images()
    print '(a,f0.13)', ' Zeta            = ', zeta
    print '(a,f0.13)', ' Reference zeta  = ', prob%zeta
    print '(a,es9.2)', ' Relative error  = ', error
    print '(a,f0.6)', ' Time in seconds = ', seconds
    print '(a,f0.2)', ' Mop/s total     = ', operations / seconds * 1.0e-6_dp
    if (verified) then
      print '(a)', ' VERIFICATION SUCCESSFUL'
    else
      print '(a)', ' VERIFICATION FAILED'
    end if
  end subroutine report
end module cg_benchmark
