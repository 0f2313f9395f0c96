/* Collectives: every type, for all images and for one. */
#include "check.h"
#include <complex.h>
#include <limits.h>
#include <stdlib.h>

static int me, n, sum;

/* 1 to n and the negatives of that, by every operation, to all images and to the last. */
#define NUMBERS(type, code)                                                                            \
    do {                                                                                               \
        for (int result = 0; result <= n; result += n) {                                               \
            type s[3] = {(type)me, 1, (type)(2 * me)}, low[2] = {(type)me, 7}, high[2] = {(type)me, 7}; \
            DO(xmprt_co_sum(XMPRT_CURRENT, s, 3, code, result));                                       \
            DO(xmprt_co_min(XMPRT_CURRENT, low, 2, code, result));                                     \
            DO(xmprt_co_max(XMPRT_CURRENT, high, 2, code, result));                                    \
            if (result == XMPRT_ALL || result == me) {                                                 \
                REQUIRE(s[0] == (type)sum && s[1] == (type)n && s[2] == (type)(2 * sum));              \
                REQUIRE(low[0] == 1 && low[1] == 7 && high[0] == (type)n && high[1] == 7);             \
            }                                                                                          \
        }                                                                                              \
    } while (0)

#define COMPLEX(type, code)                                                                            \
    do {                                                                                               \
        type z[2] = {me + 2 * me * I, 1};                                                              \
        DO(xmprt_co_sum(XMPRT_CURRENT, z, 2, code, XMPRT_ALL));                                        \
        REQUIRE(z[0] == sum + 2 * sum * I && z[1] == n);                                               \
        REFUSED(xmprt_co_min(XMPRT_CURRENT, z, 2, code, XMPRT_ALL), XMPRT_BAD_ARGUMENT, "no minimum"); \
    } while (0)

static void reductions(void)
{
    NUMBERS(signed char, XMPRT_SCHAR);
    NUMBERS(short, XMPRT_SHORT);
    NUMBERS(int, XMPRT_INT);
    NUMBERS(long, XMPRT_LONG);
    NUMBERS(long long, XMPRT_LONG_LONG);
    NUMBERS(unsigned char, XMPRT_UCHAR);
    NUMBERS(unsigned short, XMPRT_USHORT);
    NUMBERS(unsigned, XMPRT_UINT);
    NUMBERS(unsigned long, XMPRT_ULONG);
    NUMBERS(unsigned long long, XMPRT_ULONG_LONG);
    NUMBERS(size_t, XMPRT_SIZE);
    NUMBERS(float, XMPRT_FLOAT);
    NUMBERS(double, XMPRT_DOUBLE);
    NUMBERS(long double, XMPRT_LONG_DOUBLE);
    COMPLEX(float complex, XMPRT_FLOAT_COMPLEX);
    COMPLEX(double complex, XMPRT_DOUBLE_COMPLEX);
    COMPLEX(long double complex, XMPRT_LONG_DOUBLE_COMPLEX);
    /* Unsigned is not signed. */
    unsigned top = me == 1 ? UINT_MAX : 1;
    DO(xmprt_co_max(XMPRT_CURRENT, &top, 1, XMPRT_UINT, XMPRT_ALL));
    REQUIRE(top == UINT_MAX);
}

static void large(void)
{
    size_t count = 100000;
    double *x = malloc(count * sizeof *x);
    for (size_t k = 0; k < count; k++)
        x[k] = (double)k + me;
    DO(xmprt_co_sum(XMPRT_CURRENT, x, count, XMPRT_DOUBLE, XMPRT_ALL));
    for (size_t k = 0; k < count; k++)
        REQUIRE(x[k] == (double)k * n + sum);
    DO(xmprt_co_broadcast(XMPRT_CURRENT, x, 0, 1));
    DO(xmprt_co_sum(XMPRT_CURRENT, NULL, 0, XMPRT_DOUBLE, XMPRT_ALL));
    free(x);
}

static void moving(void)
{
    char text[32] = "";
    if (me == n)
        snprintf(text, sizeof text, "from image %d", n);
    DO(xmprt_co_broadcast(XMPRT_CURRENT, text, sizeof text, n));
    int number = 0;
    REQUIRE(sscanf(text, "from image %d", &number) == 1 && number == n);
    struct { int image, square; } mine = {me, me * me}, all[8];
    DO(xmprt_co_allgather(XMPRT_CURRENT, all, &mine, sizeof mine));
    for (int k = 0; k < n; k++)
        REQUIRE(all[k].image == k + 1 && all[k].square == (k + 1) * (k + 1));
}

/* Image k gives image i the number 100 k + i. */
static void parts(void)
{
    int whole[8], own[8], last = n;
    for (int i = 0; i < n; i++)
        own[i] = 100 * me + i + 1;
    DO(xmprt_co_alltoall(XMPRT_CURRENT, whole, own, sizeof(int)));
    for (int k = 0; k < n; k++)
        REQUIRE(whole[k] == 100 * (k + 1) + me);

    int mine = 7 * me;
    DO(xmprt_co_gather(XMPRT_CURRENT, me == last ? whole : NULL, &mine, sizeof mine, last));
    for (int k = 0; me == last && k < n; k++)
        REQUIRE(whole[k] == 7 * (k + 1));
    DO(xmprt_co_scatter(XMPRT_CURRENT, &mine, me == 1 ? own : NULL, sizeof mine, 1));
    REQUIRE(mine == 100 + me);
}

/* Image k has k numbers, each k; they are in the whole in the opposite order of the images. */
static void parts_of_any_length(void)
{
    int whole[40] = {0}, mine[8], got[8] = {0};
    size_t lens[8], offsets[8], bytes = me * sizeof(int);
    for (int k = 0, from = sum; k < n; k++) {
        from -= k + 1;
        lens[k] = (k + 1) * sizeof(int);
        offsets[k] = from * sizeof(int);
    }
    for (int i = 0; i < me; i++)
        mine[i] = me;
    DO(xmprt_co_gatherv(XMPRT_CURRENT, whole, me == 1 ? lens : NULL, me == 1 ? offsets : NULL, mine, bytes, 1));
    for (int k = 0; me == 1 && k < n; k++)
        for (int i = 0; i <= k; i++)
            REQUIRE(whole[offsets[k] / sizeof(int) + i] == k + 1);
    DO(xmprt_co_scatterv(XMPRT_CURRENT, got, bytes, whole, me == 1 ? lens : NULL, me == 1 ? offsets : NULL, 1));
    REQUIRE(memcmp(got, mine, bytes) == 0);

    /* All of mine for each image. */
    size_t own_lens[8], own_offsets[8];
    for (int k = 0; k < n; k++) {
        own_lens[k] = bytes;
        own_offsets[k] = 0;
    }
    memset(whole, 0, sizeof whole);
    DO(xmprt_co_alltoallv(XMPRT_CURRENT, whole, lens, offsets, mine, own_lens, own_offsets));
    for (int k = 0; k < n; k++)
        for (int i = 0; i <= k; i++)
            REQUIRE(whole[offsets[k] / sizeof(int) + i] == k + 1);
}

static void scans(void)
{
    int64_t x[3] = {me, -me, 1};
    DO(xmprt_co_scan(XMPRT_CURRENT, x, 3, XMPRT_INT64, XMPRT_SUM));
    REQUIRE(x[0] == me * (me + 1) / 2 && x[1] == -x[0] && x[2] == me);
    double y = 10 - me;
    DO(xmprt_co_exscan(XMPRT_CURRENT, &y, 1, XMPRT_DOUBLE, XMPRT_MIN));
    REQUIRE(y == (me == 1 ? 9 : 10 - (me - 1)));
}

/* Image k has k + j for image j: each gets its part of the sums, and of the products. */
static void parts_of_reductions(void)
{
    double all[8][3], mine[3], sums[8][3];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < 3; i++)
            sums[j][i] = all[j][i] = 1.0 / (me + j + i);
    DO(xmprt_co_reduce_scatter(XMPRT_CURRENT, mine, all, 3, XMPRT_DOUBLE, XMPRT_SUM));
    DO(xmprt_co_sum(XMPRT_CURRENT, sums, 3 * n, XMPRT_DOUBLE, XMPRT_ALL));
    REQUIRE(memcmp(mine, sums[me - 1], sizeof mine) == 0);
    int bits[8], own = 0, expected = 0;
    for (int j = 0; j < n; j++)
        bits[j] = 1 << (me + j);
    DO(xmprt_co_reduce_scatter(XMPRT_CURRENT, &own, bits, 1, XMPRT_INT, XMPRT_BIT_OR));
    for (int k = 1; k <= n; k++)
        expected |= 1 << (k + me - 1);
    REQUIRE(own == expected);
    DO(xmprt_co_reduce_scatter(XMPRT_CURRENT, NULL, NULL, 0, XMPRT_INT, XMPRT_SUM));
}

/* The values of images 1 and n are the least and the greatest; one value all have. */
static void locations(void)
{
    double x[3] = {me, -2 * me, 7}, y[3] = {me, -2 * me, 7};
    int64_t places[3] = {me, me, 100 - me}, others[3] = {me, me, 100 - me};
    DO(xmprt_co_minloc(XMPRT_CURRENT, x, places, 3, XMPRT_DOUBLE, XMPRT_ALL));
    REQUIRE(x[0] == 1 && x[1] == -2 * n && x[2] == 7);
    REQUIRE(places[0] == 1 && places[1] == n && places[2] == 100 - n);
    DO(xmprt_co_maxloc(XMPRT_CURRENT, y, others, 3, XMPRT_DOUBLE, n));
    if (me == n)
        REQUIRE(y[0] == n && y[1] == -2 && y[2] == 7 && others[0] == n && others[1] == 1 && others[2] == 100 - n);
    unsigned char least = (unsigned char)(255 - me);
    int64_t place = -me;
    DO(xmprt_co_minloc(XMPRT_CURRENT, &least, &place, 1, XMPRT_UCHAR, XMPRT_ALL));
    REQUIRE(least == 255 - n && place == -n);
    DO(xmprt_co_minloc(XMPRT_CURRENT, NULL, NULL, 0, XMPRT_INT, XMPRT_ALL));
}

static void in_a_team(void)
{
    xmprt_team half;
    DO(xmprt_form_team(1 + me % 2, 0, &half));
    int index = xmprt_this_image(half), images = xmprt_num_images(half), all[8];
    int x = 1;
    DO(xmprt_co_scan(half, &x, 1, XMPRT_INT, XMPRT_SUM));
    REQUIRE(x == index);
    DO(xmprt_co_gather(half, all, &me, sizeof me, images));
    for (int k = 0; index == images && k < images; k++)
        REQUIRE(all[k] == me - 2 * (images - 1 - k));
}

static void bad_arguments(void)
{
    int x = 5;
    size_t len = sizeof x, none = 0;
    REFUSED(xmprt_co_gather(XMPRT_CURRENT, &x, &x, 4, n + 1), XMPRT_BAD_ARGUMENT, "xmprt_co_gather: image index");
    REFUSED(xmprt_co_gather(XMPRT_CURRENT, NULL, &x, 4, me), XMPRT_BAD_ARGUMENT, "null pointer");
    REFUSED(xmprt_co_gatherv(XMPRT_CURRENT, &x, NULL, &none, &x, 4, me), XMPRT_BAD_ARGUMENT, "null pointer");
    REFUSED(xmprt_co_scatter(XMPRT_CURRENT, NULL, &x, 4, 1), XMPRT_BAD_ARGUMENT, "null pointer");
    REFUSED(xmprt_co_scatterv(XMPRT_CURRENT, &x, 4, &x, &len, NULL, me), XMPRT_BAD_ARGUMENT, "null pointer");
    REFUSED(xmprt_co_alltoall((xmprt_team){99}, &x, &x, 4), XMPRT_BAD_ARGUMENT, "xmprt_co_alltoall: 0x63 is not a team");
    REFUSED(xmprt_co_alltoall(XMPRT_CURRENT, &x, &x, SIZE_MAX), XMPRT_BAD_ARGUMENT, "more than there is");
    REFUSED(xmprt_co_alltoallv(XMPRT_CURRENT, &x, &len, &none, &x, NULL, &none), XMPRT_BAD_ARGUMENT, "null pointer");
    REFUSED(xmprt_co_scan(XMPRT_CURRENT, &x, 1, XMPRT_INT, (xmprt_op)99), XMPRT_BAD_ARGUMENT, "99 is not an xmprt_op");
    REFUSED(xmprt_co_scan(XMPRT_CURRENT, &x, 1, XMPRT_INT, XMPRT_FIRST_MAX), XMPRT_BAD_ARGUMENT, "for xmprt_reduce_located only");
    int64_t place = 0;
    REFUSED(xmprt_co_reduce_scatter(XMPRT_CURRENT, &x, &x, 1, XMPRT_INT, XMPRT_SUM), XMPRT_BAD_ARGUMENT, "mine and all overlap");
    REFUSED(xmprt_co_reduce_scatter(XMPRT_CURRENT, &x, NULL, 1, XMPRT_INT, XMPRT_SUM), XMPRT_BAD_ARGUMENT, "all is a null pointer");
    REFUSED(xmprt_co_reduce_scatter(XMPRT_CURRENT, XMPRT_IN_PLACE, &x, 1, XMPRT_INT, XMPRT_SUM), XMPRT_BAD_ARGUMENT, "mine is XMPRT_IN_PLACE");
    REFUSED(xmprt_co_reduce_scatter(XMPRT_CURRENT, &x, &place, 1, XMPRT_INT, XMPRT_LAST_MAX), XMPRT_BAD_ARGUMENT, "for xmprt_reduce_located only");
    REFUSED(xmprt_co_reduce_scatter(XMPRT_CURRENT, &x, &place, SIZE_MAX / 4, XMPRT_INT, XMPRT_SUM), XMPRT_BAD_ARGUMENT, "more than there is");
    REFUSED(xmprt_co_reduce_scatter((xmprt_team){99}, &x, &place, 1, XMPRT_INT, XMPRT_SUM), XMPRT_BAD_ARGUMENT, "0x63 is not a team");
    REFUSED(xmprt_co_minloc(XMPRT_CURRENT, &x, NULL, 1, XMPRT_INT, 0), XMPRT_BAD_ARGUMENT, "locations is a null pointer");
    REFUSED(xmprt_co_minloc(XMPRT_CURRENT, &place, &place, 1, XMPRT_INT64, 0), XMPRT_BAD_ARGUMENT, "data and locations overlap");
    REFUSED(xmprt_co_maxloc(XMPRT_CURRENT, &x, &place, 1, XMPRT_FLOAT_COMPLEX, 0), XMPRT_BAD_ARGUMENT, "no maximum");
    REFUSED(xmprt_co_maxloc(XMPRT_CURRENT, &x, &place, 1, XMPRT_INT, n + 1), XMPRT_BAD_ARGUMENT, "not in 1:");
    REFUSED(xmprt_co_maxloc(XMPRT_CURRENT, &x, &place, 1, XMPRT_BOOL, 0), XMPRT_BAD_ARGUMENT, "here the types are XMPRT_INT8 to");
    REFUSED(xmprt_co_sum(XMPRT_CURRENT, &x, 1, XMPRT_BOOL, 0), XMPRT_BAD_ARGUMENT, "here the types are XMPRT_INT8 to");
    REFUSED(xmprt_co_exscan(XMPRT_CURRENT, NULL, 1, XMPRT_INT, XMPRT_SUM), XMPRT_BAD_ARGUMENT, "null pointer");
    REFUSED(xmprt_co_scan(XMPRT_CURRENT, &x, 1, XMPRT_FLOAT_COMPLEX, XMPRT_MAX), XMPRT_BAD_ARGUMENT, "no minimum");
    REFUSED(xmprt_co_sum((xmprt_team){99}, &x, 1, XMPRT_INT, 0), XMPRT_BAD_ARGUMENT, "xmprt_co_sum: 0x63 is not a team");
    REFUSED(xmprt_co_sum(XMPRT_CURRENT, &x, 1, (xmprt_type)0, 0), XMPRT_BAD_ARGUMENT, "xmprt_type");
    REFUSED(xmprt_co_sum(XMPRT_CURRENT, &x, 1, (xmprt_type)99, 0), XMPRT_BAD_ARGUMENT, "xmprt_type");
    REFUSED(xmprt_co_sum(XMPRT_CURRENT, &x, 1, XMPRT_INT, n + 1), XMPRT_BAD_ARGUMENT, "not in 1:");
    REFUSED(xmprt_co_max(XMPRT_CURRENT, &x, 1, XMPRT_INT, -1), XMPRT_BAD_ARGUMENT, "image index -1");
    REFUSED(xmprt_co_min(XMPRT_CURRENT, NULL, 1, XMPRT_INT, 0), XMPRT_BAD_ARGUMENT, "null pointer");
    REFUSED(xmprt_co_min(XMPRT_CURRENT, &x, SIZE_MAX, XMPRT_INT, 0), XMPRT_BAD_ARGUMENT, "more than there is");
    REFUSED(xmprt_co_broadcast(XMPRT_CURRENT, &x, sizeof x, 0), XMPRT_BAD_ARGUMENT, "image index 0");
    REFUSED(xmprt_co_broadcast(XMPRT_CURRENT, NULL, 4, 1), XMPRT_BAD_ARGUMENT, "null pointer");
    REFUSED(xmprt_co_allgather(XMPRT_CURRENT, &x, NULL, 4), XMPRT_BAD_ARGUMENT, "null pointer");
    REFUSED(xmprt_co_allgather(XMPRT_CURRENT, NULL, &x, 4), XMPRT_BAD_ARGUMENT, "xmprt_co_allgather: all is a null pointer");
    REFUSED(xmprt_co_allgather(XMPRT_CURRENT, &x, &x, 4), XMPRT_BAD_ARGUMENT, "mine and all overlap");
    REFUSED(xmprt_co_alltoall(XMPRT_CURRENT, &x, &x, 4), XMPRT_BAD_ARGUMENT, "xmprt_co_alltoall: send and receive overlap");
    REFUSED(xmprt_co_gather(XMPRT_CURRENT, &x, &x, 4, me), XMPRT_BAD_ARGUMENT, "mine and all overlap");
    REFUSED(xmprt_co_scatter(XMPRT_CURRENT, &x, &x, 4, me), XMPRT_BAD_ARGUMENT, "mine and all overlap");
    REFUSED(xmprt_co_sum(XMPRT_CURRENT, (char *)&x + 1, 1, XMPRT_SHORT, 0), XMPRT_BAD_ARGUMENT, "not aligned");
    REQUIRE(x == 5);
}

int main(void)
{
    me = xmprt_this_image(XMPRT_CURRENT);
    n = xmprt_num_images(XMPRT_CURRENT);
    sum = n * (n + 1) / 2;
    reductions();
    large();
    moving();
    parts();
    parts_of_any_length();
    parts_of_reductions();
    locations();
    scans();
    in_a_team();
    bad_arguments();
    return 0;
}
