/* Rows of collective operations on ordinary memory. */
#include "mpi_bench.h"
#include "mpi_timing.h"

#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

#define MIDDLE 1024

static const int elements[] = {1, 1024, 131072, 1048576};

/* Elements of the current row, and where they are. */
static int words;
static double *operand;
static MPI_Op user_sum;

static void allreduce_sum(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Allreduce(MPI_IN_PLACE, operand, words, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void allreduce_max(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Allreduce(MPI_IN_PLACE, operand, words, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void allreduce_user(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Allreduce(MPI_IN_PLACE, operand, words, MPI_DOUBLE, user_sum, MPI_COMM_WORLD);
}

static void reduce_to_one(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Reduce(rank == 0 ? MPI_IN_PLACE : operand, operand, words, MPI_DOUBLE, MPI_SUM, 0,
                   MPI_COMM_WORLD);
}

/* The barrier keeps a root that runs ahead of the others from looking fast. */
static void broadcast(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Bcast(operand, words, MPI_DOUBLE, 0, MPI_COMM_WORLD);
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

/* Takes an operand of so many elements, zeros, which sums in place leave finite. */
static void take(const char *name, int elements_wanted)
{
    free(operand);
    words = elements_wanted;
    operand = written(words, 0);
    check_written(name, words * WORD, operand, words);
}

/* Does the operation once more with the number of each rank; all words of the result must be `expected`. */
static void check(const char *name, row_body *body, double expected)
{
    fill(operand, words, rank + 1);
    body(1);
    for (int i = 0; i < words; i++)
        if (operand[i] != expected) {
            report_wrong(name, words * WORD);
            return;
        }
}

void run_collectives(void)
{
    double total = ranks * (ranks + 1) / 2;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        if (!selected("co_sum", elements[i] * WORD))
            continue;
        take("co_sum", elements[i]);
        measure("co_sum", words * WORD, allreduce_sum);
        check("co_sum", allreduce_sum, total);
    }
    take("co_sum_result", 1);
    measure("co_sum_result", WORD, reduce_to_one);
    measure("co_max", WORD, allreduce_max);
    take("co_reduce", MIDDLE);
    MPI_Op_create(add, 1, &user_sum);
    if (measure("co_reduce", MIDDLE * WORD, allreduce_user) > 0)
        check("co_reduce", allreduce_user, total);
    MPI_Op_free(&user_sum);
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        if (!selected("co_broadcast", elements[i] * WORD))
            continue;
        take("co_broadcast", elements[i]);
        measure("co_broadcast", words * WORD, broadcast);
        check("co_broadcast", broadcast, 1);
    }
    free(operand);
    operand = NULL;
}
