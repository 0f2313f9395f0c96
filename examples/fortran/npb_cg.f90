! NPB CG in Fortran 2008 coarrays: the smallest eigenvalue of a sparse symmetric
! matrix by inverse power iteration, each step solved by 25 steps of conjugate
! gradients. Written from the NAS Parallel Benchmarks specification.
!
! Usage:  npb_cg [S|W|A|B]      (default A; any power-of-two number of images)
!
! The images form a grid of rows x cols. The matrix is cut in blocks along the
! grid; vectors are cut along the columns and repeated in each row of the grid.
! A product w = A p is a local product, a sum over the images of the grid row,
! and an exchange with the transposed image that turns the result, cut along the
! rows, back into one cut along the columns.
!
! npb_cg_teams.f90 is the same benchmark with sums by teams of images.
!
! Not with gfortran 15 and later: puts to module variables in module procedures crash the compiler.

include 'npb_cg/problem.f90'
include 'npb_cg/random.f90'
include 'npb_cg/matrix.f90'
include 'npb_cg/grid.f90'
include 'npb_cg/solver.f90'
include 'npb_cg/benchmark.f90'
include 'npb_cg/exchange.f90'
include 'npb_cg/pairs.f90'

program npb_cg
  use cg_problem, only: problem
  use cg_pairs, only: pair_solver
  use cg_benchmark, only: choose_problem, run_benchmark
  implicit none (type, external)
  type(problem) :: prob
  type(pair_solver) :: cg

  call choose_problem('npb_cg', prob)
  call run_benchmark(cg, prob)
end program npb_cg
