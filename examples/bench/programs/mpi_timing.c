/* See mpi_timing.h; the rules of the timing are explained in caf_timing.f90. */
#include "mpi_timing.h"
#include "parts.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define LARGEST_COUNT (1 << 29)
#define CACHE_LINE 64
/* Page faults that other threads of an MPI, or the first call of a function, may cause meanwhile. */
#define FAULTS_OF_OTHERS 4

int rank, ranks, partner;

static const char *wanted = "all";
static double least_seconds = 0.020;

void start_timing(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    partner = 1;
    if (argc > 1)
        wanted = argv[1];
    if (argc > 2)
        least_seconds = 1e-3 * atoi(argv[2]);
    if (argc > 3)
        partner = atoi(argv[3]) - 1;
    if (ranks < 2 || least_seconds <= 0 || partner < 1 || partner >= ranks) {
        fprintf(stderr, "mpi_bench: needs at least 2 ranks, a positive number of milliseconds, and a "
                        "partner from image 2 on\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

int selected(const char *name, int bytes)
{
    char with_size[64];
    const char *item = wanted;
    if (strcmp(wanted, "all") == 0)
        return 1;
    snprintf(with_size, sizeof with_size, "%s:%d", name, bytes);
    for (;;) {
        size_t length = strcspn(item, ",");
        if ((length == strlen(name) && strncmp(item, name, length) == 0) ||
            (length == strlen(with_size) && strncmp(item, with_size, length) == 0))
            return 1;
        if (item[length] == '\0')
            return 0;
        item += length + 1;
    }
}

int measure(const char *name, int bytes, row_body *body)
{
    return measure_at_most(name, bytes, body, LARGEST_COUNT);
}

int measure_at_most(const char *name, int bytes, row_body *body, int most)
{
    struct parts parts = {0};
    int n = 1, last = 0;
    if (!selected(name, bytes))
        return 0;
    if (rank == 0) {
        printf("begin,%s,%d\n", name, bytes);
        fflush(stdout);
    }
    while (n > 0) {
        double started, seconds;
        MPI_Barrier(MPI_COMM_WORLD);
        started = MPI_Wtime();
        body(n);
        seconds = MPI_Wtime() - started;
        last = n;
        if (rank == 0)
            n = next_count(&parts, n, seconds, least_seconds, most);
        MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        print_parts(&parts, name, bytes);
    return last;
}

void report_wrong(const char *name, int bytes)
{
    printf("wrong,%s,%d\n", name, bytes);
    fflush(stdout);
}

double *written(size_t words, double value)
{
    double *memory = malloc(words * sizeof *memory);
    if (memory == NULL) {
        fprintf(stderr, "no memory for an operand of %zu words\n", words);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    fill(memory, words, value);
    return memory;
}

double *half_a_page_beside(double *memory, const double *other)
{
    const uintptr_t page = PAGE_WORDS * sizeof *memory;
    uintptr_t wanted = (uintptr_t)other / CACHE_LINE * CACHE_LINE + page / 2;
    return memory + (wanted - (uintptr_t)memory) % page / sizeof *memory;
}

void fill(double *memory, size_t words, double value)
{
    for (size_t i = 0; i < words; i++)
        memory[i] = value;
}

/* Page faults of this process that needed no input. */
static long faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

void check_written(const char *name, int bytes, double *operand, size_t words)
{
    volatile double *word = operand;
    long before;
    if (!selected(name, bytes))
        return;
    /* The first write to a page of memory, or to the page of zeros in its place, is a fault. */
    before = faults();
    for (size_t i = 0; i < words; i += PAGE_WORDS)
        word[i] = word[i];
    word[words - 1] = word[words - 1];
    if (faults() - before > FAULTS_OF_OTHERS) {
        printf("unwritten,%s,%d\n", name, bytes);
        fflush(stdout);
    }
}

void finish_timing(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("end\n");
        fflush(stdout);
    }
    MPI_Finalize();
}
