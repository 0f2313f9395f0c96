/* Laplace, STREAM, EP, CG and Himeno: what kernels.c calls and offers. The kernels are in C or Fortran; their Fortran names are bound to those
 * of C. */
#ifndef KERNELS_H
#define KERNELS_H

#include "kernel_sizes.h"

#include <math.h>
#include <stdint.h>

/* Gives all arrays their first values, on this node or rank. */
void prepare(void);
/* One sweep over a plane of which point [i][j] is i + j, and stays so. */
void laplace(void);
/* a = b + 3 c, where b[i] is i and c[i] is 2. */
void triad(void);
/* All batches: `ep_count` and `ep_sum`, on each node. */
void ep(void);
/* One step: the direction is multiplied by the matrix and made as long as 1; `cg_rho` is the square of its length before, over
 * that of the product of both. The steps do not converge, so that all of them are alike. */
void cg(void);
/* One sweep of Himeno, in C only; `himeno_gosa` is the sum of the squared corrections. The pressure is a square function of the
 * first index at the start. */
void himeno(void);
/* Whether what is on this node is right. */
int laplace_is_right(void);
int triad_is_right(void);

extern int64_t ep_count;
extern double ep_sum, cg_rho, himeno_gosa;

/* The sparse matrix: the column of element k of a row, and its value. Rows and columns count from 0. */
int cg_column(int row, int k);
double cg_value(int k);

#define HIMENO_OMEGA 0.8f

static inline float himeno_start(int i)
{
    return (float)(i * i) / (float)((HIMENO_I - 1) * (HIMENO_I - 1));
}

/* The generator of the NAS benchmarks: x <- 5**13 x mod 2**46, as a number between 0 and 1. */
static inline double ep_uniform(uint64_t *x)
{
    *x = *x * 1220703125 & ((UINT64_C(1) << 46) - 1);
    return (double)*x / (double)(UINT64_C(1) << 46);
}

/* The pairs of a batch that are Gaussian, and the sum of their sizes. */
static inline int64_t ep_batch(int batch, double *sum)
{
    uint64_t state = 271828183 + 2 * (uint64_t)batch;
    int64_t count = 0;
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
