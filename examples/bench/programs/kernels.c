/* Laplace, STREAM, EP, CG and, in C, Himeno: the rows, the checks and the sparse matrix, for kernels in C and Fortran, by directives and by MPI. A
 * kernel is called from this file, so that no compiler sees that it is repeated. */
#include "kernels.h"
#include "timing.h"

/* Rows of kernels in Fortran have names of their own. */
#ifdef FORTRAN_KERNELS
#define ROW(name) name "_fortran"
#else
#define ROW(name) name
#endif

/* The steps of CG that are checked. */
#define CG_CHECKED 3

#define REPEATED(kernel)                                                                             \
    static void kernel##_repeated(int n)                                                             \
    {                                                                                                \
        while (n-- > 0)                                                                              \
            kernel();                                                                                \
    }

REPEATED(laplace)
REPEATED(triad)
REPEATED(ep)
REPEATED(cg)
#ifndef FORTRAN_KERNELS
REPEATED(himeno)
#endif

int cg_column(int row, int k)
{
    uint32_t hash = (uint32_t)row * 2654435761u + (uint32_t)k * 40503u;
    if (k == 0)
        return row;
    /* Elements of the neighbourhood and of the whole row in turn. */
    return k % 2 ? (row + k) % CG_ORDER : (int)((hash ^ hash >> 15) % CG_ORDER);
}

/* Diagonally dominant. */
double cg_value(int k)
{
    return k == 0 ? 2.0 * CG_ROW : 1.0;
}

static int is_near(double value, double right)
{
    return fabs(value - right) <= 1e-9 * fabs(right);
}

static int ep_is_right(void)
{
    double sum = 0;
    int64_t count = 0;
    int batch;
    for (batch = 0; batch < EP_BATCHES; batch++)
        count += ep_batch(batch, &sum);
    return ep_count == count && is_near(ep_sum, sum);
}

/* `cg_rho` behind some steps from the start, with the matrix as it is defined. */
static double rho_behind(int steps)
{
    static double direction[CG_ORDER], q[CG_ORDER];
    double rho = 0;
    int i, k;
    for (i = 0; i < CG_ORDER; i++)
        direction[i] = i % 7;
    while (steps-- > 0) {
        double product = 0;
        for (i = 0; i < CG_ORDER; i++) {
            q[i] = 0;
            for (k = 0; k < CG_ROW; k++)
                q[i] += cg_value(k) * direction[cg_column(i, k)];
            product += direction[i] * q[i];
        }
        rho = 0;
        for (i = 0; i < CG_ORDER; i++)
            rho += q[i] / product * (q[i] / product);
        for (i = 0; i < CG_ORDER; i++)
            direction[i] = q[i] / product / sqrt(rho);
    }
    return rho;
}

#ifndef FORTRAN_KERNELS
/* Two sweeps from the start: the first one corrects every point by the same, and the second one by less beside the boundary, which
 * stays. A plane that did not arrive is like a boundary. */
static int himeno_is_right(void)
{
    const double first = 1.0 / (3.0 * (HIMENO_I - 1) * (HIMENO_I - 1));
    double right = 0;
    int i, j, k;
    himeno_repeated(2);
    for (i = 1; i < HIMENO_I - 1; i++)
        for (j = 1; j < HIMENO_J - 1; j++)
            for (k = 1; k < HIMENO_K - 1; k++) {
                int beside = (i == 1) + (i == HIMENO_I - 2) + (j == 1) + (j == HIMENO_J - 2) + (k == 1) + (k == HIMENO_K - 2);
                double second = first * (1 - (double)HIMENO_OMEGA * beside / 6);
                right += second * second;
            }
    return fabs(himeno_gosa - right) <= 1e-3 * right;
}
#endif

int main(int argc, char **argv)
{
    start_timing(argc, argv);
    prepare();
    if (measure(ROW("laplace"), LAPLACE, laplace_repeated) && !laplace_is_right())
        report_wrong(ROW("laplace"), LAPLACE);
    if (measure(ROW("triad"), STREAM, triad_repeated) && !triad_is_right())
        report_wrong(ROW("triad"), STREAM);
    if (measure(ROW("ep"), EP_BATCHES * EP_BATCH, ep_repeated) && !ep_is_right())
        report_wrong(ROW("ep"), EP_BATCHES * EP_BATCH);
    if (selected(ROW("cg"), CG_ORDER)) {
        cg_repeated(CG_CHECKED);
        if (!is_near(cg_rho, rho_behind(CG_CHECKED)))
            report_wrong(ROW("cg"), CG_ORDER);
        measure(ROW("cg"), CG_ORDER, cg_repeated);
    }
#ifndef FORTRAN_KERNELS
    if (selected("himeno_c", HIMENO_I * HIMENO_J * HIMENO_K)) {
        if (!himeno_is_right())
            report_wrong("himeno_c", HIMENO_I * HIMENO_J * HIMENO_K);
        measure("himeno_c", HIMENO_I * HIMENO_J * HIMENO_K, himeno_repeated);
    }
#endif
    finish_timing();
    return 0;
}
