// Memory that the program allocates for itself, in the hands of libraries, threads and forked processes.
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#define REQUIRE(condition)                                                     \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);    \
            exit(9);                                                           \
        }                                                                      \
    } while (0)

// Whether memory is in the region that the images share.
int is_reachable(const void *address)
{
    return (uintptr_t)address >> 45 == 1;
}

// Libraries resize and free what the program has allocated. `reachable`: whether that is in the segment.
void give_to_libraries(int reachable)
{
    size_t room = 2000;
    char *line = malloc(room);
    char text[8001];
    FILE *file;
    wordexp_t words = {0};
    REQUIRE(is_reachable(line) == reachable && malloc_usable_size(line) >= room);
    memset(text, 'x', 8000);
    text[8000] = 0;
    file = fmemopen(text, 8000, "r");
    REQUIRE(file && getline(&line, &room, file) == 8000 && strcmp(line, text) == 0);
    fclose(file);
    REQUIRE(is_reachable(line) == reachable);
    line = reallocarray(line, 3000, 4);
    REQUIRE(line && strcmp(line, text) == 0 && is_reachable(line) == reachable);
    volatile size_t too_many = SIZE_MAX / 2;
    REQUIRE(reallocarray(line, too_many, 4) == NULL);
    // Frees the list and its words.
    words.we_wordv = malloc(300 * sizeof(char *));
    words.we_wordc = 1;
    words.we_wordv[0] = line;
    words.we_wordv[1] = NULL;
    REQUIRE(is_reachable(words.we_wordv) == reachable);
    wordfree(&words);
    line = malloc(300);
    REQUIRE(is_reachable(line) == reachable);
    free(line);
    // Small memory that grows.
    line = malloc(10);
    REQUIRE(!is_reachable(line));
    strcpy(line, "012345678");
    line = realloc(line, 5000);
    REQUIRE(is_reachable(line) == reachable && strcmp(line, "012345678") == 0);
    line = realloc(line, 20);
    REQUIRE(!is_reachable(line) && strcmp(line, "012345678") == 0);
    free(line);
    line = realloc(NULL, 3000);
    REQUIRE(is_reachable(line) == reachable);
    free(realloc(line, 100000));
    free(NULL);
    for (size_t zeros = 1000; zeros < 2000000; zeros *= 11) {
        // In memory that was in use.
        char *volatile used = malloc(zeros + 24), *volatile cleared;
        memset(used, 1, zeros + 24);
        free(used);
        cleared = calloc(zeros / 8 + 3, 8);
        REQUIRE(is_reachable(cleared) == reachable);
        for (size_t at = 0; at < zeros / 8 * 8 + 24; at++)
            REQUIRE(cleared[at] == 0);
        free(cleared);
    }
    volatile size_t half = SIZE_MAX / 2;
    REQUIRE(calloc(half, 3) == NULL);
    REQUIRE(posix_memalign((void **)&line, 4096, 8000) == 0 && (uintptr_t)line % 4096 == 0);
    free(line);
}

enum { threads = 4, blocks = 500 };
static unsigned char *handed_over[threads][blocks];

static void *allocate_and_free(void *number)
{
    int me = (int)(intptr_t)number;
    for (int i = 0; i < blocks; i++) {
        size_t bytes = 1024 + 37 * i;
        unsigned char *block = malloc(bytes), *other;
        REQUIRE(block);
        memset(block, me + 1, bytes);
        // Of the thread before: it was freed by none, or is freed here.
        __atomic_exchange(&handed_over[me][i], &block, &block, __ATOMIC_ACQ_REL);
        other = NULL;
        __atomic_exchange(&handed_over[(me + 1) % threads][i], &other, &other, __ATOMIC_ACQ_REL);
        if (other) {
            REQUIRE(other[0] && other[0] == other[bytes - 1]);
            other = realloc(other, 2 * bytes);
            REQUIRE(other[0] == other[bytes - 1]);
        }
        free(other);
        free(block);
    }
    return NULL;
}

static pthread_t started[threads];

// Threads that allocate memory and free that of one another, while the program goes on.
void start_threads(void)
{
    for (intptr_t i = 0; i < threads; i++)
        REQUIRE(pthread_create(&started[i], NULL, allocate_and_free, (void *)i) == 0);
}

// They end; this one, too, frees what is left.
void end_threads(void)
{
    for (int i = 0; i < threads; i++)
        REQUIRE(pthread_join(started[i], NULL) == 0);
    for (int i = 0; i < threads; i++)
        for (int k = 0; k < blocks; k++) {
            free(handed_over[i][k]);
            handed_over[i][k] = NULL;
        }
}

// A forked process has a copy of what was in memory: neither sees what the other writes.
void check_fork(int *values, int count)
{
    int before[2], after[2], status;
    char byte = 0;
    pid_t child;
    REQUIRE(pipe(before) == 0 && pipe(after) == 0);
    child = fork();
    REQUIRE(child >= 0);
    close(after[child != 0]);
    close(before[child == 0]);
    if (child == 0) {
        // The image has changed all by now.
        if (read(before[0], &byte, 1) != 1)
            _exit(2);
        for (int i = 0; i < count; i++)
            if (values[i] != i)
                _exit(3);
        memset(values, 0xff, count * sizeof *values);
        if (write(after[1], &byte, 1) != 1)
            _exit(4);
        values = realloc(values, 2 * count * sizeof *values);
        free(values);
        free(malloc(5000));
        _exit(0);
    }
    for (int i = 0; i < count; i++)
        values[i] = 2 * i;
    REQUIRE(write(before[1], &byte, 1) == 1 && read(after[0], &byte, 1) == 1);
    for (int i = 0; i < count; i++)
        REQUIRE(values[i] == 2 * i);
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    REQUIRE(system("exit 3") == 3 << 8);
}

// A forked process that has no memory for a copy.
void fork_without_memory(void)
{
    long pages;
    int status;
    struct rlimit limit;
    FILE *sizes = fopen("/proc/self/statm", "r");
    pid_t child;
    REQUIRE(sizes && fscanf(sizes, "%ld", &pages) == 1);
    fclose(sizes);
    REQUIRE(getrlimit(RLIMIT_AS, &limit) == 0);
    limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
    child = fork();
    REQUIRE(child >= 0);
    if (child == 0)
        _exit(0);
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
}

// Whether memory is a part of core dumps: the flags of its mapping lack "dd".
int is_dumped(const void *address)
{
    char line[1000];
    int is_here = 0, is_dumped = -1;
    FILE *mappings = fopen("/proc/self/smaps", "r");
    REQUIRE(mappings);
    while (fgets(line, sizeof line, mappings)) {
        unsigned long start, end;
        if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
            is_here = start <= (uintptr_t)address && (uintptr_t)address < end;
        else if (is_here && strncmp(line, "VmFlags:", 8) == 0)
            is_dumped = strstr(line, " dd") == NULL;
    }
    fclose(mappings);
    return is_dumped;
}
