/* The global view, translated by the Omni XcalableMP compiler: the same objects are linked with each runtime library. */
#include "xmp_timing.h"

#include <xmp.h>

#define LINE 65536
#define SIDE 512
#define EDGE 64

#pragma xmp nodes p[*]
#pragma xmp nodes grid[*][2]

#pragma xmp template line[LINE]
#pragma xmp distribute line[block] onto p
#pragma xmp template dealt[LINE]
#pragma xmp distribute dealt[cyclic] onto p
#pragma xmp template plane[SIDE][SIDE]
#pragma xmp distribute plane[block][block] onto grid
#pragma xmp template rows[SIDE]
#pragma xmp distribute rows[block] onto p
#pragma xmp template solid[EDGE][EDGE][EDGE]
#pragma xmp distribute solid[*][block][block] onto grid

double one[LINE], other[LINE];
#pragma xmp align one[i] with line[i]
#pragma xmp shadow one[1:1]
#pragma xmp align other[i] with dealt[i]

double two[SIDE][SIDE];
#pragma xmp align two[i][j] with plane[i][j]
#pragma xmp shadow two[1:1][1:1]

double three[EDGE][EDGE][EDGE];
#pragma xmp align three[i][j][k] with solid[i][j][k]
#pragma xmp shadow three[0][1:1][1:1]

double by_rows[SIDE][SIDE], by_columns[SIDE][SIDE];
#pragma xmp align by_rows[i][*] with rows[i]
#pragma xmp align by_columns[*][j] with rows[j]

static double sums[1024];
static int entered;

static void reflect_line(int n)
{
    int i;
    for (i = 0; i < n; i++) {
#pragma xmp reflect (one)
    }
}

static void reflect_plane(int n)
{
    int i;
    for (i = 0; i < n; i++) {
#pragma xmp reflect (two)
    }
}

static void reflect_solid(int n)
{
    int i;
    for (i = 0; i < n; i++) {
#pragma xmp reflect (three)
    }
}

static void deal(int n)
{
    int i;
    for (i = 0; i < n; i++) {
#pragma xmp gmove
        other[:] = one[:];
    }
}

static void turn(int n)
{
    int i;
    for (i = 0; i < n; i++) {
#pragma xmp gmove
        by_columns[:][:] = by_rows[:][:];
    }
}

static void sum_one(int n)
{
    int i;
    double sum = 1.0;
    for (i = 0; i < n; i++) {
        sum = 1.0;
#pragma xmp reduction(+:sum)
    }
    if (sum != nodes)
        report_wrong("reduction", 8);
}

static void sum_many(int n)
{
    int i;
    for (i = 0; i < n; i++) {
#pragma xmp reduction(max:sums)
    }
}

static void bcast_one(int n)
{
    int i, word = node;
    for (i = 0; i < n; i++) {
#pragma xmp bcast(word) from p[0]
    }
    if (word != 0)
        report_wrong("bcast", 4);
#pragma xmp barrier
}

static void bcast_many(int n)
{
    int i;
    for (i = 0; i < n; i++) {
#pragma xmp bcast(sums) from p[0]
    }
#pragma xmp barrier
}

static void barrier(int n)
{
    int i;
    for (i = 0; i < n; i++) {
#pragma xmp barrier
    }
}

static void enter_tasks(int n)
{
    int i;
    entered = 0;
    for (i = 0; i < n; i++) {
#pragma xmp task on p[0:2]
        {
            entered++;
        }
    }
}

/* All nodes but the last, and all but the first, in turn. */
static void enter_other_tasks(int n)
{
    int i, first, most = nodes - 1;
    entered = 0;
    for (i = 0; i < n; i++) {
        first = i % 2;
#pragma xmp task on p[first:most]
        {
            entered++;
        }
    }
#pragma xmp barrier
}

/* Neighbours' elements in the shadows. */
static void check_reflected(void)
{
    int i, wrong = 0;
#pragma xmp loop on line[i]
    for (i = 1; i < LINE - 1; i++)
        if (one[i - 1] != i - 1 || one[i + 1] != i + 1)
            wrong = 1;
    if (wrong)
        report_wrong("reflect1", LINE);
}

static void check_plane(void)
{
    int i, j, wrong = 0;
#pragma xmp loop (i, j) on plane[i][j]
    for (i = 1; i < SIDE - 1; i++)
        for (j = 1; j < SIDE - 1; j++)
            if (two[i - 1][j] != (i - 1) * SIDE + j || two[i + 1][j] != (i + 1) * SIDE + j ||
                two[i][j - 1] != i * SIDE + j - 1 || two[i][j + 1] != i * SIDE + j + 1)
                wrong = 1;
    if (wrong)
        report_wrong("reflect2", SIDE);
}

static void check_solid(void)
{
    int i, j, k, wrong = 0;
#pragma xmp loop (j, k) on solid[*][j][k]
    for (j = 1; j < EDGE - 1; j++)
        for (k = 1; k < EDGE - 1; k++)
            for (i = 0; i < EDGE; i++)
                if (three[i][j - 1][k] != (i * EDGE + j - 1) * EDGE + k ||
                    three[i][j + 1][k] != (i * EDGE + j + 1) * EDGE + k ||
                    three[i][j][k - 1] != (i * EDGE + j) * EDGE + k - 1 ||
                    three[i][j][k + 1] != (i * EDGE + j) * EDGE + k + 1)
                    wrong = 1;
    if (wrong)
        report_wrong("reflect3", EDGE);
}

static void check_dealt(void)
{
    int i, wrong = 0;
#pragma xmp loop on dealt[i]
    for (i = 0; i < LINE; i++)
        if (other[i] != i)
            wrong = 1;
    if (wrong)
        report_wrong("gmove_cyclic", LINE);
}

static void check_turned(void)
{
    int i, j, wrong = 0;
#pragma xmp loop on rows[j]
    for (j = 0; j < SIDE; j++)
        for (i = 0; i < SIDE; i++)
            if (by_columns[i][j] != i * SIDE + j)
                wrong = 1;
    if (wrong)
        report_wrong("gmove_transpose", SIDE);
}

int main(int argc, char **argv)
{
    int i, j, k;
    start_timing(argc, argv);
    /* Every operand is written before it is measured, with other numbers than zero. */
    for (i = 0; i < 1024; i++)
        sums[i] = 1;
#pragma xmp loop on line[i]
    for (i = 0; i < LINE; i++)
        one[i] = i;
#pragma xmp loop on rows[i]
    for (i = 0; i < SIDE; i++)
        for (j = 0; j < SIDE; j++)
            by_rows[i][j] = i * SIDE + j;
#pragma xmp loop on rows[j]
    for (j = 0; j < SIDE; j++)
        for (i = 0; i < SIDE; i++)
            by_columns[i][j] = -1;
#pragma xmp loop on dealt[i]
    for (i = 0; i < LINE; i++)
        other[i] = -1;
#pragma xmp loop (i, j) on plane[i][j]
    for (i = 0; i < SIDE; i++)
        for (j = 0; j < SIDE; j++)
            two[i][j] = i * SIDE + j;
#pragma xmp loop (j, k) on solid[*][j][k]
    for (j = 0; j < EDGE; j++)
        for (k = 0; k < EDGE; k++)
            for (i = 0; i < EDGE; i++)
                three[i][j][k] = (i * EDGE + j) * EDGE + k;

    if (measure("reflect1", LINE, reflect_line))
        check_reflected();
    if (measure("reflect2", SIDE, reflect_plane))
        check_plane();
    if (measure("reflect3", EDGE, reflect_solid))
        check_solid();
    if (measure("gmove_cyclic", LINE, deal))
        check_dealt();
    if (measure("gmove_transpose", SIDE, turn))
        check_turned();
    measure("reduction", 8, sum_one);
    measure("reduction", 8192, sum_many);
    measure("bcast", 4, bcast_one);
    measure("bcast", 8192, bcast_many);
    measure("barrier", 0, barrier);
    if (measure("task", 0, enter_tasks) && (entered > 0) != (node < 2))
        report_wrong("task", 0);
    i = measure("task_other", 0, enter_other_tasks);
    if (i > 0 && entered != (node < nodes - 1 ? (i + 1) / 2 : 0) + (node > 0 ? i / 2 : 0))
        report_wrong("task_other", 0);
    finish_timing();
    return 0;
}
