/* Rows of one-sided communication, in one passive epoch (lock_all) on a window from
 * MPI_Win_allocate: the fastest path of both MPIs on one host. */
#include "mpi_bench.h"
#include "mpi_timing.h"

#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

#define SIDE 1000
#define THINNED (SIDE / 2)
#define TILE 100
#define ALLOCATED_WORDS 1000
#define PLANE_ROWS 1024
#define PLANE_COLUMNS 300

static const int rungs[] = {8, 64, 512, 1024, 4096, 32768, 262144, 1048576, 8388608, 67108864};

/* Rows and columns of the tiles of a plane; columns are contiguous, as in the Fortran program. */
static const int tiles[][2] = {{32, 16}, {64, 64}, {256, 128}, {512, 256}};

static MPI_Win window;
static double *far_memory;
/* Words of the current row, and where they are on this side. */
static int words;
static double *near_memory;
/* The current strided row: its layout in the window and its displacement. */
static MPI_Datatype layout;
static MPI_Aint layout_at;

/* Another number in each put, as in the Fortran program. */
static void put_word(int n)
{
    if (rank != 0) return;
    for (int i = 0; i < n; i++) {
        near_memory[0] = i + 1;
        MPI_Put(near_memory, 1, MPI_DOUBLE, partner, 0, 1, MPI_DOUBLE, window);
    }
    MPI_Win_flush(partner, window);
}

static void put_word_flush(int n)
{
    if (rank != 0) return;
    for (int i = 0; i < n; i++) {
        near_memory[0] = i + 1;
        MPI_Put(near_memory, 1, MPI_DOUBLE, partner, 0, 1, MPI_DOUBLE, window);
        MPI_Win_flush(partner, window);
    }
}

/* The same array in each put, as in the Fortran program: an array whose first word has just been stored is read more
 * slowly. */
static void put_block(int n)
{
    if (rank != 0) return;
    for (int i = 0; i < n; i++)
        MPI_Put(near_memory, words, MPI_DOUBLE, partner, 0, words, MPI_DOUBLE, window);
    MPI_Win_flush(partner, window);
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

/* Takes local memory for the current row, as the Fortran program does, and gives the first `far_words` words of the
 * window values of its owner. */
static double *begin_row(const char *name, double near_value, int far_words, double far_value)
{
    double *allocation = written(PAGE_WORDS + words, near_value);
    near_memory = half_a_page_beside(allocation, far_memory);
    fill(far_memory, far_words, far_value);
    check_written(name, words * WORD, near_memory, words);
    check_written(name, words * WORD, far_memory, far_words);
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    return allocation;
}

/* Reports a row if `count` words of `memory` are not all `expected`. */
static void check_words(const char *name, const double *memory, int count, double expected)
{
    for (int i = 0; i < count; i++)
        if (memory[i] != expected) {
            report_wrong(name, words * WORD);
            return;
        }
}

/* Measures a put of a word; the last number must have arrived. */
static void measure_word(const char *name, row_body *body)
{
    double *allocation = begin_row(name, 1, 1, 0);
    int last = measure(name, WORD, body);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    if (rank == partner && last > 0)
        check_words(name, far_memory, 1, last);
    MPI_Barrier(MPI_COMM_WORLD);
    free(allocation);
}

/* Measures a put of an array; all of it must have arrived. */
static void measure_put(const char *name)
{
    double *allocation;
    if (!selected(name, words * WORD)) return;
    allocation = begin_row(name, words, words, 0);
    measure(name, words * WORD, put_block);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    if (rank == partner)
        check_words(name, far_memory, words, words);
    MPI_Barrier(MPI_COMM_WORLD);
    free(allocation);
}

/* Measures a get; all words must be the partner's. */
static void measure_get(const char *name)
{
    double *allocation;
    if (!selected(name, words * WORD)) return;
    allocation = begin_row(name, -1, words, rank);
    measure(name, words * WORD, get_flush);
    if (rank == 0)
        check_words(name, near_memory, words, partner);
    free(allocation);
}

/* Measures a put with the current layout; exactly the words of the row must have arrived. */
static void measure_layout_put(const char *name, int plane_words)
{
    double *allocation, sum = 0;
    if (!selected(name, words * WORD)) return;
    allocation = begin_row(name, 7, plane_words, 0);
    measure(name, words * WORD, put_layout);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    for (int i = 0; i < plane_words; i++)
        sum += far_memory[i];
    if (rank == partner && sum != 7.0 * words)
        report_wrong(name, words * WORD);
    MPI_Barrier(MPI_COMM_WORLD);
    free(allocation);
}

static void measure_layout_get(const char *name, int plane_words)
{
    double *allocation;
    if (!selected(name, words * WORD)) return;
    allocation = begin_row(name, -1, plane_words, rank);
    measure(name, words * WORD, get_layout);
    if (rank == 0)
        check_words(name, near_memory, words, partner);
    free(allocation);
}

static void run_strided(const char *put_name, const char *get_name, MPI_Aint at, int blocks,
                        int block_words, int stride)
{
    words = blocks * block_words;
    layout_at = at;
    MPI_Type_vector(blocks, block_words, stride, MPI_DOUBLE, &layout);
    MPI_Type_commit(&layout);
    measure_layout_put(put_name, SIDE * SIDE);
    measure_layout_get(get_name, SIDE * SIDE);
    MPI_Type_free(&layout);
}

static void run_transfers(void)
{
    words = 1;
    measure_word("put8", put_word);
    measure_word("put8_sync", put_word_flush);
    measure_get("get8");
    for (size_t i = 0; i < sizeof rungs / sizeof *rungs; i++) {
        words = rungs[i] / WORD;
        measure_put("put");
        measure_get("get");
    }
    /* Columns are contiguous, as in the Fortran program. */
    run_strided("put_every2", "get_every2", 6 * SIDE, THINNED, 1, 2);
    run_strided("put_row", "get_row", 6, SIDE, 1, SIDE);
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        words = tiles[i][0] * tiles[i][1];
        layout_at = 20 * PLANE_ROWS + 10;
        MPI_Type_vector(tiles[i][1], tiles[i][0], PLANE_ROWS, MPI_DOUBLE, &layout);
        MPI_Type_commit(&layout);
        measure_layout_put("put_tile", PLANE_ROWS * PLANE_COLUMNS);
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
