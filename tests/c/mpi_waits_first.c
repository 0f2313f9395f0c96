/* The first image puts to the others and tells them by messages of MPI, for which they wait before they do anything with
   coarrays. Procedures of fortran/control/put_at_once.f90. */
#include <mpi.h>
#include <stdio.h>

void put_to(int image, int value);
int own_value(void);

int main(int argc, char **argv)
{
    int rank, size, other, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (other = 1; other < size; other++) {
            put_to(other + 1, 10 * other);
            MPI_Send(&other, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
        }
    } else {
        MPI_Recv(&other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong = own_value() != 10 * other;
        if (wrong)
            fprintf(stderr, "image %d: a put was lost\n", rank + 1);
    }
    MPI_Finalize();
    return wrong;
}
