/* What a Fortran program compiled with -fcoarray=lib needs to start, to know who it is and to end, over MPI and
 * nothing else: no coarrays. For programs that share parts with coarray programs and communicate by MPI. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void _gfortran_caf_init(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
}

void _gfortran_caf_finalize(void)
{
    MPI_Finalize();
}

int _gfortran_caf_this_image(int distance)
{
    int rank;
    (void)distance;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank + 1;
}

int _gfortran_caf_num_images(int distance, int failed)
{
    int ranks;
    (void)distance;
    (void)failed;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

void _gfortran_caf_sync_all(int *stat, char *message, size_t length)
{
    (void)stat;
    (void)message;
    (void)length;
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Of one double only: the descriptor of gfortran begins with the address of the data. */
void _gfortran_caf_co_max(void *descriptor, int result_image, int *stat, char *message, int width, size_t length)
{
    double *value = *(double **)descriptor;
    (void)result_image;
    (void)stat;
    (void)message;
    (void)width;
    (void)length;
    MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

void _gfortran_caf_error_stop(int code, _Bool quiet)
{
    (void)quiet;
    MPI_Abort(MPI_COMM_WORLD, code);
    exit(code);
}

void _gfortran_caf_error_stop_str(const char *text, size_t length, _Bool quiet)
{
    if (!quiet)
        fprintf(stderr, "ERROR STOP %.*s\n", (int)length, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}
