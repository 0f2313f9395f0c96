/* Arrays by where and how they are declared: members of structures, static arrays of functions, initial values. */
#include "check.h"

#define N 24

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp template c[N]
#pragma xmp distribute c[cyclic(3)] onto p
#pragma xmp template g[6][N]
#pragma xmp distribute g[*][cyclic] onto p

/* Values */
static int primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89};
#pragma xmp align primes[i] with t[i]
#pragma xmp shadow primes[1]
const int same[N] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89};
#pragma xmp align same[i] with c[i]
double table[4][N - 2] = {{1, 2, 3}, {[5] = 6}, [3] = {[N - 3] = 9}};
#pragma xmp align table[j][i] with g[j + 1][i + 1]
long zero[N][2];
#pragma xmp align zero[i][*] with t[i]
double *none = NULL;
#pragma xmp align none[i] with t[i]

/* Members: of a tag, a type and a variable. */
struct field {
    int steps;
    double now[N], next[N];
    const char *name;
};
extern struct field heat;
struct field heat;
#pragma xmp align field.now[i] with t[i]
#pragma xmp align field.next[i] with t[i]
#pragma xmp shadow field.now[1]

typedef struct {
    int rows[5][N], count;
} grid;
static grid one, two;
#pragma xmp align grid.rows[j][i] with g[j][i]

static struct {
    float list[N], whole[3];
} lists;
#pragma xmp align lists.list[i] with c[i]

/* What a function declares for arrays of the file lasts as long as they do, and is there before the directives. */
static const int half = N / 2;
typedef int number;
number (*later)[4];
static number row_sums[N / 2];

static int lasting(int add)
{
    if (later == NULL)
        later = xmp_malloc(xmp_desc_of(later), half, 4);
#pragma xmp nodes w[*]
#pragma xmp template u[half][4]
#pragma xmp distribute u[block][*] onto w
#pragma xmp align later[i][j] with u[i][j]
#pragma xmp align row_sums[i] with u[i][*]
    int sum = 0;
#pragma xmp loop on u[i][*] reduction(+: sum)
    for (int i = 0; i < half; i++) {
        row_sums[i] += add;
        for (int j = 0; j < 4; j++) {
            later[i][j] = row_sums[i] * (i + j);
            sum += later[i][j];
        }
    }
    return sum;
}

/* A local structure of the same name has a member of its own. */
static int local_of_the_same_name(void)
{
    struct {
        int now[2], rows;
    } heat = {{1, 2}, 3};
    return heat.now[1] + heat.rows;
}

static int turns(int add)
{
    static int kept[N];
#pragma xmp align kept[i] with t[i]
    int sum = 0;
#pragma xmp loop on t[i] reduction(+: sum)
    for (int i = 0; i < N; i++) {
        kept[i] += add * i;
        sum += kept[i];
    }
    return sum;
}

static int all_kept(int n)
{
#pragma xmp nodes q(*)
#pragma xmp template s(0:N-1, 0:1)
#pragma xmp distribute s(cyclic, *) onto q
#pragma xmp static_desc :: q, s
    static int kept[2][N] = {{1, 1}, {[3] = 5}};
#pragma xmp align kept[j][i] with s(i, j)
    int local[N] = {1, 2, [20] = 3};
#pragma xmp align local[i] with s(i, *)
    int sum = 0;
#pragma xmp loop on s(i, *) reduction(+: sum)
    for (int i = 0; i < N; i++) {
        sum += kept[0][i] + kept[1][i] + local[i];
        kept[1][i] += n;
    }
    return sum;
}

int main(void)
{
    int wrong = 0, i, j;
    double sum = 0;
    REQUIRE(none == 0);

#pragma xmp reflect (primes)
#pragma xmp loop on t[i] reduction(+: wrong)
    for (i = 1; i < N - 1; i++)
        wrong += primes[i - 1] >= primes[i] || primes[i] >= primes[i + 1] || zero[i][0] + zero[i][1] != 0;
    REQUIRE(wrong == 0);
    int copy[N], want[N] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89};
#pragma xmp gmove
    copy[0:N] = same[0:N];
    for (i = 0; i < N; i++)
        REQUIRE(copy[i] == want[i]);
#pragma xmp loop (j, i) on g[j + 1][i + 1] reduction(+: wrong)
    for (j = 0; j < 4; j++)
        for (i = 0; i < N - 2; i++)
            wrong += table[j][i] != (j == 0 && i < 3 ? i + 1 : j == 1 && i == 5 ? 6 : j == 3 && i == N - 3 ? 9 : 0);
    REQUIRE(wrong == 0);

    heat.steps = 2;
#pragma xmp loop on t[i]
    for (i = 0; i < N; i++)
        heat.now[i] = i * i;
    for (int step = 0; step < heat.steps; step++) {
#pragma xmp reflect (heat.now)
#pragma xmp loop on t[i]
        for (i = 1; i < N - 1; i++)
            heat.next[i] = heat.now[i - 1] + heat.now[i + 1] - 2 * heat.now[i];
    }
#pragma xmp loop on t[i] reduction(+: sum)
    for (i = 0; i < N; i++)
        sum += heat.next[i];
    REQUIRE(sum == 2 * (N - 2));
    int size = 0;
    xmp_array_ndims(xmp_desc_of(heat.now), &size);
    REQUIRE(size == 1 && local_of_the_same_name() == 5);

#pragma xmp loop (i) on g[*][i]
    for (i = 0; i < N; i++) {
        for (j = 0; j < 5; j++)
            one.rows[j][i] = two.rows[j][i] = 10 * i + j;
        two.rows[2][i]++;
    }
    one.count = 3;
#pragma xmp gmove
    {
        one.rows[0][0:N] = two.rows[2][0:N];
    }
#pragma xmp loop (i) on g[*][i] reduction(+: wrong)
    for (i = 0; i < N; i++)
        wrong += one.rows[0][i] != 10 * i + one.count || one.rows[1][i] != 10 * i + 1;
    REQUIRE(wrong == 0);

    lists.whole[1] = 1;
#pragma xmp array on c[:]
    {
        lists.list[:] = lists.whole[1] + 1;
    }
    sum = 0;
#pragma xmp loop on c[k] reduction(+: sum)
    for (int k = 0; k < N; k++)
        sum += lists.list[k];
    REQUIRE(sum == 2 * N);

    REQUIRE(turns(1) == N * (N - 1) / 2 && turns(2) == 3 * N * (N - 1) / 2);
    REQUIRE(lasting(1) == 336 && lasting(2) == 3 * 336);
    REQUIRE(all_kept(1) == 13 && all_kept(0) == 13 + N && all_kept(0) == 13 + N);
    return 0;
}
