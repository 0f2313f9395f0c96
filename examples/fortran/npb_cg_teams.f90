! NPB CG with Fortran 2018 teams: what npb_cg.f90 is, but the images of each row
! of the grid are a team, and the sums over a grid row are CO_SUM in that team.
!
! Usage:  npb_cg_teams [S|W|A|B] [steps|sums]      (default: A steps)
!
!   steps   each step of the power iteration is in the row team; the exchange with
!           the transposed image is coindexed in the team of all images
!   sums    the row team is entered and left around every sum
!
! The forms are those of: Ge, Eachempati, Khaldi, Chapman: An Evaluation of
! Anticipated Extensions for Fortran Coarrays, PGAS 2015, section V.D, which
! measured `sums` and proposes `steps`.
!
! Not with gfortran 15 and later: puts to module variables in module procedures crash the compiler.

include 'npb_cg/problem.f90'
include 'npb_cg/random.f90'
include 'npb_cg/matrix.f90'
include 'npb_cg/grid.f90'
include 'npb_cg/solver.f90'
include 'npb_cg/benchmark.f90'
include 'npb_cg/exchange.f90'
include 'npb_cg/teams.f90'

program npb_cg_teams
  use, intrinsic :: iso_fortran_env, only: team_type
  use cg_problem, only: problem
  use cg_teams, only: row_solver, visit_solver, all_images
  use cg_benchmark, only: choose_problem, run_benchmark, refuse
  implicit none (type, external)
  type(problem) :: prob
  type(row_solver) :: in_row
  type(visit_solver) :: visiting
  character(len=16) :: form

  call choose_problem('npb_cg_teams', prob)
  form = 'steps'
  if (command_argument_count() > 1) call get_command_argument(2, form)
  select case (form)
  case ('steps')
    form team (1, all_images)
    change team (all_images)
      call run_benchmark(in_row, prob)
    end team
  case ('sums')
    call run_benchmark(visiting, prob)
  case default
    call refuse('npb_cg_teams: form "'//trim(form)//'" is not one of steps, sums')
  end select
end program npb_cg_teams
