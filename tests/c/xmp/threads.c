/* Threads of OpenMP in distributed loops: clauses that name all variables, loops that `collapse` joins, cyclic blocks. */
#include "check.h"

enum { N = 37, M = 5 };

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp template c[N]
#pragma xmp template d[N]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute c[cyclic] onto p
#pragma xmp distribute d[cyclic(3)] onto p
int on_t[N], on_c[N], on_d[N], rows[N][M];
#pragma xmp align on_t[i] with t[i]
#pragma xmp align on_c[i] with c[i]
#pragma xmp align on_d[i] with d[i]
#pragma xmp align rows[i][*] with d[i]

static void named(void)
{
    int i, twice, sum = 0;
#pragma xmp loop on t[i]
#pragma omp parallel for default(none) shared(on_t) private(twice)
    for (i = 0; i < N; i++) {
        twice = 2 * i;
        on_t[i] = twice;
    }
#pragma omp parallel for \
    default ( none ) shared(on_c)
#pragma xmp loop on c[i]
    for (i = 0; i < N; i++)
        on_c[i] = i;
#pragma xmp loop on d[i]
#pragma omp parallel for schedule(dynamic) default(none) shared(on_d)
    for (i = 0; i < N; i++)
        on_d[i] = 3 * i;
#pragma xmp loop on t[i] reduction(+: sum)
#pragma omp parallel for default(none) shared(on_t) reduction(+: sum)
    for (i = 0; i < N; i++)
        sum += on_t[i];
    REQUIRE(sum == N * (N - 1));
#pragma omp parallel default(none) shared(sum, on_c, on_d)
    {
#pragma omp single
        sum = 0;
#pragma xmp loop on d[i]
#pragma omp for reduction(+: sum)
        for (int i = 0; i < N; i++)
            sum += on_d[i];
    }
#pragma xmp reduction(+: sum)
    REQUIRE(sum == 3 * N * (N - 1) / 2);
}

static void joined(void)
{
    int i, j;
#pragma xmp loop (i) on d[i]
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++)
            rows[i][j] = 1;
    for (int time = 0; time < 200; time++) {
        int sum = 0;
#pragma xmp loop (i) on d[i] reduction(+: sum)
#pragma omp parallel for collapse(2) reduction(+: sum) num_threads(4) schedule(static, 1)
        for (j = 0; j < M; j++)
            for (i = 0; i < N; i++)
                sum += rows[i][j];
        REQUIRE(sum == N * M);
    }
}

int main(void)
{
    named();
    joined();
    return 0;
}
