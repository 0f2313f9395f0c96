!> Halo exchange of an unstructured mesh with MPI: a neighbourhood collective of a graph of ranks, which is the one form for
!> the four rows of coarrays.
module halo_messages
  use halo_mesh, only: chunk, give, halo, neighbours, own
  use mpi
  implicit none

  integer :: graph
  integer, allocatable :: counts(:), before(:)

contains

  subroutine make_graph()
    integer :: error, j
    logical, parameter :: may_reorder = .false.

    call mpi_dist_graph_create_adjacent(mpi_comm_world, size(neighbours), neighbours - 1, mpi_unweighted, &
                                        size(neighbours), neighbours - 1, mpi_unweighted, mpi_info_null, &
                                        may_reorder, graph, error)
    counts = [(chunk, j=1, size(neighbours))]
    before = [(chunk*(j - 1), j=1, size(neighbours))]
  end subroutine make_graph

  subroutine exchange(n)
    integer, intent(in) :: n
    integer, allocatable :: mine(:)
    integer :: i, error

    do i = 1, n
      mine = own(give)
      call mpi_neighbor_alltoallv(mine, counts, before, mpi_integer, halo, counts, before, mpi_integer, graph, error)
    end do
  end subroutine exchange

end module halo_messages

program halo_mpi
  use halo_mesh, only: chunks, make_mesh, measure_form
  use halo_messages
  use pair_timing, only: end_pair, start_pair
  implicit none
  integer :: i, error

  call start_pair()
  do i = 1, size(chunks)
    call make_mesh(chunks(i))
    call make_graph()
    call measure_form('halo_read_elements', exchange)
    call measure_form('halo_read_blocks', exchange)
    call measure_form('halo_write_elements', exchange)
    call measure_form('halo_write_blocks', exchange)
    call mpi_comm_free(graph, error)
  end do
  call end_pair()
end program halo_mpi
