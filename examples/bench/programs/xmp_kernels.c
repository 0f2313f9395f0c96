/* Kernels in the global view: Laplace, STREAM, EP and CG by directives, and the same by one node alone, which is the
 * sequential program. See mpi_kernels.c. */
#include "kernels.h"
#include "xmp_timing.h"

#include <stdlib.h>
#include <xmp.h>

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

static long ep_count;
static double ep_sum, cg_rho;

static void laplace(int n)
{
    int turn, i, j;
    for (turn = 0; turn < n; turn++) {
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
}

static void triad(int n)
{
    int turn, i;
    for (turn = 0; turn < n; turn++) {
#pragma xmp loop on line[i]
        for (i = 0; i < STREAM; i++)
            sa[i] = sb[i] + 3 * sc[i];
#pragma xmp barrier
    }
}

static void ep(int n)
{
    int turn, batch;
    for (turn = 0; turn < n; turn++) {
        long count = 0;
        double sum = 0;
#pragma xmp loop on batches[batch] reduction(+: count, sum)
        for (batch = 0; batch < EP_BATCHES; batch++)
            count += ep_batch(batch, &sum);
        ep_count = count;
        ep_sum = sum;
    }
}

static void multiply(void)
{
    int i, k;
#pragma xmp reflect (direction)
#pragma xmp loop on rows[i]
    for (i = 0; i < CG_ORDER; i++) {
        double sum = 0;
        for (k = 0; k < CG_ROW; k++)
            sum += value[i][k] * direction[column[i][k]];
        q[i] = sum;
    }
}

/* The steps do not converge, so that all of them are alike: the direction is what it was, but for its length. */
static void cg(int n)
{
    int turn, i;
    for (turn = 0; turn < n; turn++) {
        double product = 0, rho = 0;
        multiply();
#pragma xmp loop on rows[i] reduction(+: product)
        for (i = 0; i < CG_ORDER; i++)
            product += direction[i] * q[i];
#pragma xmp loop on rows[i] reduction(+: rho)
        for (i = 0; i < CG_ORDER; i++) {
            r[i] = q[i] / product;
            rho += r[i] * r[i];
        }
#pragma xmp loop on rows[i]
        for (i = 0; i < CG_ORDER; i++)
            direction[i] = r[i] / sqrt(rho);
        cg_rho = rho;
    }
}

/* The same of one node alone */

static double (*alone_now)[LAPLACE], (*alone_next)[LAPLACE], *alone_a, *alone_b, *alone_c;
static double (*alone_value)[CG_ROW], *alone_r, *alone_q, *alone_direction;
static int (*alone_column)[CG_ROW];
static long alone_count;
static double alone_sum, alone_rho;

static void *room(size_t bytes)
{
    void *memory = calloc(bytes, 1);
    if (!memory)
        exit(2);
    return memory;
}

static void laplace_alone(int n)
{
    int turn, i, j;
    for (turn = 0; turn < n && node == 0; turn++) {
        for (i = 1; i < LAPLACE - 1; i++)
            for (j = 1; j < LAPLACE - 1; j++)
                alone_next[i][j] =
                    (alone_now[i - 1][j] + alone_now[i + 1][j] + alone_now[i][j - 1] + alone_now[i][j + 1]) / 4;
        for (i = 1; i < LAPLACE - 1; i++)
            for (j = 1; j < LAPLACE - 1; j++)
                alone_now[i][j] = alone_next[i][j];
    }
}

static void triad_alone(int n)
{
    int turn, i;
    for (turn = 0; turn < n && node == 0; turn++)
        for (i = 0; i < STREAM; i++)
            alone_a[i] = alone_b[i] + 3 * alone_c[i];
}

static void ep_alone(int n)
{
    int turn, batch;
    for (turn = 0; turn < n && node == 0; turn++) {
        alone_count = 0;
        alone_sum = 0;
        for (batch = 0; batch < EP_BATCHES; batch++)
            alone_count += ep_batch(batch, &alone_sum);
    }
}

static void cg_alone(int n)
{
    int turn, i, k;
    for (turn = 0; turn < n && node == 0; turn++) {
        double product = 0, rho = 0;
        for (i = 0; i < CG_ORDER; i++) {
            double sum = 0;
            for (k = 0; k < CG_ROW; k++)
                sum += alone_value[i][k] * alone_direction[alone_column[i][k]];
            alone_q[i] = sum;
        }
        for (i = 0; i < CG_ORDER; i++)
            product += alone_direction[i] * alone_q[i];
        for (i = 0; i < CG_ORDER; i++) {
            alone_r[i] = alone_q[i] / product;
            rho += alone_r[i] * alone_r[i];
        }
        for (i = 0; i < CG_ORDER; i++)
            alone_direction[i] = alone_r[i] / sqrt(rho);
        alone_rho = rho;
    }
}

static void prepare_alone(void)
{
    int i, k;
    if (node > 0)
        return;
    alone_now = room(sizeof(double[LAPLACE][LAPLACE]));
    alone_next = room(sizeof(double[LAPLACE][LAPLACE]));
    alone_a = room(sizeof(double) * STREAM);
    alone_b = room(sizeof(double) * STREAM);
    alone_c = room(sizeof(double) * STREAM);
    alone_value = room(sizeof(double[CG_ORDER][CG_ROW]));
    alone_column = room(sizeof(int[CG_ORDER][CG_ROW]));
    alone_r = room(sizeof(double) * CG_ORDER);
    alone_q = room(sizeof(double) * CG_ORDER);
    alone_direction = room(sizeof(double) * CG_ORDER);
    for (i = 0; i < LAPLACE; i++)
        for (k = 0; k < LAPLACE; k++)
            alone_now[i][k] = i + k;
    for (i = 0; i < STREAM; i++) {
        alone_a[i] = -1;
        alone_b[i] = i;
        alone_c[i] = 2;
    }
    for (i = 0; i < CG_ORDER; i++) {
        alone_direction[i] = i % 7;
        for (k = 0; k < CG_ROW; k++) {
            alone_column[i][k] = cg_column(i, k);
            alone_value[i][k] = cg_value(k);
        }
    }
}

static void prepare(void)
{
    int i, k;
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
}

/* The plane i + j stays as it is. */
static void check_laplace(void)
{
    int i, j, wrong = 0;
#pragma xmp loop on plane[i][*]
    for (i = 0; i < LAPLACE; i++)
        for (j = 0; j < LAPLACE; j++)
            wrong += now[i][j] != i + j;
    if (wrong)
        report_wrong("laplace", LAPLACE);
}

static void check_triad(void)
{
    int i, wrong = 0;
#pragma xmp loop on line[i]
    for (i = 0; i < STREAM; i++)
        wrong += sa[i] != i + 6;
    if (wrong)
        report_wrong("triad", STREAM);
}

int main(int argc, char **argv)
{
    double rho;
    start_timing(argc, argv);
    prepare();
    prepare_alone();
    if (measure("laplace", LAPLACE, laplace))
        check_laplace();
    measure("laplace_alone", LAPLACE, laplace_alone);
    if (measure("triad", STREAM, triad))
        check_triad();
    measure("triad_alone", STREAM, triad_alone);
    ep_alone(1);
    if (measure("ep", EP_BATCHES * EP_BATCH, ep) && node == 0
        && (ep_count != alone_count || fabs(ep_sum - alone_sum) > 1e-9 * alone_sum))
        report_wrong("ep", EP_BATCHES * EP_BATCH);
    measure("ep_alone", EP_BATCHES * EP_BATCH, ep_alone);
    /* As many steps of both, from the same start, leave the same. */
    cg(3);
    rho = cg_rho;
    cg_alone(3);
    if (selected("cg", CG_ORDER) && node == 0 && !(fabs(rho - alone_rho) < 1e-9 * alone_rho))
        report_wrong("cg", CG_ORDER);
    measure("cg", CG_ORDER, cg);
    measure("cg_alone", CG_ORDER, cg_alone);
    finish_timing();
    return 0;
}
