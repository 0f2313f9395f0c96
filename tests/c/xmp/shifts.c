/* Arrays that are assigned from shifted sections of themselves, and pointers to parts by local_alias. */
#include "check.h"

#define N 20

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp template c[3][N]
#pragma xmp distribute c[*][cyclic(2)] onto p

static double a[N], m[N][4];
#pragma xmp align a[i] with t[i]
#pragma xmp align m[i][*] with t[i]
#pragma xmp shadow a[1]
static long q[3][N];
#pragma xmp align q[j][i] with c[j][i]

static long (*rows)[N];
#pragma xmp align rows[j][i] with c[j][i]

static double *of_a, (*of_m)[4];
#pragma xmp local_alias of_a => a
#pragma xmp local_alias of_m => m

static int elements(void)
{
    int count = 0;
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++)
        count++;
    return count;
}

int main(void)
{
    int i, wrong = 0, n = elements();
#pragma xmp loop on t[i]
    for (i = 0; i < N; i++) {
        a[i] = i;
        for (int k = 0; k < 4; k++)
            m[i][k] = 10 * i + k;
    }
#pragma xmp reflect (a)
#pragma xmp array on t[1:N-1]
    a[1:N-1] = a[0:N-1] + 1;
#pragma xmp loop on t[i] reduction(+: wrong)
    for (i = 0; i < N; i++)
        wrong += a[i] != i;
#pragma xmp reflect (a)
#pragma xmp array on t[1:N-2]
    a[1:N-2] = a[0:N-2] + a[2:N-2] - a[1:N-2];
#pragma xmp loop on t[i] reduction(+: wrong)
    for (i = 0; i < N; i++)
        wrong += a[i] != i;
    REQUIRE(wrong == 0);

    /* Columns within rows, and rows of a cyclic array. */
#pragma xmp array on t[:]
    m[:][1:3] = m[:][0:3] + 5;
#pragma xmp loop on t[i] reduction(+: wrong)
    for (i = 0; i < N; i++)
        for (int k = 1; k < 4; k++)
            wrong += m[i][k] != 10 * i + k + 4;
#pragma xmp loop (i) on c[*][i]
    for (i = 0; i < N; i++)
        for (int j = 0; j < 3; j++)
            q[j][i] = 100 * j + i;
#pragma xmp array on c[:][:]
    q[0:2][:] = q[1:2][:];
#pragma xmp array on c[:][:]
    q[2][:] = q[2][:] - q[0][:];
#pragma xmp loop (i) on c[*][i] reduction(+: wrong)
    for (i = 0; i < N; i++)
        wrong += (q)[0][i] != 100 + i || q[1][i] != 200 + i || q[2][i] != 100;
    REQUIRE(wrong == 0);

    rows = xmp_malloc(xmp_desc_of(rows), 3, N);
#pragma xmp loop (i) on c[*][i]
    for (i = 0; i < N; i++)
        for (int j = 0; j < 3; j++)
            (rows)[j][i] = 100 * j + i;
#pragma xmp array on c[:][:]
    rows[0:2][:] = rows[1:2][:];
#pragma xmp loop (i) on c[*][i] reduction(+: wrong)
    for (i = 0; i < N; i++)
        wrong += rows[0][i] != 100 + i || rows[1][i] != 200 + i || rows[2][i] != 200 + i;
    REQUIRE(wrong == 0);
    free(rows);

    double *here;
#pragma xmp local_alias here => a
    if (n > 0) {
        int width = (N + xmp_num_nodes() - 1) / xmp_num_nodes();
        REQUIRE(here == of_a && of_m[n - 1][0] == 10 * (width * (xmp_node_num() - 1) + n - 1));
        of_a[1] = -5; /* after the shadow */
    }
#pragma xmp loop on t[i] reduction(+: wrong)
    for (i = 0; i < N; i++)
        wrong += a[i] == -5;
    int with = n > 0;
#pragma xmp reduction(+: with)
    REQUIRE(wrong == with);
    return 0;
}
