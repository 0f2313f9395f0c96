/*
 * Heat conduction in a plate, in XcalableMP: a C program plus directives. Each node (image) has a block of rows.
 *
 *     xmpcc -O3 heat.c -o heat -lm && xmprun -n 4 ./heat
 *
 * A C compiler that knows nothing of XcalableMP compiles the same file to a serial program: cc -O3 heat.c -o heat -lm
 *
 * The first temperature is an eigenvector of the discrete equation: each step multiplies it by one number, so the exact
 * result is known at every point.
 */
#include <math.h>
#include <stdio.h>

enum { ROWS = 402, COLUMNS = 302, STEPS = 500 };

static const double pi = 3.14159265358979323846;

/* The nodes that execute the program: as many as xmprun starts. */
#pragma xmp nodes p[*]
/* An index space, and which node has which part of it: rows in blocks, columns whole. */
#pragma xmp template t[ROWS][COLUMNS]
#pragma xmp distribute t[block][*] onto p

/* Element [j][i] is where index [j][i] of the template is. The shadow has room for a row of each neighbour. */
static double now[ROWS][COLUMNS], next[ROWS][COLUMNS];
#pragma xmp align now[j][i] with t[j][i]
#pragma xmp align next[j][i] with t[j][i]
#pragma xmp shadow now[1][0]

static double exact(int j, int i, int steps)
{
    const double row = sin(pi / (2 * (ROWS - 1))), column = sin(pi / (2 * (COLUMNS - 1)));
    const double factor = 1 - row * row - column * column;
    return pow(factor, steps) * sin(pi * j / (ROWS - 1)) * sin(pi * i / (COLUMNS - 1));
}

int main(void)
{
    /* Each node executes the iterations whose rows it has; indices are those of the whole plate. */
#pragma xmp loop (j) on t[j][*]
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            now[j][i] = exact(j, i, 0);

    for (int step = 0; step < STEPS; step++) {
        /* Fills the shadow: the rows beside the block are copied from the neighbours. */
#pragma xmp reflect (now)
#pragma xmp loop (j) on t[j][*]
        for (int j = 1; j < ROWS - 1; j++)
            for (int i = 1; i < COLUMNS - 1; i++)
                next[j][i] = (now[j - 1][i] + now[j + 1][i] + now[j][i - 1] + now[j][i + 1]) / 4;
#pragma xmp loop (j) on t[j][*]
        for (int j = 1; j < ROWS - 1; j++)
            for (int i = 1; i < COLUMNS - 1; i++)
                now[j][i] = next[j][i];
    }

    /* The largest error of all nodes: each has that of its part, the clause combines them. */
    double error = 0;
#pragma xmp loop (j) on t[j][*] reduction(max: error)
    for (int j = 1; j < ROWS - 1; j++)
        for (int i = 1; i < COLUMNS - 1; i++)
            error = fmax(error, fabs(now[j][i] - exact(j, i, STEPS)));

    /* One node prints. */
#pragma xmp task on p[0]
    printf("%d x %d points, %d steps: largest error %.1e: %s\n", ROWS, COLUMNS, STEPS, error, error < 1e-12 ? "PASS" : "FAIL");
    return error < 1e-12 ? 0 : 1;
}
