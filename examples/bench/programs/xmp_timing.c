/* See xmp_timing.h; the rules of the timing are explained in caf_timing.f90. */
#include "xmp_timing.h"
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmp.h>

#define LARGEST_COUNT (1 << 29)

#pragma xmp nodes p[*]

int node, nodes;

static const char *wanted = "all";
static double least_seconds = 0.020;

void start_timing(int argc, char **argv)
{
    node = xmp_node_num() - 1;
    nodes = xmp_num_nodes();
    if (argc > 1)
        wanted = argv[1];
    if (argc > 2)
        least_seconds = 1e-3 * atoi(argv[2]);
    if (least_seconds <= 0) {
        fprintf(stderr, "xmp_bench: needs a positive number of milliseconds\n");
        exit(2);
    }
}

int selected(const char *name, int size)
{
    char with_size[64];
    const char *item = wanted;
    if (strcmp(wanted, "all") == 0)
        return 1;
    snprintf(with_size, sizeof with_size, "%s:%d", name, size);
    for (;;) {
        int length = (int)strcspn(item, ",");
        if ((length == (int)strlen(name) && strncmp(item, name, length) == 0) ||
            (length == (int)strlen(with_size) && strncmp(item, with_size, length) == 0))
            return 1;
        if (item[length] == '\0')
            return 0;
        item += length + 1;
    }
}

int measure(const char *name, int size, row_body *body)
{
    struct parts parts = {0};
    int n = 1, last = 0;
    if (!selected(name, size))
        return 0;
    if (node == 0) {
        printf("begin,%s,%d\n", name, size);
        fflush(stdout);
    }
    while (n > 0) {
        double started, seconds;
#pragma xmp barrier
        started = xmp_wtime();
        body(n);
        seconds = xmp_wtime() - started;
        last = n;
        if (node == 0)
            n = next_count(&parts, n, seconds, least_seconds, LARGEST_COUNT);
#pragma xmp bcast(n) from p[0]
    }
    if (node == 0)
        print_parts(&parts, name, size);
    return last;
}

void report_wrong(const char *name, int size)
{
    printf("wrong,%s,%d\n", name, size);
    fflush(stdout);
}

void finish_timing(void)
{
#pragma xmp barrier
    if (node == 0) {
        printf("end\n");
        fflush(stdout);
    }
}
