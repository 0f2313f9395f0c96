/* Rows of collective operations on ordinary memory. */
#include "mpi_bench.h"
#include "mpi_timing.h"

#include <mpi.h>
#include <stddef.h>

#define MIDDLE 1024

static const int elements[] = {1, 1024, 131072, 1048576};

/* Elements of the current row. */
static int words;
static MPI_Op user_sum;

static void allreduce_sum(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Allreduce(MPI_IN_PLACE, near_memory, words, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void allreduce_max(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Allreduce(MPI_IN_PLACE, near_memory, words, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void allreduce_user(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Allreduce(MPI_IN_PLACE, near_memory, words, MPI_DOUBLE, user_sum, MPI_COMM_WORLD);
}

static void reduce_to_one(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Reduce(rank == 0 ? MPI_IN_PLACE : near_memory, near_memory, words, MPI_DOUBLE, MPI_SUM, 0,
                   MPI_COMM_WORLD);
}

/* The barrier keeps a root that runs ahead of the others from looking fast. */
static void broadcast(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Bcast(near_memory, words, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void add(void *from, void *into, int *length, MPI_Datatype *type)
{
    const double *a = from;
    double *b = into;
    (void)type;
    for (int i = 0; i < *length; i++)
        b[i] += a[i];
}

/* Fills the current number of words of the local memory. */
static void fill(double value)
{
    for (int i = 0; i < words; i++)
        near_memory[i] = value;
}

void run_collectives(void)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        words = elements[i];
        fill(0);
        if (measure("co_sum", words * WORD, allreduce_sum) > 0) {
            fill(rank + 1);
            allreduce_sum(1);
            if (near_memory[words - 1] != ranks * (ranks + 1) / 2)
                report_wrong("co_sum", words * WORD);
        }
    }
    fill(0);
    words = 1;
    measure("co_sum_result", WORD, reduce_to_one);
    measure("co_max", WORD, allreduce_max);
    words = MIDDLE;
    fill(0);
    MPI_Op_create(add, 1, &user_sum);
    measure("co_reduce", MIDDLE * WORD, allreduce_user);
    MPI_Op_free(&user_sum);
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        words = elements[i];
        if (measure("co_broadcast", words * WORD, broadcast) > 0) {
            fill(rank + 1);
            broadcast(1);
            if (near_memory[words - 1] != 1)
                report_wrong("co_broadcast", words * WORD);
        }
    }
}
