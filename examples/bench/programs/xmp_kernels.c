/* Laplace, STREAM, EP, CG and Himeno by directives. A compiler that knows nothing of them makes the sequential program of this file. See
 * kernels.c and mpi_kernels.c. */
#include "kernels.h"

#pragma xmp nodes p[*]

#pragma xmp template plane[LAPLACE][LAPLACE]
#pragma xmp distribute plane[block][*] onto p
static double now[LAPLACE][LAPLACE], next[LAPLACE][LAPLACE];
#pragma xmp align now[i][*] with plane[i][*]
#pragma xmp align next[i][*] with plane[i][*]
#pragma xmp shadow now[1][0]

#pragma xmp template line[STREAM]
#pragma xmp distribute line[block] onto p
static double sa[STREAM], sb[STREAM], sc[STREAM];
#pragma xmp align sa[i] with line[i]
#pragma xmp align sb[i] with line[i]
#pragma xmp align sc[i] with line[i]

#pragma xmp template batches[EP_BATCHES]
#pragma xmp distribute batches[block] onto p

#pragma xmp template rows[CG_ORDER]
#pragma xmp distribute rows[block] onto p
static int column[CG_ORDER][CG_ROW];
static double value[CG_ORDER][CG_ROW], r[CG_ORDER], q[CG_ORDER], direction[CG_ORDER];
#pragma xmp align column[i][*] with rows[i]
#pragma xmp align value[i][*] with rows[i]
#pragma xmp align r[i] with rows[i]
#pragma xmp align q[i] with rows[i]
#pragma xmp align direction[i] with rows[i]
#pragma xmp shadow direction[*]

/* Two dimensions are distributed. */
#pragma xmp nodes grid[*][1]
#pragma xmp template points[HIMENO_I][HIMENO_J][HIMENO_K]
#pragma xmp distribute points[block][block][*] onto grid
static float u[HIMENO_I][HIMENO_J][HIMENO_K], after[HIMENO_I][HIMENO_J][HIMENO_K];
static float bound[HIMENO_I][HIMENO_J][HIMENO_K], source[HIMENO_I][HIMENO_J][HIMENO_K];
static float a[4][HIMENO_I][HIMENO_J][HIMENO_K], b[3][HIMENO_I][HIMENO_J][HIMENO_K], c[3][HIMENO_I][HIMENO_J][HIMENO_K];
#pragma xmp align u[i][j][k] with points[i][j][k]
#pragma xmp align after[i][j][k] with points[i][j][k]
#pragma xmp align bound[i][j][k] with points[i][j][k]
#pragma xmp align source[i][j][k] with points[i][j][k]
#pragma xmp align a[*][i][j][k] with points[i][j][k]
#pragma xmp align b[*][i][j][k] with points[i][j][k]
#pragma xmp align c[*][i][j][k] with points[i][j][k]
#pragma xmp shadow u[1][1][0]

int64_t ep_count;
double ep_sum, cg_rho, himeno_gosa;

void laplace(void)
{
    int i, j;
#pragma xmp reflect (now)
#pragma xmp loop on plane[i][*]
    for (i = 1; i < LAPLACE - 1; i++)
        for (j = 1; j < LAPLACE - 1; j++)
            next[i][j] = (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]) / 4;
#pragma xmp loop on plane[i][*]
    for (i = 1; i < LAPLACE - 1; i++)
        for (j = 1; j < LAPLACE - 1; j++)
            now[i][j] = next[i][j];
}

void triad(void)
{
    int i;
#pragma xmp loop on line[i]
    for (i = 0; i < STREAM; i++)
        sa[i] = sb[i] + 3 * sc[i];
#pragma xmp barrier
}

void ep(void)
{
    int batch;
    int64_t count = 0;
    double sum = 0;
#pragma xmp loop on batches[batch] reduction(+: count, sum)
    for (batch = 0; batch < EP_BATCHES; batch++)
        count += ep_batch(batch, &sum);
    ep_count = count;
    ep_sum = sum;
}

void cg(void)
{
    int i, k;
    double product = 0, rho = 0, length;
#pragma xmp reflect (direction)
#pragma xmp loop on rows[i]
    for (i = 0; i < CG_ORDER; i++) {
        double sum = 0;
        for (k = 0; k < CG_ROW; k++)
            sum += value[i][k] * direction[column[i][k]];
        q[i] = sum;
    }
#pragma xmp loop on rows[i] reduction(+: product)
    for (i = 0; i < CG_ORDER; i++)
        product += direction[i] * q[i];
#pragma xmp loop on rows[i] reduction(+: rho)
    for (i = 0; i < CG_ORDER; i++) {
        r[i] = q[i] / product;
        rho += r[i] * r[i];
    }
    length = sqrt(rho);
#pragma xmp loop on rows[i]
    for (i = 0; i < CG_ORDER; i++)
        direction[i] = r[i] / length;
    cg_rho = rho;
}

void himeno(void)
{
    int i, j, k;
    double sum = 0;
#pragma xmp reflect (u)
#pragma xmp loop (i, j) on points[i][j][*] reduction(+: sum)
    for (i = 1; i < HIMENO_I - 1; i++)
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
#pragma xmp loop (i, j) on points[i][j][*]
    for (i = 1; i < HIMENO_I - 1; i++)
        for (j = 1; j < HIMENO_J - 1; j++)
            for (k = 1; k < HIMENO_K - 1; k++)
                u[i][j][k] = after[i][j][k];
    himeno_gosa = sum;
}

void prepare(void)
{
    int i, j, k;
#pragma xmp loop on plane[i][*]
    for (i = 0; i < LAPLACE; i++)
        for (k = 0; k < LAPLACE; k++)
            now[i][k] = i + k;
#pragma xmp loop on line[i]
    for (i = 0; i < STREAM; i++) {
        sa[i] = -1;
        sb[i] = i;
        sc[i] = 2;
    }
#pragma xmp loop on rows[i]
    for (i = 0; i < CG_ORDER; i++) {
        direction[i] = i % 7;
        for (k = 0; k < CG_ROW; k++) {
            column[i][k] = cg_column(i, k);
            value[i][k] = cg_value(k);
        }
    }
#pragma xmp loop (i, j) on points[i][j][*]
    for (i = 0; i < HIMENO_I; i++)
        for (j = 0; j < HIMENO_J; j++)
            for (k = 0; k < HIMENO_K; k++) {
                a[0][i][j][k] = a[1][i][j][k] = a[2][i][j][k] = 1;
                a[3][i][j][k] = 1.0f / 6;
                b[0][i][j][k] = b[1][i][j][k] = b[2][i][j][k] = 0;
                c[0][i][j][k] = c[1][i][j][k] = c[2][i][j][k] = 1;
                u[i][j][k] = himeno_start(i);
                source[i][j][k] = 0;
                bound[i][j][k] = 1;
            }
}

int laplace_is_right(void)
{
    int i, j, wrong = 0;
#pragma xmp loop on plane[i][*]
    for (i = 0; i < LAPLACE; i++)
        for (j = 0; j < LAPLACE; j++)
            wrong += now[i][j] != i + j;
    return wrong == 0;
}

int triad_is_right(void)
{
    int i, wrong = 0;
#pragma xmp loop on line[i]
    for (i = 0; i < STREAM; i++)
        wrong += sa[i] != i + 6;
    return wrong == 0;
}
