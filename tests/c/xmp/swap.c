/* Pointers to distributed arrays change places, as the levels of time do: each keeps its part and its shadow. */
#include "check.h"
#include <stdlib.h>
#include <xmp.h>

#define N 30
#define M 4

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p

static double *x, *y, (*u)[M], (*v)[M], (*spare)[M];
#pragma xmp align x[i] with t[i]
#pragma xmp align y[i] with t[i]
#pragma xmp align u[i][*] with t[i]
#pragma xmp align v[i][*] with t[i]
#pragma xmp align spare[i][*] with t[i]
#pragma xmp shadow x[1]
#pragma xmp shadow y[1]
#pragma xmp shadow u[1][0]
#pragma xmp shadow v[1][0]
#pragma xmp shadow spare[1][0]

/* Each element becomes the sum of its neighbours. */
static void step(void)
{
    double *tmp;

#pragma xmp reflect (x)
#pragma xmp loop on t[i]
    for (int i = 1; i < N - 1; i++)
        y[i] = x[i - 1] + x[i + 1];
    tmp = x;
    x = y;
    y = tmp;
}

/* Two exchanges change nothing. */
static void there_and_back(void)
{
    int n = 2;
    const double *first = x;
    for (double *old = x; n == 2; n--) {
        x = y;
        y = old;
    }
    REQUIRE(y == first);
    for (double *old = x, *other = y; n == 1; n--)
        x = other, y = old;
    REQUIRE(x == first);
}

static void step_of_rows(void)
{
    double (*old)[M] = u;

#pragma xmp reflect (u)
#pragma xmp loop on t[i]
    for (int i = 1; i < N - 1; i++)
        for (int j = 0; j < M; j++)
            v[i][j] = u[i - 1][j] + u[i + 1][j];
    u = v, v = old;
    spare = u;
    REQUIRE((void *)spare == (void *)u);
}

int main(void)
{
    double level[2][N], sum = 0;

    x = (double *)xmp_malloc(xmp_desc_of(x), N);
    y = (double *)xmp_malloc(xmp_desc_of(y), N);
    u = (double (*)[M])xmp_malloc(xmp_desc_of(u), N, M);
    v = (double (*)[M])xmp_malloc(xmp_desc_of(v), N, M);
    for (int i = 0; i < N; i++)
        level[0][i] = level[1][i] = i * i % 7;
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) {
        x[i] = y[i] = i * i % 7;
        for (int j = 0; j < M; j++)
            u[i][j] = v[i][j] = (i * i % 7) * (j + 1);
    }
    for (int n = 0; n < 5; n++) {
        const double *now = level[n % 2];
        for (int i = 1; i < N - 1; i++)
            level[1 - n % 2][i] = now[i - 1] + now[i + 1];
        there_and_back();
        step();
        step_of_rows();
    }
#pragma xmp loop on t[i] reduction(+ : sum)
    for (int i = 0; i < N; i++) {
        REQUIRE(x[i] == level[1][i]);
        REQUIRE(y[i] == level[0][i]);
        for (int j = 0; j < M; j++) {
            REQUIRE(u[i][j] == (j + 1) * level[1][i]);
            REQUIRE(spare[i][j] == u[i][j]);
        }
        sum += x[i];
    }
    for (int i = 0; i < N; i++)
        sum -= level[1][i];
    REQUIRE(sum == 0);
    free(x);
    free(y);
    free(u);
    free(v);
    return 0;
}
