/* Objects of functions: local nodes, templates and arrays, arguments, pointers with xmp_malloc, replicated arrays. */
#include "check.h"

#pragma xmp nodes p(*)
#pragma xmp template t(0:99)
#pragma xmp distribute t(block) onto p

static double a[100], m[100][3];
#pragma xmp align a[i] with t(i)
#pragma xmp align m[i][*] with t(i)
#pragma xmp shadow a[1]

static double total(double x[100])
{
#pragma xmp align x[i] with t(i)
#pragma xmp shadow x[1]
    double sum = 0;
#pragma xmp loop on t(i) reduction(+: sum)
    for (int i = 0; i < 100; i++)
        sum += x[i];
    return sum;
}

static int owned(const double *part, int n)
{
    int same = 0;
    for (int i = 0; i < n; i++)
        same += part[i] == 42;
    return same;
}

static double row(const double *r)
{
    return r[0] + r[1] + r[2];
}

static long squares(int n)
{
#pragma xmp nodes q(*) = *
#pragma xmp template s(0:n-1, 0:n-1)
#pragma xmp distribute s(*, cyclic) onto q
    long x[n][n];
#pragma xmp align x[j][i] with s(i, j)
    long sum = 0;
    if (n == 1)
        return 1;
#pragma xmp loop (j, i) on s(i, j)
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            x[j][i] = j == i ? j : 0;
#pragma xmp loop on s(*, j) reduction(+: sum)
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            sum += x[j][i] * x[j][i];
    return sum;
}

static void pointers(int n)
{
#pragma xmp template v(:)
#pragma xmp distribute v(block) onto p
    float *f;
#pragma xmp align f[i] with v(i)
#pragma xmp shadow f[0:1]
    int lower, upper, axis;
#pragma xmp template_fix v(0:n-1)
    f = (float *)xmp_malloc(xmp_desc_of(f), n);
    REQUIRE(f);
#pragma xmp loop on v(i)
    for (int i = 0; i < n; i++)
        f[i] = i;
#pragma xmp reflect (f)
#pragma xmp loop on v(i)
    for (int i = 0; i < n - 1; i++)
        REQUIRE(f[i + 1] == i + 1);
    xmp_array_lbound(xmp_desc_of(f), 1, &lower);
    xmp_array_ubound(xmp_desc_of(f), 1, &upper);
    xmp_align_axis(xmp_desc_of(f), 1, &axis);
    REQUIRE(lower == 0 && upper == n - 1 && axis == 1);
    free(f);
}

#pragma xmp nodes r[*][1]
#pragma xmp template g[20][20]
#pragma xmp distribute g[block][block] onto r
static int w[20];
#pragma xmp align w[i] with g[*][i]

int main(void)
{
#pragma xmp loop on t(i)
    for (int i = 0; i < 100; i++) {
        a[i] = 42;
        m[i][0] = i;
        m[i][1] = 2 * i;
        m[i][2] = 3 * i;
        REQUIRE(row(m[i]) == 6 * i);
    }
#pragma xmp reflect (a)
    REQUIRE(total(a) == 4200);
    /* A bare name is the start of the part: here the shadow, then the elements. */
    REQUIRE(owned(a + 1, 5) == 5);
    REQUIRE(squares(10) == 285 && squares(1) == 1);
    REQUIRE(xmp_num_nodes() == xmp_all_num_nodes());
    pointers(64);
    pointers(200);
#pragma xmp task on p(1)
    {
        REQUIRE(squares(10) == 285);
    }
#pragma xmp loop on g[*][i]
    for (int i = 0; i < 20; i++)
        w[i] = i;
    int sum = 0;
#pragma xmp loop on g[*][i] reduction(+: sum)
    for (int i = 0; i < 20; i++)
        sum += w[i];
    REQUIRE(sum == 190);
    return 0;
}
