/* The rows of the coarray benchmark that MPI has too, written as an MPI programmer would. */
#include "mpi_bench.h"
#include "mpi_timing.h"

#include <stdlib.h>

/* Where the local memory starts in its allocation: see `skip` in caf_bandwidth.f90. */
#define SKIP 256

double *near_memory;

int main(int argc, char **argv)
{
    double *allocation;
    start_timing(&argc, &argv);
    allocation = calloc(LARGEST_WORDS + SKIP, WORD);
    if (allocation == NULL)
        return 1;
    near_memory = allocation + SKIP;
    run_one_sided();
    run_messages();
    run_collectives();
    free(allocation);
    finish_timing();
    return 0;
}
