/* Rows of one-sided communication, in one passive epoch (lock_all) on a window from
 * MPI_Win_allocate: the fastest path of both MPIs on one host. */
#include "mpi_bench.h"
#include "mpi_timing.h"

#include <mpi.h>
#include <stddef.h>

#define SIDE 1000
#define THINNED (SIDE / 2)
#define TILE 100
#define ALLOCATED_WORDS 1000
#define PLANE_ROWS 1024

static const int rungs[] = {8, 64, 512, 1024, 4096, 32768, 262144, 1048576, 8388608, 67108864};

/* Rows and columns of the tiles of a plane; columns are contiguous, as in the Fortran program. */
static const int tiles[][2] = {{32, 16}, {64, 64}, {256, 128}, {512, 256}};

static MPI_Win window;
static double *far_memory;
/* Words of the current row. */
static int words;
/* The current strided row: its layout in the window and its displacement. */
static MPI_Datatype layout;
static MPI_Aint layout_at;

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

/* Rank 0's time, while a fifth of the ranks do the same. */
static void fetch_and_add_fifth(int n)
{
    int others = ranks / 5 > 1 ? ranks / 5 : 1;
    if (others > partner - 1)
        others = partner - 1;
    if (rank <= others) fetch_and_add(n, partner);
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

static void allocate_window(int n)
{
    for (int i = 0; i < n; i++) {
        double *memory;
        MPI_Win win;
        MPI_Win_allocate(ALLOCATED_WORDS * WORD, WORD, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
        MPI_Win_free(&win);
    }
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

static void run_transfers(void)
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
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        words = tiles[i][0] * tiles[i][1];
        layout_at = 20 * PLANE_ROWS + 10;
        MPI_Type_vector(tiles[i][1], tiles[i][0], PLANE_ROWS, MPI_DOUBLE, &layout);
        MPI_Type_commit(&layout);
        measure("put_tile", words * WORD, put_layout);
        MPI_Type_free(&layout);
    }
    run_strided("put_section", "get_section", 200 * SIDE + 100, TILE, TILE, SIDE);
}

static void run_atomics(void)
{
    measure("atomic_add", 4, accumulate);
    measure("atomic_fetch_add", 4, fetch_and_add_one);
    measure("atomic_fetch_add_fifth", 4, fetch_and_add_fifth);
    measure("atomic_cas", 4, compare_and_swap);
    measure("atomic_fetch_add_all", 4, fetch_and_add_all);
}

void run_one_sided(void)
{
    MPI_Win_allocate((MPI_Aint)LARGEST_WORDS * WORD, WORD, MPI_INFO_NULL, MPI_COMM_WORLD, &far_memory,
                     &window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    run_transfers();
    run_atomics();
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    measure("allocate", ALLOCATED_WORDS * WORD, allocate_window);
}
