/* The parts of a batch, for the benchmarks in C: the rules of caf_timing.f90. */
#ifndef PARTS_H
#define PARTS_H

#include <stdio.h>

/* A row may spend this many times the least batch duration; then the parts that there are count. */
#define BUDGET_FACTOR 50.0
#define PART_COUNT 20

/* What is known of a row. */
struct parts {
    double microseconds[PART_COUNT], spent;
    int count, rounds, is_known;
};

/* Looks for the calls of a part, after n calls took this many seconds. They are known when that was long enough, or with `most`
 * calls in all parts. The first calls do not count: they pay for first touches and connections. */
static int find_count(struct parts *parts, int n, double seconds, double least, int most)
{
    double factor;
    most = most < PART_COUNT ? 1 : most / PART_COUNT;
    parts->is_known = (seconds >= least || n >= most) && parts->rounds > 1;
    if (parts->is_known || seconds >= least)
        return n;
    factor = seconds > 0 ? 1.3 * least / seconds : 10.0;
    factor = factor < 2.0 ? 2.0 : factor > 10.0 ? 10.0 : factor;
    return n * factor > most ? most : (int)(n * factor);
}

/* The calls to make after n calls took this many seconds; 0 when the row is done. */
static int next_count(struct parts *parts, int n, double seconds, double least_seconds, int most)
{
    int is_late;
    parts->spent += seconds;
    parts->rounds++;
    is_late = parts->spent >= BUDGET_FACTOR * least_seconds;
    if (!parts->is_known && !is_late)
        return find_count(parts, n, seconds, least_seconds / PART_COUNT, most);
    parts->microseconds[parts->count++] = 1e6 * seconds / n;
    return parts->count == PART_COUNT || is_late ? 0 : n;
}

static void print_parts(const struct parts *parts, const char *name, int size)
{
    printf("%s,%d,mean", name, size);
    for (int i = 0; i < parts->count; i++)
        printf(",%.6e", parts->microseconds[i]);
    printf("\n");
    fflush(stdout);
}

#endif
