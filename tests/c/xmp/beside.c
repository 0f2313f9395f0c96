/* Loops that count further variables beside that of the directive, over all formats. */
#include "check.h"
#include <xmp.h>

#define N 40

#pragma xmp nodes p[*]
#pragma xmp template tb[N]
#pragma xmp distribute tb[block] onto p
#pragma xmp template tc[N]
#pragma xmp distribute tc[cyclic] onto p
#pragma xmp template td[N]
#pragma xmp distribute td[cyclic(3)] onto p

int a[N], b[N], c[N];
#pragma xmp align a[i] with tb[i]
#pragma xmp align b[i] with tc[i]
#pragma xmp align c[i] with td[i]

int values[3 * N];

int main(void)
{
    int i, k, n, *value;
    const int from = 3;
    for (i = 0; i < 3 * N; i++)
        values[i] = 7 * i;

#pragma xmp loop on tb[i]
    for (i = 0, k = 5; i < N; i++, k += 2)
        a[i] = k;
#pragma xmp loop on tb[i]
    for (int i = 0; i < N; i++)
        REQUIRE(a[i] == 5 + 2 * i);

#pragma xmp loop on tc[i]
    for (i = from, k = N, value = values; i < N; i++, k--, value += 3)
        b[i] = k + *value;
#pragma xmp loop on tc[i]
    for (i = from; i < N; i++)
        REQUIRE(b[i] == N - (i - from) + 7 * 3 * (i - from));

#pragma xmp loop on td[i]
    for (int i = N - 1, k = 2, m = 9; i >= 1; i -= 2, k++, m -= 4)
        c[i] = 1000 * k + m;
#pragma xmp loop on td[i]
    for (i = 1; i < N; i += 2) {
        n = (N - 1 - i) / 2;
        REQUIRE(c[i] == 1000 * (2 + n) + 9 - 4 * n);
    }

#pragma xmp loop on tc[i]
    for (i = 1, k = 0; i < N; i += 4, k++)
        b[i] = k;
#pragma xmp loop on tc[i]
    for (i = 1; i < N; i += 4)
        REQUIRE(b[i] == (i - 1) / 4);
    return 0;
}
