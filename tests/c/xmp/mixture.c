/* Directives among all that C has: headers with directives, macros, OpenMP, loops in loops, structures as elements, statements
   without braces, jumps. */
#include "check.h"
#include "mapping.h"
#include <stddef.h>

struct pair {
    int key;
    double value;
};

static struct pair pairs[N1][N2];
#pragma xmp align pairs[j][i] with t[j][i]

#pragma xmp nodes q(*)
#pragma xmp template line(0:N1*N2-1)
#pragma xmp distribute line(block) onto q
static long list[N1 * N2], other[N1 * N2];
#pragma xmp align list[i] with line(i)
#pragma xmp align other[i] with line(i)
#pragma xmp shadow list[WIDTH:WIDTH]

#define KEY(j, i) pairs[j][i].key
#define BOTH(j, i) (KEY(j, i) + (int)pairs[j][i].value)
#define EACH(i) for (i = 0; i < N1 * N2; i++)
#define AT(a, i) (a)[(i)]

/* Parameters of prototypes are other variables. */
static long sum_of(long list[N1 * N2], int n);
int unused(struct pair (*pairs)[N2], long (*other)(long list[3], int n));

static int first_above(long limit)
{
    int found = N1 * N2;
#pragma xmp loop on line(i) reduction(min: found)
    for (int i = 0; i < N1 * N2; i++) {
        if (list[i] <= limit)
            continue;
        if (i < found)
            found = i;
        break;
    }
    return found;
}

static long sum_of(long x[N1 * N2], int n)
{
#pragma xmp align x[i] with line(i)
#pragma xmp shadow x[WIDTH]
    long sum = 0;
    size_t i;
#pragma xmp loop on line(i) reduction(+: sum)
    for (i = 0; i < (size_t)n; i++)
        sum += x[i];
    return sum;
}

#pragma xmp template turns(0:N1*N2-1)
#pragma xmp distribute turns(cyclic(3)) onto q
static int dealt[N1 * N2], at;
#pragma xmp align dealt[i] with turns(i)

/* OpenMP before and after `loop`, of blocks in turn; the variable is one of the file. */
static int wrong_by_threads(void)
{
    int wrong = 0;
    for (int round = 0; round < 20; round++) {
#pragma omp parallel \
    for schedule(dynamic)
        /* The order has no meaning. */
#pragma xmp loop on turns(at)
        for (at = 0; at < N1 * N2; at++)
            dealt[at] = at + round;
#pragma xmp loop on turns(at) reduction(+: wrong)
#pragma omp parallel for reduction(+: wrong)
        for (at = N1 * N2 - 1; at >= 0; at--)
            wrong += dealt[at] != at + round;
    }
    return wrong;
}

int main(void)
{
    int i, j, wrong = 0;
    long total = 0;
    unsigned count = 0;

#pragma xmp loop on t[j][*]
    for (j = 0; j < N1; j++)
#pragma xmp loop on t[*][i]
        for (i = 0; i < N2; i++) {
            KEY(j, i) = 10 * j;
            pairs[j][i].value = i;
        }
#pragma xmp loop (j, i) on t[j][i] reduction(+: wrong)
    for (j = 0; j < N1; j++)
        for (i = 0; i < N2; i++)
            if (BOTH(j, i) != 10 * j + i)
                wrong++;
    REQUIRE(wrong == 0);

#pragma xmp loop on line(k)
#pragma omp parallel for
    for (int k = 0; N1 * N2 != k; k++)
        list[k] = other[k] = 3L * k;
#pragma xmp loop on line(k) reduction(+: total)
#pragma omp parallel for reduction(+: total)
    for (int k = 0; k < N1 * N2; k++)
        total += list[k];
    REQUIRE(total == 3L * (N1 * N2) * (N1 * N2 - 1) / 2);
    REQUIRE(sum_of(list, N1 * N2) == total);
    REQUIRE(wrong_by_threads() == 0);
    REQUIRE(first_above(299) == 100 && first_above(100000) == N1 * N2);

    for (int step = 0; step < 3; step++)
        if (step == 1)
#pragma xmp reflect (list)
        else if (step == 2)
#pragma xmp loop on line(k) reduction(+: count)
            for (int k = WIDTH; k < N1 * N2 - WIDTH; k++)
                count += ((list))[k - WIDTH] + AT(list, k + WIDTH) == 2 * AT(other, k);
        else
            switch (step) {
            case 0:
#pragma xmp barrier
                break;
            }
    REQUIRE(count == N1 * N2 - 2 * WIDTH);
    goto end;
end:
    return 0;
}
