/*
 * The Himeno benchmark in XcalableMP: pressure by Jacobi's method with a stencil of 19 points, on a grid of nodes.
 *
 *     xmpcc -O3 -DNODES_I=2 -DNODES_J=2 himeno.c -o himeno && xmprun -n 4 ./himeno
 *
 * The program needs NODES_I times NODES_J nodes (images); both are 1 when they are not given. SIZE_I, SIZE_J and SIZE_K are the
 * points in each direction. The result is the same for every grid, but for the rounding of one sum.
 */
#include <stdio.h>
#include <xmp.h>

#ifndef NODES_I
#define NODES_I 1
#endif
#ifndef NODES_J
#define NODES_J 1
#endif
#ifndef SIZE_I
#define SIZE_I 129
#define SIZE_J 65
#define SIZE_K 65
#endif

#define SWEEPS 20
#define OMEGA 0.8f

/* A grid of nodes, and the points in blocks over it; the last dimension is whole on each node. */
#pragma xmp nodes grid[NODES_I][NODES_J]
#pragma xmp template points[SIZE_I][SIZE_J][SIZE_K]
#pragma xmp distribute points[block][block][*] onto grid

/* The pressure and its next value, coefficients, boundary and source. A dimension with `*` is not distributed. */
static float p[SIZE_I][SIZE_J][SIZE_K], next[SIZE_I][SIZE_J][SIZE_K];
static float bound[SIZE_I][SIZE_J][SIZE_K], source[SIZE_I][SIZE_J][SIZE_K];
static float a[4][SIZE_I][SIZE_J][SIZE_K], b[3][SIZE_I][SIZE_J][SIZE_K], c[3][SIZE_I][SIZE_J][SIZE_K];
#pragma xmp align p[i][j][k] with points[i][j][k]
#pragma xmp align next[i][j][k] with points[i][j][k]
#pragma xmp align bound[i][j][k] with points[i][j][k]
#pragma xmp align source[i][j][k] with points[i][j][k]
#pragma xmp align a[*][i][j][k] with points[i][j][k]
#pragma xmp align b[*][i][j][k] with points[i][j][k]
#pragma xmp align c[*][i][j][k] with points[i][j][k]
/* The stencil looks one point further: room for the neighbours' points around each block. */
#pragma xmp shadow p[1][1][0]

static void begin(void)
{
#pragma xmp loop (i, j) on points[i][j][*]
    for (int i = 0; i < SIZE_I; i++)
        for (int j = 0; j < SIZE_J; j++)
            for (int k = 0; k < SIZE_K; k++) {
                a[0][i][j][k] = a[1][i][j][k] = a[2][i][j][k] = 1;
                a[3][i][j][k] = 1.0f / 6;
                b[0][i][j][k] = b[1][i][j][k] = b[2][i][j][k] = 0;
                c[0][i][j][k] = c[1][i][j][k] = c[2][i][j][k] = 1;
                p[i][j][k] = next[i][j][k] = (float)(i * i) / (float)((SIZE_I - 1) * (SIZE_I - 1));
                source[i][j][k] = 0;
                bound[i][j][k] = 1;
            }
}

/* One sweep; the sum of the squared residuals. */
static double sweep(void)
{
    double residual = 0;
    /* The points beside each block come from the neighbours, corners included. */
#pragma xmp reflect (p)
#pragma xmp loop (i, j) on points[i][j][*] reduction(+: residual)
    for (int i = 1; i < SIZE_I - 1; i++)
        for (int j = 1; j < SIZE_J - 1; j++)
            for (int k = 1; k < SIZE_K - 1; k++) {
                const float s0 = a[0][i][j][k] * p[i + 1][j][k] + a[1][i][j][k] * p[i][j + 1][k] + a[2][i][j][k] * p[i][j][k + 1]
                    + b[0][i][j][k] * (p[i + 1][j + 1][k] - p[i + 1][j - 1][k] - p[i - 1][j + 1][k] + p[i - 1][j - 1][k])
                    + b[1][i][j][k] * (p[i][j + 1][k + 1] - p[i][j - 1][k + 1] - p[i][j + 1][k - 1] + p[i][j - 1][k - 1])
                    + b[2][i][j][k] * (p[i + 1][j][k + 1] - p[i - 1][j][k + 1] - p[i + 1][j][k - 1] + p[i - 1][j][k - 1])
                    + c[0][i][j][k] * p[i - 1][j][k] + c[1][i][j][k] * p[i][j - 1][k] + c[2][i][j][k] * p[i][j][k - 1]
                    + source[i][j][k];
                const float ss = (s0 * a[3][i][j][k] - p[i][j][k]) * bound[i][j][k];
                residual += ss * ss;
                next[i][j][k] = p[i][j][k] + OMEGA * ss;
            }
#pragma xmp loop (i, j) on points[i][j][*]
    for (int i = 1; i < SIZE_I - 1; i++)
        for (int j = 1; j < SIZE_J - 1; j++)
            for (int k = 1; k < SIZE_K - 1; k++)
                p[i][j][k] = next[i][j][k];
    return residual;
}

int main(void)
{
    begin();
    double residual = sweep();
#pragma xmp barrier
    const double before = xmp_wtime();
    for (int n = 0; n < SWEEPS; n++)
        residual = sweep();
    double seconds = xmp_wtime() - before;
    /* The slowest node counts. */
#pragma xmp reduction (max: seconds)
#pragma xmp task on grid[0][0]
    printf("%d x %d x %d points, %d sweeps on %d x %d nodes: gosa %.6e, %.0f MFLOPS\n", SIZE_I, SIZE_J, SIZE_K, SWEEPS, NODES_I, NODES_J,
        residual, 34.0 * SWEEPS * (SIZE_I - 2.0) * (SIZE_J - 2) * (SIZE_K - 2) / seconds / 1e6);
    return 0;
}
