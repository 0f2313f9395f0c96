/* Iterations that communicate: the nodes of `on` execute an iteration, and no others take part. */
#include "check.h"
#include <xmp.h>

#define M 33

#pragma xmp nodes p[*]
#pragma xmp template t[M]
#pragma xmp distribute t[cyclic] onto p
int a[M];
#pragma xmp align a[i] with t[i]

static void meet(int nodes)
{
    REQUIRE(xmp_num_nodes() == nodes);
    int one = 1;
#pragma xmp reduction (+: one)
    REQUIRE(one == nodes);
}

/* Two nodes execute each iteration, with a reduction, and with a barrier in a function. */
static void pairs(int n)
{
#pragma xmp nodes q[n][2] = p[0:2*n]
#pragma xmp task on p[0:2*n]
    {
        int k;
#pragma xmp loop (k) on q[k][:]
        for (k = 0; k < n; k++) {
            int both = k;
#pragma xmp reduction (+: both)
            REQUIRE(both == 2 * k);
            meet(2);
            if (k % 2)
                continue;
#pragma xmp barrier
        }
        REQUIRE(xmp_num_nodes() == 2 * n);
    }
}

/* The nodes have other numbers of iterations, each gets an element of another node. */
static void neighbours(void)
{
    int i, last = 0;
#pragma xmp loop on t[i]
    for (i = 0; i < M; i++)
        a[i] = i;
#pragma xmp barrier
#pragma xmp loop on t[i]
    for (i = 1; i < M; i++) {
        int b;
#pragma xmp gmove in
        b = a[i - 1];
        REQUIRE(b == i - 1);
        if (i > M / 2)
            break;
        last = i;
    }
    REQUIRE(last <= M / 2);
#pragma xmp reduction (max: last)
    REQUIRE(last == M / 2);
}

int main(void)
{
    if (xmp_num_nodes() > 1)
        pairs(xmp_num_nodes() / 2);
    neighbours();
    return 0;
}
