/* Collectives in the background: many at a time, on several teams, completed in another order. */
#include "check.h"
#include <complex.h>

static int me, n, sum;

static void several(void)
{
    xmprt_team half;
    DO(xmprt_form_team(me % 2 + 1, 0, &half));
    int size = xmprt_num_images(half), first = 2 - me % 2, last = first + 2 * (size - 1);
    for (int round = 0; round < 20; round++) {
        xmprt_request all, least, most, copy, list, met, inside;
        double sums[1000];
        for (int k = 0; k < 1000; k++)
            sums[k] = me + k;
        int low = me, high = me, one = 1, text[2] = {me, 10 * me}, images[8];
        DO(xmprt_begin_co_sum(XMPRT_CURRENT, sums, 1000, XMPRT_DOUBLE, &all));
        DO(xmprt_begin_co_min(half, &low, 1, XMPRT_INT, &least));
        DO(xmprt_begin_co_max(half, &high, 1, XMPRT_INT, &most));
        DO(xmprt_begin_co_broadcast(half, text, sizeof text, size, &copy));
        DO(xmprt_begin_co_allgather(half, images, &me, sizeof me, &list));
        DO(xmprt_change_team(half));
        DO(xmprt_begin_co_sum(XMPRT_CURRENT, &one, 1, XMPRT_INT, &inside));
        DO(xmprt_end_team());
        DO(xmprt_begin_sync(XMPRT_CURRENT, &met));
        DO(xmprt_wait(&list));
        for (int k = 0; k < size; k++)
            REQUIRE(images[k] == first + 2 * k);
        DO(xmprt_wait(&met));
        DO(xmprt_wait(&inside));
        REQUIRE(one == size && met.id == 0 && inside.id == 0);
        int complete = 0;
        while (!complete)
            DO(xmprt_test(&copy, &complete));
        REQUIRE(copy.id == 0 && text[0] == last && text[1] == 10 * last);
        DO(xmprt_test(&copy, &complete));
        REQUIRE(complete == 1);
        DO(xmprt_wait(&copy));
        DO(xmprt_wait(&most));
        DO(xmprt_wait(&least));
        REQUIRE(low == first && high == last);
        DO(xmprt_wait(&all));
        for (int k = 0; k < 1000; k++)
            REQUIRE(sums[k] == sum + n * k);
    }
}

/* Teams of the same images, whose operations images begin in different orders. */
static void teams_of_the_same_images(void)
{
    xmprt_team one, two, inner;
    DO(xmprt_form_team(1, 0, &one));
    DO(xmprt_form_team(2, 0, &two));
    DO(xmprt_change_team(one));
    DO(xmprt_form_team(2, 0, &inner));
    DO(xmprt_end_team());
    /* The team that has formed `inner` was left, so that is none. */
    int x = me;
    xmprt_request requests[3];
    REFUSED(xmprt_begin_co_sum(inner, &x, 1, XMPRT_INT, &requests[0]), XMPRT_BAD_ARGUMENT, "not a team");
    for (int round = 0; round < 20; round++) {
        xmprt_team teams[3] = {one, two, XMPRT_INITIAL};
        int values[3] = {me, 100 * me, 10000 * me};
        for (int k = 0; k < 3; k++) {
            int which = (k + me + round) % 3;
            DO(xmprt_begin_co_sum(teams[which], &values[which], 1, XMPRT_INT, &requests[which]));
        }
        DO(xmprt_wait_all(requests, 3));
        REQUIRE(values[0] == sum && values[1] == 100 * sum && values[2] == 10000 * sum);
    }
    DO(xmprt_change_team(one));
    DO(xmprt_form_team(2, 0, &inner));
    int of_inner = me, of_two = 100 * me;
    if (me % 2)
        DO(xmprt_begin_co_sum(inner, &of_inner, 1, XMPRT_INT, &requests[0]));
    DO(xmprt_begin_co_sum(two, &of_two, 1, XMPRT_INT, &requests[1]));
    if (me % 2 == 0)
        DO(xmprt_begin_co_sum(inner, &of_inner, 1, XMPRT_INT, &requests[0]));
    DO(xmprt_wait_all(requests, 2));
    REQUIRE(of_inner == sum && of_two == 100 * sum);
    DO(xmprt_end_team());
}

/* Image k has for image i the number 100 k + i, and of another whole k numbers, each k, which are in the opposite order. */
static void parts(void)
{
    int own[8], own_many[8], last = n;
    size_t lens[8], offsets[8], give_lens[8], give_offsets[8] = {0}, bytes = me * sizeof(int);
    for (int k = 0, from = sum; k < n; k++) {
        from -= k + 1;
        lens[k] = (k + 1) * sizeof(int);
        offsets[k] = from * sizeof(int);
        give_lens[k] = bytes;
        own[k] = 100 * me + k + 1;
        own_many[k] = me;
    }
    for (int round = 0; round < 20; round++) {
        int mine = 7 * me, got = 0, gathered[8] = {0}, dealt[8] = {0};
        int whole[40] = {0}, many[8] = {0}, dealt_many[40] = {0};
        xmprt_request requests[6], gather_many;
        DO(xmprt_begin_co_gather(XMPRT_CURRENT, me == last ? gathered : NULL, &mine, sizeof mine, last, &requests[0]));
        DO(xmprt_begin_co_scatter(XMPRT_CURRENT, &got, me == 1 ? own : NULL, sizeof got, 1, &requests[1]));
        DO(xmprt_begin_co_alltoall(XMPRT_CURRENT, dealt, own, sizeof(int), &requests[2]));
        size_t my_lens[8], my_offsets[8];
        memcpy(my_lens, lens, sizeof lens);
        memcpy(my_offsets, offsets, sizeof offsets);
        DO(xmprt_begin_co_gatherv(XMPRT_CURRENT, whole, me == 1 ? my_lens : NULL, me == 1 ? my_offsets : NULL, own_many,
                                  bytes, 1, &gather_many));
        DO(xmprt_begin_co_alltoallv(XMPRT_CURRENT, dealt_many, my_lens, my_offsets, own_many, give_lens, give_offsets,
                                    &requests[3]));
        /* They are not looked at any more. */
        memset(my_lens, -1, sizeof my_lens);
        memset(my_offsets, -1, sizeof my_offsets);
        DO(xmprt_wait(&gather_many));
        for (int k = 0; me == 1 && k < n; k++)
            for (int i = 0; i <= k; i++)
                REQUIRE(whole[offsets[k] / sizeof(int) + i] == k + 1);
        DO(xmprt_begin_co_scatterv(XMPRT_CURRENT, many, bytes, whole, me == 1 ? lens : NULL, me == 1 ? offsets : NULL, 1,
                                   &requests[4]));
        DO(xmprt_begin_co_alltoallv(XMPRT_CURRENT, NULL, (size_t[8]){0}, give_offsets, NULL, (size_t[8]){0}, give_offsets,
                                    &requests[5]));
        for (int k = 5; k >= 0; k--)
            DO(xmprt_wait(&requests[k]));
        REQUIRE(got == 100 + me && memcmp(many, own_many, bytes) == 0);
        for (int k = 0; k < n; k++) {
            REQUIRE(dealt[k] == 100 * (k + 1) + me);
            REQUIRE(me != last || gathered[k] == 7 * (k + 1));
            for (int i = 0; i <= k; i++)
                REQUIRE(dealt_many[offsets[k] / sizeof(int) + i] == k + 1);
        }
    }
}

/* Sums of numbers that are not whole: the bits of the operations that do not go on in the background. */
static void scans(void)
{
    static double upto[20000], before[20000], expected[20000];
    long double most[2] = {10 - me, me};
    double complex z = me + 2 * me * I;
    xmprt_request requests[4];
    for (int k = 0; k < 20000; k++)
        upto[k] = before[k] = expected[k] = 1.0 / (me + k);
    DO(xmprt_begin_co_scan(XMPRT_CURRENT, upto, 20000, XMPRT_DOUBLE, XMPRT_SUM, &requests[0]));
    DO(xmprt_begin_co_exscan(XMPRT_CURRENT, before, 20000, XMPRT_DOUBLE, XMPRT_SUM, &requests[1]));
    DO(xmprt_begin_co_exscan(XMPRT_CURRENT, most, 2, XMPRT_LONG_DOUBLE, XMPRT_MAX, &requests[2]));
    DO(xmprt_begin_co_scan(XMPRT_CURRENT, &z, 1, XMPRT_DOUBLE_COMPLEX, XMPRT_SUM, &requests[3]));
    DO(xmprt_co_scan(XMPRT_CURRENT, expected, 20000, XMPRT_DOUBLE, XMPRT_SUM));
    for (int k = 3; k >= 0; k--)
        DO(xmprt_wait(&requests[k]));
    REQUIRE(memcmp(upto, expected, sizeof upto) == 0);
    for (int k = 0; k < 20000; k++)
        expected[k] = 1.0 / (me + k);
    DO(xmprt_co_exscan(XMPRT_CURRENT, expected, 20000, XMPRT_DOUBLE, XMPRT_SUM));
    REQUIRE(memcmp(before, expected, sizeof before) == 0);
    REQUIRE(most[0] == 9 && most[1] == (me == 1 ? 1 : me - 1));
    int total = me * (me + 1) / 2;
    REQUIRE(z == total + 2 * total * I);
    DO(xmprt_begin_co_scan(XMPRT_CURRENT, NULL, 0, XMPRT_DOUBLE, XMPRT_SUM, &requests[0]));
    DO(xmprt_wait(&requests[0]));
}

/* As the operations that do not go on in the background, several at a time. */
static void parts_and_locations(void)
{
    static double all[8 * 2000], mine[2000], expected[2000];
    int values[2] = {me, 5}, least[2] = {-me, 5};
    int64_t places[2] = {10 * me, me}, others[2] = {10 * me, -me};
    xmprt_request requests[3];
    for (int k = 0; k < n * 2000; k++)
        all[k] = 1.0 / (me + k);
    DO(xmprt_begin_co_reduce_scatter(XMPRT_CURRENT, mine, all, 2000, XMPRT_DOUBLE, XMPRT_SUM, &requests[0]));
    DO(xmprt_begin_co_maxloc(XMPRT_CURRENT, values, places, 2, XMPRT_INT, &requests[1]));
    DO(xmprt_begin_co_minloc(XMPRT_CURRENT, least, others, 2, XMPRT_INT, &requests[2]));
    DO(xmprt_co_reduce_scatter(XMPRT_CURRENT, expected, all, 2000, XMPRT_DOUBLE, XMPRT_SUM));
    DO(xmprt_wait_all(requests, 3));
    REQUIRE(memcmp(mine, expected, sizeof mine) == 0);
    REQUIRE(values[0] == n && values[1] == 5 && places[0] == 10 * n && places[1] == 1);
    REQUIRE(least[0] == -n && least[1] == 5 && others[0] == 10 * n && others[1] == -n);
}

static void bad_arguments(void)
{
    int x = 5, complete = 7;
    xmprt_request request = {3}, none = XMPRT_NO_REQUEST;
    REFUSED(xmprt_wait(&request), XMPRT_BAD_ARGUMENT, "xmprt_wait: 0x3 is not a request");
    REFUSED(xmprt_test(&request, &complete), XMPRT_BAD_ARGUMENT, "0x3 is not a request");
    REFUSED(xmprt_wait(NULL), XMPRT_BAD_ARGUMENT, "request is a null pointer");
    REFUSED(xmprt_test(&none, NULL), XMPRT_BAD_ARGUMENT, "complete is a null pointer");
    REFUSED(xmprt_begin_sync(XMPRT_CURRENT, NULL), XMPRT_BAD_ARGUMENT, "request is a null pointer");
    REFUSED(xmprt_begin_sync((xmprt_team){8}, &request), XMPRT_BAD_ARGUMENT, "not a team");
    REFUSED(xmprt_begin_co_sum(XMPRT_CURRENT, &x, 1, (xmprt_type)15, &request), XMPRT_BAD_ARGUMENT, "here the types are XMPRT_INT8");
    REFUSED(xmprt_begin_co_max(XMPRT_CURRENT, NULL, 1, XMPRT_INT, &request), XMPRT_BAD_ARGUMENT, "null pointer");
    REFUSED(xmprt_begin_co_min(XMPRT_CURRENT, &x, 1, XMPRT_FLOAT_COMPLEX, &request), XMPRT_BAD_ARGUMENT, "no minimum");
    REFUSED(xmprt_begin_co_broadcast(XMPRT_CURRENT, &x, 4, n + 1, &request), XMPRT_BAD_ARGUMENT, "not in 1:");
    REFUSED(xmprt_begin_co_allgather(XMPRT_CURRENT, NULL, &x, 4, &request), XMPRT_BAD_ARGUMENT, "null pointer");
    REFUSED(xmprt_begin_co_gather(XMPRT_CURRENT, &x, &x, 4, 0, &request), XMPRT_BAD_ARGUMENT, "not in 1:");
    REFUSED(xmprt_begin_co_gather(XMPRT_CURRENT, NULL, &x, 4, me, &request), XMPRT_BAD_ARGUMENT, "null pointer");
    REFUSED(xmprt_begin_co_gather(XMPRT_CURRENT, &x, &x, 4, me, NULL), XMPRT_BAD_ARGUMENT, "request is a null pointer");
    REFUSED(xmprt_begin_co_scatter(XMPRT_CURRENT, &x, &x, 4, n + 1, &request), XMPRT_BAD_ARGUMENT, "not in 1:");
    REFUSED(xmprt_begin_co_scatter(XMPRT_CURRENT, NULL, &x, 4, me, &request), XMPRT_BAD_ARGUMENT, "null pointer");
    REFUSED(xmprt_begin_co_alltoall(XMPRT_CURRENT, &complete, &x, SIZE_MAX, &request), XMPRT_BAD_ARGUMENT, "more than there is");
    REFUSED(xmprt_begin_co_alltoall((xmprt_team){8}, &complete, &x, 4, &request), XMPRT_BAD_ARGUMENT, "not a team");
    size_t zeros[8] = {0}, fours[8];
    for (int k = 0; k < 8; k++)
        fours[k] = 4;
    REFUSED(xmprt_begin_co_gatherv(XMPRT_CURRENT, &complete, NULL, zeros, &x, 4, me, &request), XMPRT_BAD_ARGUMENT, "lens is a null pointer");
    REFUSED(xmprt_begin_co_gatherv(XMPRT_CURRENT, &complete, zeros, zeros, &x, 4, me, &request), XMPRT_BAD_ARGUMENT, "gives 4 bytes where 0 are expected");
    REFUSED(xmprt_begin_co_scatterv(XMPRT_CURRENT, &complete, 4, &x, fours, NULL, me, &request), XMPRT_BAD_ARGUMENT, "offsets is a null pointer");
    REFUSED(xmprt_begin_co_scatterv(XMPRT_CURRENT, &complete, 4, NULL, fours, zeros, me, &request), XMPRT_BAD_ARGUMENT, "all is a null pointer");
    REFUSED(xmprt_begin_co_alltoallv(XMPRT_CURRENT, NULL, fours, zeros, &x, fours, zeros, &request), XMPRT_BAD_ARGUMENT, "null pointer");
    REFUSED(xmprt_begin_co_alltoallv(XMPRT_CURRENT, &complete, zeros, zeros, &x, fours, zeros, &request), XMPRT_BAD_ARGUMENT, "gives 4 bytes where 0 are expected");
    int64_t place = 0;
    REFUSED(xmprt_begin_co_reduce_scatter(XMPRT_CURRENT, &x, NULL, 1, XMPRT_INT, XMPRT_SUM, &request), XMPRT_BAD_ARGUMENT, "all is a null pointer");
    REFUSED(xmprt_begin_co_reduce_scatter(XMPRT_CURRENT, &x, &x, 1, XMPRT_INT, XMPRT_SUM, &request), XMPRT_BAD_ARGUMENT, "overlap");
    REFUSED(xmprt_begin_co_minloc(XMPRT_CURRENT, NULL, &place, 1, XMPRT_INT, &request), XMPRT_BAD_ARGUMENT, "data is a null pointer");
    REFUSED(xmprt_begin_co_maxloc(XMPRT_CURRENT, &x, &place, 1, (xmprt_type)99, &request), XMPRT_BAD_ARGUMENT, "not an xmprt_type");
    REFUSED(xmprt_begin_co_maxloc(XMPRT_CURRENT, &x, &place, 1, XMPRT_INT, NULL), XMPRT_BAD_ARGUMENT, "request is a null pointer");
    REFUSED(xmprt_begin_co_scan(XMPRT_CURRENT, &x, 1, XMPRT_INT, XMPRT_LAST_MIN, &request), XMPRT_BAD_ARGUMENT, "for xmprt_reduce_located only");
    REFUSED(xmprt_begin_co_scan(XMPRT_CURRENT, &x, 1, XMPRT_FLOAT_COMPLEX, XMPRT_MAX, &request), XMPRT_BAD_ARGUMENT, "no maximum");
    REFUSED(xmprt_begin_co_exscan(XMPRT_CURRENT, NULL, 1, XMPRT_INT, XMPRT_SUM, &request), XMPRT_BAD_ARGUMENT, "null pointer");
    REFUSED(xmprt_begin_co_exscan(XMPRT_CURRENT, &x, 1, XMPRT_INT, XMPRT_SUM, NULL), XMPRT_BAD_ARGUMENT, "request is a null pointer");
    REQUIRE(request.id == 3 && x == 5 && complete == 7);
    /* A copy of a request that was waited for is none. */
    DO(xmprt_begin_co_sum(XMPRT_CURRENT, &x, 1, XMPRT_INT, &request));
    xmprt_request copy = request;
    DO(xmprt_wait(&request));
    REQUIRE(x == 5 * n);
    REFUSED(xmprt_wait(&copy), XMPRT_BAD_ARGUMENT, "is not a request");
}

int main(void)
{
    me = xmprt_this_image(XMPRT_CURRENT);
    n = xmprt_num_images(XMPRT_CURRENT);
    sum = n * (n + 1) / 2;
    several();
    teams_of_the_same_images();
    parts();
    parts_and_locations();
    scans();
    bad_arguments();
    return 0;
}
