/* Loops and assignments with arrays of other templates than that of the directive, whose elements are on the same nodes. */
#include "check.h"
#include <xmp.h>

#pragma xmp nodes p[*]
#pragma xmp nodes same[*]

/* Twice as many elements, in blocks and dealt out. */
static void finer(int n)
{
    int i, count = 2 * n;
#pragma xmp template t[n]
#pragma xmp distribute t[block] onto p
#pragma xmp template fine[count]
#pragma xmp distribute fine[block] onto same
#pragma xmp template dealt[n]
#pragma xmp distribute dealt[cyclic(2)] onto p
#pragma xmp template doubled[count]
#pragma xmp distribute doubled[cyclic(4)] onto p
    int a[n], b[count], c[n], d[count];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with fine[i]
#pragma xmp shadow b[1]
#pragma xmp align c[i] with dealt[i]
#pragma xmp align d[i] with doubled[i]

#pragma xmp loop on t[i]
    for (i = 0; i < n; i++) {
        b[2 * i] = 10 * i;
        b[2 * i + 1] = 10 * i + 1;
    }
#pragma xmp loop on fine[i]
    for (i = 0; i < count; i++) {
        REQUIRE(b[i] == 10 * (i / 2) + i % 2);
        a[i / 2] = b[i];
    }
#pragma xmp reflect (b)
#pragma xmp loop on t[i]
    for (i = 1; i < n; i++) {
        REQUIRE(a[i] == 10 * i + 1);
        a[i] = b[2 * i - 1] + b[2 * i];
        REQUIRE(a[i] == 20 * i - 9);
    }
#pragma xmp array on t[0:n]
    a[0:n] = b[0:n:2];
#pragma xmp loop on t[i]
    for (i = 0; i < n; i++)
        REQUIRE(a[i] == 10 * i);
#pragma xmp loop on dealt[i]
    for (i = 0; i < n; i++) {
        c[i] = i;
        d[2 * i] = i;
        d[2 * i + 1] = -i;
    }
#pragma xmp loop on doubled[i]
    for (i = 0; i < count; i++)
        REQUIRE(d[i] == (i % 2 ? -i / 2 : i / 2) && c[i / 2] == i / 2);
}

/* Templates that are declared alike, and such that only the values of variables make alike. */
static void alike(int n)
{
    int i;
#pragma xmp template t[n]
#pragma xmp distribute t[block] onto p
#pragma xmp template of_rows[n][3]
#pragma xmp distribute of_rows[block][*] onto p
    int more = n + 1;
#pragma xmp template other[more - 1]
#pragma xmp distribute other[block] onto same
    int a[n], b[n], c[n][3];
#pragma xmp align a[i] with other[i]
#pragma xmp align b[i] with t[i]
#pragma xmp align c[i][j] with of_rows[i][j]
#pragma xmp shadow a[1]
#pragma xmp shadow b[1]

#pragma xmp loop on t[i]
    for (i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
#pragma xmp reflect (a, b)
#pragma xmp loop (i, k) on of_rows[i][k]
    for (i = 1; i < n; i++)
        for (int k = 0; k < 3; k++)
            c[i][k] = a[i - 1] + b[i - 1] + k;
#pragma xmp loop on t[i]
    for (i = 1; i < n; i++)
        REQUIRE(c[i][2] == 3 * (i - 1) + 2);
#pragma xmp array on t[1:n-1]
    b[1:n-1] = a[0:n-1] + c[1:n-1][1];
#pragma xmp loop on other[i]
    for (i = 1; i < n; i++)
        REQUIRE(b[i] == 4 * (i - 1) + 1);
    const int width = n / xmp_num_nodes();
#pragma xmp loop on p[i]
    for (i = 0; i < xmp_num_nodes(); i++)
        a[i * width] = -1;
#pragma xmp loop on t[i]
    for (i = 0; i < n; i++)
        REQUIRE(a[i] == (i % width ? i : -1));
}

int main(void)
{
    finer(6 * xmp_num_nodes());
    alike(6 * xmp_num_nodes());
    return 0;
}
