/* Clauses of OpenMP in distributed loops of all formats, each loop with four threads: the last value, the order, vectors. Each node has
   elements of all arrays: the last value of no iterations is not defined. */
#include "check.h"

enum { N = 48 };

#pragma xmp nodes p[*]
#pragma xmp template ta[N]
#pragma xmp template tb[N]
#pragma xmp template tc[N]
#pragma xmp template td[:]
#pragma xmp distribute ta[block] onto p
#pragma xmp distribute tb[cyclic] onto p
#pragma xmp distribute tc[cyclic(3)] onto p
#pragma xmp distribute td[gblock(*)] onto p
int a[N], b[N], c[N], *d;
#pragma xmp align a[i] with ta[i]
#pragma xmp align b[i] with tb[i]
#pragma xmp align c[i] with tc[i]
#pragma xmp align d[i] with td[i]

static int list[N], count;

static void follows(int distance)
{
    for (int k = 1; k < count; k++)
        REQUIRE(list[k] == list[k - 1] + distance);
    count = 0;
}

static void gblocks(void)
{
    int i, last = -1, seen = -1, sum = 0;
#pragma xmp loop on td[i]
#pragma omp parallel for lastprivate(last) num_threads(4) schedule(dynamic)
    for (i = 0; i < N; i++) {
        d[i] = 3 * i;
        last = i;
    }
#pragma xmp loop on td[i]
    for (i = 0; i < N; i++)
        seen = i;
    REQUIRE(last == seen);
#pragma xmp loop on td[i] reduction(+: sum)
#pragma omp parallel for reduction(+: sum) num_threads(4)
    for (i = N - 1; i >= 0; i--)
        sum += d[i];
    REQUIRE(sum == 3 * N * (N - 1) / 2);
#pragma xmp loop on td[i]
#pragma omp parallel for ordered num_threads(4) schedule(dynamic)
    for (i = 1; i < N; i += 3) {
#pragma omp ordered
        list[count++] = i;
    }
    follows(3);
#pragma xmp loop on td[i]
#pragma omp simd safelen(4)
    for (i = 1; i < N; i++)
        d[i] += i;
    sum = 0;
#pragma xmp loop on td[i] reduction(+: sum)
#pragma omp parallel for simd reduction(+: sum) num_threads(4) default(none) shared(d)
    for (i = 0; i < N; i++)
        sum += d[i];
    REQUIRE(sum == 4 * N * (N - 1) / 2);
}

static void blocks(void)
{
    int i, last = -1, seen = -1;
#pragma xmp loop on ta[i]
#pragma omp parallel for lastprivate(last) num_threads(4)
    for (i = 0; i < N; i++)
        a[i] = last = i;
#pragma xmp loop on ta[i]
    for (i = 0; i < N; i++)
        seen = i;
    REQUIRE(last == seen);
#pragma xmp loop on ta[i]
#pragma omp parallel for ordered num_threads(4) schedule(static, 1)
    for (i = N - 1; i >= 0; i--) {
#pragma omp ordered
        list[count++] = i;
    }
    follows(-1);
}

static void rounds(void)
{
    int i, last = -1, seen = -1, sum = 0;
#pragma xmp loop on tb[i]
#pragma omp parallel for lastprivate(last) num_threads(4) schedule(static, 1)
    for (i = 0; i < N; i++)
        b[i] = last = i;
#pragma xmp loop on tb[i]
    for (i = 0; i < N; i++)
        seen = i;
    REQUIRE(last == seen);
#pragma xmp loop on tb[i]
#pragma omp parallel for ordered num_threads(4) schedule(dynamic)
    for (i = 0; i < N; i++) {
#pragma omp ordered
        list[count++] = i;
    }
    follows(xmp_all_num_nodes());
#pragma xmp loop on tc[i]
#pragma omp parallel for lastprivate(last) num_threads(4) schedule(dynamic)
    for (i = 0; i < N; i++)
        c[i] = last = i;
#pragma xmp loop on tc[i]
    for (i = 0; i < N; i++)
        seen = i;
    REQUIRE(last == seen);
#pragma xmp loop on tc[i] reduction(+: sum)
#pragma omp parallel for simd reduction(+: sum) num_threads(4)
    for (i = 0; i < N; i++)
        sum += c[i];
    REQUIRE(sum == N * (N - 1) / 2);
}

int main(void)
{
    /* The first nodes have few elements, the last one has the others. */
    int nodes = xmp_all_num_nodes(), *m = malloc(nodes * sizeof *m);
    for (int k = 0; k < nodes; k++)
        m[k] = k + 1;
    m[nodes - 1] = N - nodes * (nodes - 1) / 2;
#pragma xmp template_fix [gblock(m)] td[N]
    d = xmp_malloc(xmp_desc_of(d), N);
    gblocks();
    blocks();
    rounds();
    return 0;
}
