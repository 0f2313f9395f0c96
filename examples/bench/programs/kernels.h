/* What the kernels by directives, by MPI and of one process alone share: sizes, the sparse matrix, random numbers. */
#ifndef KERNELS_H
#define KERNELS_H

#include <math.h>
#include <stdint.h>

/* Laplace: points of a side. STREAM: elements. EP: pairs, in batches. CG: order, and elements of a row. */
#define LAPLACE 1024
#define STREAM 4000000
#define EP_BATCHES 64
#define EP_BATCH 4096
#define CG_ORDER 14000
#define CG_ROW 120

/* The column of element k of a row: elements of its neighbourhood and of the whole row in turn. */
static int cg_column(int row, int k)
{
    uint32_t hash = (uint32_t)row * 2654435761u + (uint32_t)k * 40503u;
    if (k == 0)
        return row;
    return k % 2 ? (row + k) % CG_ORDER : (int)((hash ^ hash >> 15) % CG_ORDER);
}

/* Diagonally dominant. */
static double cg_value(int k)
{
    return k == 0 ? 2.0 * CG_ROW : 1.0;
}

/* The generator of the NAS benchmarks: x <- 5**13 x mod 2**46, as a number between 0 and 1. */
static double ep_uniform(uint64_t *x)
{
    *x = *x * 1220703125 & ((UINT64_C(1) << 46) - 1);
    return (double)*x / (double)(UINT64_C(1) << 46);
}

/* The pairs of a batch that are Gaussian, and the sum of their sizes. */
static long ep_batch(int batch, double *sum)
{
    uint64_t state = 271828183 + 2 * (uint64_t)batch;
    long count = 0;
    int pair;
    for (pair = 0; pair < EP_BATCH; pair++) {
        double u = 2 * ep_uniform(&state) - 1, v = 2 * ep_uniform(&state) - 1, square = u * u + v * v;
        if (square <= 1) {
            double length = sqrt(-2 * log(square) / square);
            *sum += fabs(u * length) + fabs(v * length);
            count++;
        }
    }
    return count;
}

#endif
