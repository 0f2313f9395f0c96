/* Two tasks at a time, each with its half of the nodes: arrays of its own nodes with periodic shadows, pointers to their parts, and a
   file of its own. */
#include "check.h"
#include <string.h>
#include <unistd.h>
#include <xmp_io.h>

enum { N = 30, LOWER = 2, UPPER = 1 };

/* The value after an index, as if the array went on at both ends. */
static int around(int i, int factor)
{
    return factor * ((i + N) % N);
}

static void work(int factor, const char *name)
{
    int nodes = xmp_num_nodes(), *sizes = malloc(nodes * sizeof *sizes);
    for (int k = 0; k < nodes; k++)
        sizes[k] = k + LOWER;
    sizes[nodes - 1] = N;
    for (int k = 0; k + 1 < nodes; k++)
        sizes[nodes - 1] -= sizes[k];
#pragma xmp nodes own[*] = *
#pragma xmp template u[N]
#pragma xmp distribute u[gblock(sizes)] onto own
    int a[N];
#pragma xmp align a[i] with u[i]
#pragma xmp shadow a[2:1]
    int *part, wrong = 0, first = -1;
#pragma xmp local_alias part => a
#pragma xmp loop on u[i]
    for (int i = 0; i < N; i++)
        a[i] = around(i, factor);
#pragma xmp reflect (a) width(/periodic/2:1)
#pragma xmp loop on u[i] reduction(+: wrong)
    for (int i = 0; i < N; i++) {
        wrong += a[i - 1] != around(i - 1, factor) || a[i - LOWER] != around(i - LOWER, factor);
        wrong += a[i + UPPER] != around(i + UPPER, factor);
    }
    REQUIRE(wrong == 0);
    /* The part begins with the lower shadow, and ends with the upper one. */
#pragma xmp loop on u[i]
    for (int i = N - 1; i >= 0; i--)
        first = i;
    int size = sizes[xmp_node_num() - 1];
    for (int k = -LOWER; k < size + UPPER; k++)
        REQUIRE(part[k + LOWER] == around(first + k, factor));
    for (int k = 0; k < size; k++)
        part[k + LOWER] += 1;
#pragma xmp reflect (a) width(/periodic/1:0)
    for (int k = -1; k < size; k++)
        REQUIRE(part[k + LOWER] == around(first + k, factor) + 1);
    REQUIRE(part[0] == around(first - LOWER, factor) && part[LOWER + size] == around(first + size, factor));

    xmp_file_t *file = xmp_fopen_all(name, "w+");
    xmp_range_t *range = xmp_allocate_range(1);
    xmp_set_range(range, 1, 0, N, 1);
    REQUIRE(file && xmp_fwrite_darray_all(file, xmp_desc_of(a), range) == (ssize_t)(size * sizeof *a));
#pragma xmp loop on u[i]
    for (int i = 0; i < N; i++)
        a[i] = 0;
    REQUIRE(xmp_fseek(file, 0, SEEK_SET) == 0);
    REQUIRE(xmp_fread_darray_all(file, xmp_desc_of(a), range) == (ssize_t)(size * sizeof *a));
    for (int k = 0; k < size; k++)
        REQUIRE(part[k + LOWER] == around(first + k, factor) + 1);
    REQUIRE(xmp_fclose_all(file) == 0);
    xmp_free_range(range);
    free(sizes);
}

static void compare(int factor, const char *name)
{
    int found[N + 1];
    FILE *file = fopen(name, "rb");
    REQUIRE(file && fread(found, sizeof *found, N + 1, file) == N);
    fclose(file);
    for (int i = 0; i < N; i++)
        REQUIRE(found[i] == around(i, factor) + 1);
}

int main(void)
{
    int nodes = xmp_all_num_nodes(), half = (nodes + 1) / 2, id = getpid();
    /* One node has both halves. */
    int rest = nodes > 1 ? nodes - half : 1;
    const char *tmpdir = getenv("TMPDIR"), *folder = tmpdir ? tmpdir : "/tmp";
    char low[200], high[200];
#pragma xmp nodes p[*]
#pragma xmp bcast (id)
    snprintf(low, sizeof low, "%s/halves-%d-low", folder, id);
    snprintf(high, sizeof high, "%s/halves-%d-high", folder, id);
#pragma xmp tasks
    {
#pragma xmp task on p[0:half]
        work(1, low);
#pragma xmp task on p[nodes-rest:rest]
        work(100, high);
    }
#pragma xmp barrier
    if (xmp_all_node_num() == 1) {
        compare(1, low);
        unlink(low);
        compare(100, high);
        unlink(high);
    }
    return 0;
}
