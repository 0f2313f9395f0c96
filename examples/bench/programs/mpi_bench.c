/* The rows of the coarray benchmark that MPI has too, written as an MPI programmer would. */
#include "mpi_bench.h"
#include "mpi_timing.h"

int main(int argc, char **argv)
{
    start_timing(argc, argv);
    run_one_sided();
    run_messages();
    run_collectives();
    finish_timing();
    return 0;
}
