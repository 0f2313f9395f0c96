/* Functions in directives are called once for each time that the directive is executed. */
#include "check.h"
#include <xmp.h>

#define N 24

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p

int a[N];
#pragma xmp align a[i] with t[i]

static int calls;

static int first(void)
{
    calls++;
    return 0;
}

static int step(void)
{
    calls += 100;
    return 2;
}

int main(void)
{
    int i, x[N] = {0}, nodes = xmp_num_nodes();

#pragma xmp task on p[first() : nodes]
    REQUIRE(xmp_num_nodes() == nodes);
    REQUIRE(calls == 1);
    calls = 0;
#pragma xmp barrier on p[first() : nodes : step()]
    REQUIRE(calls == 101);

#pragma xmp loop on t[i]
    for (i = 0; i < N; i++)
        a[i] = i;
    calls = 0;
#pragma xmp gmove
    x[first() : N / 2 : step()] = a[0 : N / 2];
    REQUIRE(calls == 101);
    for (i = 0; i < N; i++)
        REQUIRE(x[i] == (i % 2 == 0 ? i / 2 : 0));
    calls = 0;
#pragma xmp gmove
    x[first() :] = a[:];
    REQUIRE(calls == 1);
    for (i = 0; i < N; i++)
        REQUIRE(x[i] == i);
    for (i = 0; i < N; i++)
        x[i] = 0;
    calls = 0;
#pragma xmp array on t[:]
    a[first() : N / 2 : step()] = 7;
    REQUIRE(calls == 101);
    calls = 0;
#pragma xmp array on t[:]
    a[first() : N / 2 : step()] = a[0 : N / 2 : step()] + 1;
    REQUIRE(calls == 201);
#pragma xmp gmove
    x[:] = a[:];
    for (i = 0; i < N; i++)
        REQUIRE(x[i] == (i % 2 == 0 ? 8 : i));
    calls = 0;
    x[first() : N / 2 : step()] = 3;
    REQUIRE(calls == 101);
    REQUIRE(x[0] == 3 && x[1] == 1 && x[N - 2] == 3);
    return 0;
}
