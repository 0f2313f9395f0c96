/* What operations take on this machine: the program of `xmprun --bench`. All images execute it; image 1 measures and prints. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xmprt.h>

/* Seconds of a part and of a row, parts of a row, and the largest transfer in bytes. */
#define PART 0.04
#define ROW 1.2
#define PARTS 20
#define LARGEST (1 << 23)

static int me, images, other;
/* A block of each image, and private memory. */
static char *block, *mine;
static xmprt_event *events;

static void check(xmprt_status status)
{
    if (status != XMPRT_OK) {
        fprintf(stderr, "xmprun --bench: %s\n", xmprt_message());
        exit(1);
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void copy(size_t bytes)
{
    memcpy(mine, mine + LARGEST, bytes);
    /* The compiler has to believe that somebody reads it. */
    __asm__ volatile("" : : "r"(mine) : "memory");
}

static void put(size_t bytes)
{
    check(xmprt_put(XMPRT_CURRENT, other, block, mine, bytes));
}

static void get(size_t bytes)
{
    check(xmprt_get(XMPRT_CURRENT, other, mine, block, bytes));
}

static void sync_all(size_t bytes)
{
    (void)bytes;
    check(xmprt_sync(XMPRT_CURRENT));
}

static void ping_pong(size_t bytes)
{
    (void)bytes;
    if (me > 2)
        return;
    if (me == 2)
        check(xmprt_event_wait(events, 1));
    check(xmprt_event_post(XMPRT_CURRENT, 3 - me, events));
    if (me == 1)
        check(xmprt_event_wait(events, 1));
}

static void co_sum(size_t bytes)
{
    check(xmprt_co_sum(XMPRT_CURRENT, mine, bytes / sizeof(double), XMPRT_DOUBLE, XMPRT_ALL));
}

static void co_broadcast(size_t bytes)
{
    check(xmprt_co_broadcast(XMPRT_CURRENT, mine, bytes, 1));
}

static void allocate(size_t bytes)
{
    void *new;
    check(xmprt_allocate(bytes, &new));
    check(xmprt_free(new));
}

static const struct row {
    const char *name;
    size_t bytes;
    void (*operation)(size_t bytes);
    /* Whether all images execute it, and whether it is shown as a rate, too. */
    int is_collective, has_rate;
} rows[] = {
    {"copy of private memory", 1 << 20, copy, 0, 1},
    {"put", 8, put, 0, 0},
    {"put", 1 << 10, put, 0, 1},
    {"put", 1 << 20, put, 0, 1},
    {"put", LARGEST, put, 0, 1},
    {"get", 8, get, 0, 0},
    {"get", 1 << 20, get, 0, 1},
    {"sync all", 0, sync_all, 1, 0},
    {"event, there and back", 0, ping_pong, 1, 0},
    {"co_sum", 8, co_sum, 1, 0},
    {"co_sum", 1 << 20, co_sum, 1, 1},
    {"co_broadcast", 8, co_broadcast, 1, 0},
    {"co_broadcast", 1 << 20, co_broadcast, 1, 1},
    {"allocate and free", 8000, allocate, 1, 0},
};

/* Seconds that image 1 takes for this many operations. The other images execute them, too, or wait. */
static double part(const struct row *row, long count)
{
    check(xmprt_sync(XMPRT_CURRENT));
    double start = now();
    if (me == 1 || row->is_collective)
        for (long number = 0; number < count; number++)
            row->operation(row->bytes);
    if (row->operation == put)
        check(xmprt_sync_memory());
    double spent = now() - start;
    check(xmprt_sync(XMPRT_CURRENT));
    return spent;
}

/* The number of operations that take so long as a part; image 1 decides. */
static long length_of_part(const struct row *row)
{
    int64_t count = 1;
    for (;;) {
        double spent = part(row, (long)count);
        int64_t next = spent >= PART ? count : spent < PART / 100 ? 10 * count : (int64_t)((double)count * PART / spent) + 1;
        check(xmprt_co_broadcast(XMPRT_CURRENT, &next, sizeof next, 1));
        if (next <= count || next > 1L << 40)
            return (long)count;
        count = next;
    }
}

static int is_less(const void *one, const void *another)
{
    double a = *(const double *)one, b = *(const double *)another;
    return (a > b) - (a < b);
}

static void print_time(double seconds)
{
    const char *units[] = {"s", "ms", "us", "ns"};
    int unit = 0;
    while (unit < 3 && seconds < 1) {
        seconds *= 1000;
        unit++;
    }
    printf(" %8.*f %-2s", seconds < 10 ? 2 : seconds < 100 ? 1 : 0, seconds, units[unit]);
}

static void print_bytes(size_t bytes)
{
    if (bytes == 0)
        printf(" %9s", "");
    else if (bytes < 1 << 10 || bytes % (1 << 10) != 0)
        printf(" %7zu B", bytes);
    else if (bytes < 1 << 20)
        printf(" %5zu KiB", bytes >> 10);
    else
        printf(" %5zu MiB", bytes >> 20);
}

static void measure(const struct row *row)
{
    double times[PARTS], start = now();
    long count = length_of_part(row);
    int parts = 0, is_over = 0;
    /* Where other programs use the cores, a row has fewer parts. */
    while (!is_over) {
        times[parts++] = part(row, count) / (double)count;
        is_over = parts == PARTS || (parts > 2 && now() - start > ROW);
        check(xmprt_co_broadcast(XMPRT_CURRENT, &is_over, sizeof is_over, 1));
    }
    if (me != 1)
        return;
    qsort(times, (size_t)parts, sizeof times[0], is_less);
    printf("%-24s", row->name);
    print_bytes(row->bytes);
    print_time(times[parts / 2]);
    print_time(times[parts * 19 / PARTS - 1]);
    if (row->has_rate)
        printf(" %8.2f GB/s", 1e-9 * (double)row->bytes / times[parts / 2]);
    printf("\n");
    fflush(stdout);
}

int main(void)
{
    me = xmprt_this_image(XMPRT_CURRENT);
    images = xmprt_num_images(XMPRT_CURRENT);
    if (images < 2) {
        fprintf(stderr, "xmprun --bench: 2 images are needed: xmprun -n 2 --bench\n");
        return 2;
    }
    other = me == 1 ? 2 : 1;
    void *room;
    check(xmprt_allocate(LARGEST, &room));
    block = room;
    check(xmprt_allocate(sizeof(xmprt_event), &room));
    events = room;
    mine = calloc(2, LARGEST);
    if (mine == NULL) {
        fprintf(stderr, "xmprun --bench: no memory for %d bytes\n", 2 * LARGEST);
        return 1;
    }
    /* Memory that nobody has written has no pages of its own. */
    memset(block, 1, LARGEST);
    memset(mine, 0, 2 * LARGEST);
    if (me == 1)
        printf("XMP-RT %s: %d images, %d host%s\n%-24s %9s %11s %11s %13s\n", xmprt_version_text(), images, xmprt_num_hosts(),
               xmprt_num_hosts() == 1 ? "" : "s", "operation", "size", "median", "19 of 20", "rate");
    for (size_t number = 0; number < sizeof rows / sizeof rows[0]; number++)
        measure(&rows[number]);
    return 0;
}
