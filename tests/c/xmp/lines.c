/* Arrays of one shape, whose parts have whole pages, start in different lines of a page: a loop that reads all of them at one index
 * would otherwise need more ways of the first-level cache than there are. */
#include "check.h"

#include <stdint.h>

#define N 64

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
static double a[N][512], b[N][512], c[2][N][512], d[N][512];
#pragma xmp align a[i][*] with t[i]
#pragma xmp align b[i][*] with t[i]
#pragma xmp align c[*][i][*] with t[i]
#pragma xmp align d[i][*] with t[i]
#pragma xmp shadow d[1][0]

/* The line of a page that an element is in. */
static int line(const double *element)
{
    return (int)((uintptr_t)element % 4096 / 64);
}

int main(void)
{
    int i, first = -1;
#pragma xmp loop on t[i]
    for (i = 0; i < N; i++)
        if (first < 0)
            first = i;
    if (first >= 0) {
        const int lines[] = {line(a[first]), line(b[first]), line(c[0][first]), line(d[first])};
        for (i = 0; i < 4; i++)
            for (int other = 0; other < i; other++)
                REQUIRE(lines[i] != lines[other]);
    }
    return 0;
}
