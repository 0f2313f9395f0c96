/* What the program mixed.f90 does by MPI itself. MPI is there because XMP-RT has started it. */
#include <mpi.h>

int mpi_rank(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int mpi_sum(int value, int images)
{
    int size, sum;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != images)
        return -1;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int mpi_left(void)
{
    int rank, size, got;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return got;
}
