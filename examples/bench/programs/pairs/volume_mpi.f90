!> The solver of volume_mesh.f90 with MPI: each exchange is a neighbourhood collective of a graph of ranks.
module volume_messages
  use mpi
  use pair_timing, only: computed, dp, images, now
  use volume_mesh, only: compute, counts, give, own, starts, u
  implicit none

  logical :: has_graph = .false.
  integer :: graph
  !> The neighbours, and what is sent to and received from each.
  integer, allocatable :: neighbours(:), sent(:), sent_before(:), received(:), received_before(:), cells(:)

contains

  subroutine make_graph()
    integer :: error, j
    logical, parameter :: may_reorder = .false.

    neighbours = pack([(j, j=1, images)], counts > 0)
    received = counts(neighbours)
    received_before = starts(neighbours)
    sent = [(size(give(neighbours(j))%cells), j=1, size(neighbours))]
    sent_before = [(sum(sent(:j - 1)), j=1, size(neighbours))]
    cells = [(give(neighbours(j))%cells, j=1, size(neighbours))]
    call mpi_dist_graph_create_adjacent(mpi_comm_world, size(neighbours), neighbours - 1, mpi_unweighted, &
                                        size(neighbours), neighbours - 1, mpi_unweighted, mpi_info_null, &
                                        may_reorder, graph, error)
    has_graph = .true.
  end subroutine make_graph

  subroutine do_steps(n)
    integer, intent(in) :: n
    real(dp), allocatable :: values(:)
    integer(8) :: started
    integer :: i, error

    if (.not. has_graph) call make_graph()
    do i = 1, n
      values = u(cells)
      call mpi_neighbor_alltoallv(values, sent, sent_before, mpi_double_precision, u(own + 1), received, &
                                  received_before, mpi_double_precision, graph, error)
      started = now()
      call compute()
      call computed(started, now())
    end do
  end subroutine do_steps

end module volume_messages

program volume_mpi
  use pair_timing, only: end_pair, start_pair
  use volume_messages, only: do_steps
  use volume_mesh, only: measure_solver
  implicit none

  call start_pair()
  call measure_solver(do_steps)
  call end_pair()
end program volume_mpi
