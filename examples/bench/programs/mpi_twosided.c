/* The rows of the one-sided operations as an MPI programmer writes them with messages: the other side takes part. What
 * rank 0 sends is acknowledged at the end of a batch (of each message in `put8_sync`); a get and an atomic operation
 * are a question and its answer. */
#include "mpi_bench.h"
#include "mpi_timing.h"

#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

#define PLANE_ROWS 1024
#define PLANE_COLUMNS 300

static const int rungs[] = {8, 1048576, 8388608};
static const int tiles[][2] = {{32, 16}, {64, 64}, {256, 128}, {512, 256}};

/* What is put to and got from at the partner. */
static double *far_memory;
/* Words of the current row, and where they are on this side. */
static int words;
static double *near_memory;
static MPI_Datatype layout;

static void acknowledge(void)
{
    if (rank == 0)
        MPI_Recv(NULL, 0, MPI_BYTE, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (rank == partner)
        MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
}

static void put_one(void)
{
    if (rank == 0) {
        MPI_Send(near_memory, words, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD);
    } else if (rank == partner) {
        MPI_Recv(far_memory, words, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void put_stream(int n)
{
    for (int i = 0; i < n; i++)
        put_one();
    acknowledge();
}

static void put_acknowledged(int n)
{
    for (int i = 0; i < n; i++) {
        put_one();
        acknowledge();
    }
}

static void get(int n)
{
    for (int i = 0; i < n; i++) {
        if (rank == 0) {
            MPI_Send(NULL, 0, MPI_BYTE, partner, 0, MPI_COMM_WORLD);
            MPI_Recv(near_memory, words, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == partner) {
            MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(far_memory, words, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        }
    }
}

static void put_tile(int n)
{
    for (int i = 0; i < n; i++) {
        if (rank == 0)
            MPI_Send(near_memory, words, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD);
        else if (rank == partner)
            MPI_Recv(far_memory + 20 * PLANE_ROWS + 10, 1, layout, 0, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    acknowledge();
}

static void fetch_and_add(int n)
{
    static int counter;
    int value = 1;
    for (int i = 0; i < n; i++) {
        if (rank == 0) {
            MPI_Send(&value, 1, MPI_INT, partner, 0, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            value = 1;
        } else if (rank == partner) {
            int old = counter;
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            counter += value;
            MPI_Send(&old, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    }
}

/* Takes memory of both sides for the current row: as the Fortran program does, all of it written. */
static double *begin_row(const char *name, double near_value, int far_words, double far_value)
{
    double *allocation = written(PAGE_WORDS + words, near_value);
    far_memory = written(far_words, far_value);
    near_memory = half_a_page_beside(allocation, far_memory);
    check_written(name, words * WORD, near_memory, words);
    check_written(name, words * WORD, far_memory, far_words);
    return allocation;
}

/* Measures a row of so many words and checks the sum of the memory that it wrote: `far_memory` of a put, at the partner,
 * or `near_memory` of a get, at rank 0. */
static void measure_transfer(const char *name, row_body *body, int far_words, int is_get)
{
    double *allocation, sum = 0;
    if (!selected(name, words * WORD))
        return;
    allocation = is_get ? begin_row(name, -1, far_words, rank) : begin_row(name, 7, far_words, 0);
    measure(name, words * WORD, body);
    for (int i = 0; i < (is_get ? words : far_words); i++)
        sum += is_get ? near_memory[i] : far_memory[i];
    if (rank == (is_get ? 0 : partner) && sum != (is_get ? partner : 7.0) * words)
        report_wrong(name, words * WORD);
    free(far_memory);
    free(allocation);
}

static void run_transfers(void)
{
    words = 1;
    measure_transfer("put8", put_stream, words, 0);
    measure_transfer("put8_sync", put_acknowledged, words, 0);
    measure_transfer("get8", get, words, 1);
    for (size_t i = 0; i < sizeof rungs / sizeof *rungs; i++) {
        words = rungs[i] / WORD;
        measure_transfer("put", put_stream, words, 0);
        measure_transfer("get", get, words, 1);
    }
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        words = tiles[i][0] * tiles[i][1];
        MPI_Type_vector(tiles[i][1], tiles[i][0], PLANE_ROWS, MPI_DOUBLE, &layout);
        MPI_Type_commit(&layout);
        measure_transfer("put_tile", put_tile, PLANE_ROWS * PLANE_COLUMNS, 0);
        MPI_Type_free(&layout);
    }
    measure("atomic_fetch_add", 4, fetch_and_add);
}

int main(int argc, char **argv)
{
    start_timing(argc, argv);
    run_transfers();
    run_messages();
    run_collectives();
    finish_timing();
    return 0;
}
