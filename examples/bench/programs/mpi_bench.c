/* The rows of the coarray benchmark that MPI has too, written as an MPI programmer would.
 *
 * One-sided rows use a window from MPI_Win_allocate in one passive epoch (lock_all), the fastest
 * path of both MPIs on one host. Ping-pongs are messages: MPI's own idiom for data with a signal. */
#include "mpi_timing.h"

#include <mpi.h>
#include <stdlib.h>

#define WORD 8
/* Words of the window: the largest rung, 64 MiB. */
#define LARGEST_WORDS (67108864 / WORD)
#define SIDE 1000
#define THINNED (SIDE / 2)
#define TILE 100
#define ALLOCATED_WORDS 1000
#define MIDDLE 1024
/* Where the local memory starts in its allocation: see `skip` in caf_bandwidth.f90. */
#define SKIP 256

static const int rungs[] = {8, 64, 512, 4096, 32768, 262144, 1048576, 8388608, 67108864};
static const int elements[] = {1, 1024, 131072, 1048576};

static MPI_Win window;
static double *far_memory, *near_allocation, *near_memory;
/* Words, or elements, of the current row. */
static int words;
/* The current strided row: its layout in the window and its displacement. */
static MPI_Datatype layout;
static MPI_Aint layout_at;
static MPI_Op user_sum;

static void put_stream(int n)
{
    if (rank != 0) return;
    for (int i = 0; i < n; i++) {
        near_memory[0] = i + 1;
        MPI_Put(near_memory, words, MPI_DOUBLE, partner, 0, words, MPI_DOUBLE, window);
    }
    MPI_Win_flush(partner, window);
}

static void put_flush(int n)
{
    if (rank != 0) return;
    for (int i = 0; i < n; i++) {
        near_memory[0] = i + 1;
        MPI_Put(near_memory, words, MPI_DOUBLE, partner, 0, words, MPI_DOUBLE, window);
        MPI_Win_flush(partner, window);
    }
}

static void get_flush(int n)
{
    if (rank != 0) return;
    for (int i = 0; i < n; i++) {
        MPI_Get(near_memory, words, MPI_DOUBLE, partner, 0, words, MPI_DOUBLE, window);
        MPI_Win_flush(partner, window);
    }
}

static void put_layout(int n)
{
    if (rank != 0) return;
    for (int i = 0; i < n; i++)
        MPI_Put(near_memory, words, MPI_DOUBLE, partner, layout_at, 1, layout, window);
    MPI_Win_flush(partner, window);
}

static void get_layout(int n)
{
    if (rank != 0) return;
    for (int i = 0; i < n; i++) {
        MPI_Get(near_memory, words, MPI_DOUBLE, partner, layout_at, 1, layout, window);
        MPI_Win_flush(partner, window);
    }
}

static void message_pingpong(int n)
{
    if (rank > 1) return;
    for (int i = 0; i < n; i++) {
        if (rank == 0) {
            MPI_Send(near_memory, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(near_memory, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(near_memory, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(near_memory, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        }
    }
}

static void send_eight(int target)
{
    MPI_Request requests[8];
    MPI_Status statuses[8];
    for (int i = 0; i < 8; i++)
        MPI_Isend(near_memory + i, 1, MPI_DOUBLE, target, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(8, requests, statuses);
}

static void receive_eight(int source)
{
    MPI_Request requests[8];
    MPI_Status statuses[8];
    for (int i = 0; i < 8; i++)
        MPI_Irecv(near_memory + i, 1, MPI_DOUBLE, source, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(8, requests, statuses);
}

static void message_pingpong_eight(int n)
{
    if (rank > 1) return;
    for (int i = 0; i < n; i++) {
        if (rank == 0) {
            send_eight(1);
            receive_eight(1);
        } else {
            receive_eight(0);
            send_eight(0);
        }
    }
}

static void barrier(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Barrier(MPI_COMM_WORLD);
}

/* An empty message in both directions between ranks 0 and 1, 2 and 3 ... */
static void pairs(int n)
{
    int other = rank ^ 1;
    if (other >= ranks) return;
    for (int i = 0; i < n; i++)
        MPI_Sendrecv(NULL, 0, MPI_BYTE, other, 0, NULL, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

static void accumulate(int n)
{
    const int one = 1;
    if (rank != 0) return;
    for (int i = 0; i < n; i++) {
        MPI_Accumulate(&one, 1, MPI_INT, partner, 0, 1, MPI_INT, MPI_SUM, window);
        MPI_Win_flush(partner, window);
    }
}

static void fetch_and_add(int n, int target)
{
    const int one = 1;
    int old;
    for (int i = 0; i < n; i++) {
        MPI_Fetch_and_op(&one, &old, MPI_INT, target, 0, MPI_SUM, window);
        MPI_Win_flush(target, window);
    }
}

static void fetch_and_add_one(int n)
{
    if (rank == 0) fetch_and_add(n, partner);
}

static void fetch_and_add_all(int n)
{
    fetch_and_add(n, 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void compare_and_swap(int n)
{
    int old;
    if (rank != 0) return;
    for (int i = 0; i < n; i++) {
        MPI_Compare_and_swap(&i, &i, &old, MPI_INT, partner, 0, window);
        MPI_Win_flush(partner, window);
    }
}

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

static void allocate_window(int n)
{
    for (int i = 0; i < n; i++) {
        double *memory;
        MPI_Win win;
        MPI_Win_allocate(ALLOCATED_WORDS * WORD, WORD, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
        MPI_Win_free(&win);
    }
}

static void add(void *from, void *into, int *length, MPI_Datatype *type)
{
    const double *a = from;
    double *b = into;
    (void)type;
    for (int i = 0; i < *length; i++)
        b[i] += a[i];
}

/* Measures a put row; the first word of the last put must have arrived. */
static void measure_put(const char *name, row_body *body)
{
    int last = measure(name, words * WORD, body);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    if (rank == partner && last > 0 && far_memory[0] != last)
        report_wrong(name, words * WORD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Measures a get row; the last word must be the partner's. */
static void measure_get(const char *name, row_body *body)
{
    int last;
    far_memory[words - 1] = rank;
    near_memory[words - 1] = -1;
    MPI_Win_sync(window);
    last = measure(name, words * WORD, body);
    if (rank == 0 && last > 0 && near_memory[words - 1] != partner)
        report_wrong(name, words * WORD);
}

static void run_strided(const char *put_name, const char *get_name, MPI_Aint at, int blocks,
                        int block_words, int stride)
{
    words = blocks * block_words;
    layout_at = at;
    MPI_Type_vector(blocks, block_words, stride, MPI_DOUBLE, &layout);
    MPI_Type_commit(&layout);
    measure(put_name, words * WORD, put_layout);
    measure(get_name, words * WORD, get_layout);
    MPI_Type_free(&layout);
}

static void run_one_sided(void)
{
    words = 1;
    measure_put("put8", put_stream);
    measure_put("put8_sync", put_flush);
    measure_get("get8", get_flush);
    for (size_t i = 0; i < sizeof rungs / sizeof *rungs; i++) {
        words = rungs[i] / WORD;
        measure_put("put", put_stream);
        measure_get("get", get_flush);
    }
    /* Columns are contiguous, as in the Fortran program. */
    run_strided("put_every2", "get_every2", 6 * SIDE, THINNED, 1, 2);
    run_strided("put_row", "get_row", 6, SIDE, 1, SIDE);
    run_strided("put_section", "get_section", 200 * SIDE + 100, TILE, TILE, SIDE);
}

static void run_atomics(void)
{
    measure("atomic_add", 4, accumulate);
    measure("atomic_fetch_add", 4, fetch_and_add_one);
    measure("atomic_cas", 4, compare_and_swap);
    measure("atomic_fetch_add_all", 4, fetch_and_add_all);
}

/* Fills the current number of words of the local memory. */
static void fill(double value)
{
    for (int i = 0; i < words; i++)
        near_memory[i] = value;
}

static void run_collectives(void)
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

int main(int argc, char **argv)
{
    start_timing(&argc, &argv);
    near_allocation = calloc(LARGEST_WORDS + SKIP, WORD);
    near_memory = near_allocation + SKIP;
    MPI_Win_allocate((MPI_Aint)LARGEST_WORDS * WORD, WORD, MPI_INFO_NULL, MPI_COMM_WORLD, &far_memory,
                     &window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    run_one_sided();
    measure("pingpong", WORD, message_pingpong);
    measure("pingpong_eight", WORD, message_pingpong_eight);
    measure("sync_all", 0, barrier);
    measure("sync_images_pair", 0, pairs);
    run_atomics();
    run_collectives();
    measure("allocate", ALLOCATED_WORDS * WORD, allocate_window);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    free(near_allocation);
    finish_timing();
    return 0;
}
