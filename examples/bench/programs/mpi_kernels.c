/* Laplace, STREAM, EP, CG and Himeno, written for MPI: rows and planes in blocks, halos by MPI_Sendrecv, vectors by MPI_Allgatherv. See
 * kernels.c and xmp_kernels.c. */
#include "kernels.h"
#include "mpi_timing.h"

#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

/* A block of indices: the first, how many, and those of all ranks for MPI_Allgatherv. */
struct block {
    int first, count, *counts, *firsts;
};

static double (*now)[LAPLACE], (*next)[LAPLACE], *sa, *sb, *sc, (*value)[CG_ROW], *r, *q, *direction;
static int (*column)[CG_ROW];
/* Planes 1 to `planes.count` are this rank's, among at least two ranks. */
#define PLANES (HIMENO_I / 2 + 2)
static float u[PLANES][HIMENO_J][HIMENO_K], after[PLANES][HIMENO_J][HIMENO_K];
static float bound[PLANES][HIMENO_J][HIMENO_K], source[PLANES][HIMENO_J][HIMENO_K];
static float a[4][PLANES][HIMENO_J][HIMENO_K], b[3][PLANES][HIMENO_J][HIMENO_K], c[3][PLANES][HIMENO_J][HIMENO_K];
static struct block plane, line, batches, rows, planes;
int64_t ep_count;
double ep_sum, cg_rho, himeno_gosa;

static void *room(size_t bytes)
{
    void *memory = calloc(bytes ? bytes : 1, 1);
    if (!memory)
        MPI_Abort(MPI_COMM_WORLD, 2);
    return memory;
}

static struct block block_of(int size)
{
    struct block block;
    int width = (size + ranks - 1) / ranks, of;
    block.counts = room(sizeof(int) * (size_t)ranks);
    block.firsts = room(sizeof(int) * (size_t)ranks);
    for (of = 0; of < ranks; of++) {
        int first = of * width < size ? of * width : size;
        block.firsts[of] = first;
        block.counts[of] = size - first < width ? size - first : width;
    }
    block.first = block.firsts[rank];
    block.count = block.counts[rank];
    return block;
}

/* Row 0 of `now` and `next` is the halo above, row count + 1 that below. */
void laplace(void)
{
    int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int below = plane.first + plane.count < LAPLACE ? rank + 1 : MPI_PROC_NULL, i, j;
    int first = rank == 0 ? 2 : 1, last = below == MPI_PROC_NULL ? plane.count - 1 : plane.count;
    if (plane.count == 0)
        return;
    MPI_Sendrecv(now[1], LAPLACE, MPI_DOUBLE, above, 0, now[plane.count + 1], LAPLACE, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(now[plane.count], LAPLACE, MPI_DOUBLE, below, 0, now[0], LAPLACE, MPI_DOUBLE, above, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (i = first; i <= last; i++)
        for (j = 1; j < LAPLACE - 1; j++)
            next[i][j] = (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]) / 4;
    for (i = first; i <= last; i++)
        for (j = 1; j < LAPLACE - 1; j++)
            now[i][j] = next[i][j];
}

void triad(void)
{
    int i;
    for (i = 0; i < line.count; i++)
        sa[i] = sb[i] + 3 * sc[i];
    MPI_Barrier(MPI_COMM_WORLD);
}

void ep(void)
{
    int batch;
    int64_t count = 0;
    double sum = 0;
    for (batch = batches.first; batch < batches.first + batches.count; batch++)
        count += ep_batch(batch, &sum);
    MPI_Allreduce(&count, &ep_count, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&sum, &ep_sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* `direction` is the whole vector on each rank. */
void cg(void)
{
    int i, k;
    double product = 0, rho = 0, length, *own = direction + rows.first;
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, direction, rows.counts, rows.firsts, MPI_DOUBLE, MPI_COMM_WORLD);
    for (i = 0; i < rows.count; i++) {
        double sum = 0;
        for (k = 0; k < CG_ROW; k++)
            sum += value[i][k] * direction[column[i][k]];
        q[i] = sum;
    }
    for (i = 0; i < rows.count; i++)
        product += own[i] * q[i];
    MPI_Allreduce(MPI_IN_PLACE, &product, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (i = 0; i < rows.count; i++) {
        r[i] = q[i] / product;
        rho += r[i] * r[i];
    }
    MPI_Allreduce(MPI_IN_PLACE, &rho, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    length = sqrt(rho);
    for (i = 0; i < rows.count; i++)
        own[i] = r[i] / length;
    cg_rho = rho;
}

void himeno(void)
{
    const int slice = HIMENO_J * HIMENO_K, lower = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    const int upper = planes.first + planes.count < HIMENO_I ? rank + 1 : MPI_PROC_NULL;
    const int first = lower == MPI_PROC_NULL ? 2 : 1, last = upper == MPI_PROC_NULL ? planes.count - 1 : planes.count;
    int i, j, k;
    double sum = 0;
    MPI_Sendrecv(u[1], slice, MPI_FLOAT, lower, 0, u[planes.count + 1], slice, MPI_FLOAT, upper, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(u[planes.count], slice, MPI_FLOAT, upper, 0, u[0], slice, MPI_FLOAT, lower, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (i = first; i <= last; i++)
        for (j = 1; j < HIMENO_J - 1; j++) {
            float s, squares = 0;
            for (k = 1; k < HIMENO_K - 1; k++) {
                s = a[0][i][j][k] * u[i + 1][j][k] + a[1][i][j][k] * u[i][j + 1][k] + a[2][i][j][k] * u[i][j][k + 1]
                    + b[0][i][j][k] * (u[i + 1][j + 1][k] - u[i + 1][j - 1][k] - u[i - 1][j + 1][k] + u[i - 1][j - 1][k])
                    + b[1][i][j][k] * (u[i][j + 1][k + 1] - u[i][j - 1][k + 1] - u[i][j + 1][k - 1] + u[i][j - 1][k - 1])
                    + b[2][i][j][k] * (u[i + 1][j][k + 1] - u[i - 1][j][k + 1] - u[i + 1][j][k - 1] + u[i - 1][j][k - 1])
                    + c[0][i][j][k] * u[i - 1][j][k] + c[1][i][j][k] * u[i][j - 1][k] + c[2][i][j][k] * u[i][j][k - 1]
                    + source[i][j][k];
                s = (s * a[3][i][j][k] - u[i][j][k]) * bound[i][j][k];
                squares += s * s;
                after[i][j][k] = u[i][j][k] + HIMENO_OMEGA * s;
            }
            sum += squares;
        }
    for (i = first; i <= last; i++)
        for (j = 1; j < HIMENO_J - 1; j++)
            for (k = 1; k < HIMENO_K - 1; k++)
                u[i][j][k] = after[i][j][k];
    MPI_Allreduce(&sum, &himeno_gosa, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void prepare(void)
{
    int i, j, k;
    plane = block_of(LAPLACE);
    line = block_of(STREAM);
    batches = block_of(EP_BATCHES);
    rows = block_of(CG_ORDER);
    planes = block_of(HIMENO_I);
    now = room(sizeof(double[LAPLACE]) * (size_t)(plane.count + 2));
    next = room(sizeof(double[LAPLACE]) * (size_t)(plane.count + 2));
    for (i = 1; i <= plane.count; i++)
        for (k = 0; k < LAPLACE; k++)
            now[i][k] = plane.first + i - 1 + k;
    sa = written((size_t)line.count, -1);
    sb = written((size_t)line.count, 0);
    sc = written((size_t)line.count, 2);
    for (i = 0; i < line.count; i++)
        sb[i] = line.first + i;
    value = room(sizeof(double[CG_ROW]) * (size_t)rows.count);
    column = room(sizeof(int[CG_ROW]) * (size_t)rows.count);
    r = written((size_t)rows.count, 0);
    q = written((size_t)rows.count, 0);
    direction = written(CG_ORDER, 0);
    for (i = 0; i < CG_ORDER; i++)
        direction[i] = i % 7;
    for (i = 0; i < rows.count; i++)
        for (k = 0; k < CG_ROW; k++) {
            column[i][k] = cg_column(rows.first + i, k);
            value[i][k] = cg_value(k);
        }
    for (i = 1; i <= planes.count; i++)
        for (j = 0; j < HIMENO_J; j++)
            for (k = 0; k < HIMENO_K; k++) {
                a[0][i][j][k] = a[1][i][j][k] = a[2][i][j][k] = 1;
                a[3][i][j][k] = 1.0f / 6;
                b[0][i][j][k] = b[1][i][j][k] = b[2][i][j][k] = 0;
                c[0][i][j][k] = c[1][i][j][k] = c[2][i][j][k] = 1;
                u[i][j][k] = himeno_start(planes.first + i - 1);
                source[i][j][k] = 0;
                bound[i][j][k] = 1;
            }
}

int laplace_is_right(void)
{
    int i, j, wrong = 0;
    for (i = 1; i <= plane.count; i++)
        for (j = 0; j < LAPLACE; j++)
            wrong += now[i][j] != plane.first + i - 1 + j;
    return wrong == 0;
}

int triad_is_right(void)
{
    int i, wrong = 0;
    for (i = 0; i < line.count; i++)
        wrong += sa[i] != line.first + i + 6;
    return wrong == 0;
}
