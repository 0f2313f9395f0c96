/* The rows of the one-sided operations as an MPI programmer writes them with messages: the other side takes part. What
 * rank 0 sends is acknowledged at the end of a batch (of each message in `put8_sync`); a get and an atomic operation
 * are a question and its answer. */
#include "mpi_bench.h"
#include "mpi_timing.h"

#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

#define SKIP 256
#define PLANE_ROWS 1024
#define PLANE_COLUMNS 300

double *near_memory;

static const int rungs[] = {8, 1048576};
static const int tiles[][2] = {{32, 16}, {64, 64}, {256, 128}, {512, 256}};

static double *far_memory;
/* Words of the current row. */
static int words;
static MPI_Datatype layout;

static void acknowledge(void)
{
    if (rank == 0)
        MPI_Recv(NULL, 0, MPI_BYTE, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (rank == partner)
        MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
}

static void put_one(int i)
{
    if (rank == 0) {
        near_memory[0] = i + 1;
        MPI_Send(near_memory, words, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD);
    } else if (rank == partner) {
        MPI_Recv(far_memory, words, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void put_stream(int n)
{
    for (int i = 0; i < n; i++)
        put_one(i);
    acknowledge();
}

static void put_acknowledged(int n)
{
    for (int i = 0; i < n; i++) {
        put_one(i);
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

static void measure_put(const char *name, row_body *body)
{
    int last = measure(name, words * WORD, body);
    if (rank == partner && last > 0 && far_memory[0] != last)
        report_wrong(name, words * WORD);
}

static void measure_get(const char *name)
{
    int last;
    far_memory[words - 1] = rank;
    near_memory[words - 1] = -1;
    last = measure(name, words * WORD, get);
    if (rank == 0 && last > 0 && near_memory[words - 1] != partner)
        report_wrong(name, words * WORD);
}

static void run_transfers(void)
{
    words = 1;
    measure_put("put8", put_stream);
    measure_put("put8_sync", put_acknowledged);
    measure_get("get8");
    for (size_t i = 0; i < sizeof rungs / sizeof *rungs; i++) {
        words = rungs[i] / WORD;
        measure_put("put", put_stream);
        measure_get("get");
    }
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        words = tiles[i][0] * tiles[i][1];
        MPI_Type_vector(tiles[i][1], tiles[i][0], PLANE_ROWS, MPI_DOUBLE, &layout);
        MPI_Type_commit(&layout);
        measure("put_tile", words * WORD, put_tile);
        MPI_Type_free(&layout);
    }
    measure("atomic_fetch_add", 4, fetch_and_add);
}

int main(int argc, char **argv)
{
    double *allocation;
    start_timing(&argc, &argv);
    /* Where the local memory starts in its allocation: see `skip` in caf_bandwidth.f90. */
    allocation = calloc(LARGEST_WORDS + SKIP, WORD);
    far_memory = calloc(PLANE_ROWS * PLANE_COLUMNS, WORD);
    if (allocation == NULL || far_memory == NULL)
        return 1;
    near_memory = allocation + SKIP;
    run_transfers();
    run_messages();
    run_collectives();
    free(far_memory);
    free(allocation);
    finish_timing();
    return 0;
}
