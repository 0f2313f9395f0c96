/* Collectives in the background: many at a time, on several teams, completed in another order. */
#include "check.h"

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
        DO(xmprt_begin_co_allgather(half, &me, images, sizeof me, &list));
        DO(xmprt_change_team(half));
        DO(xmprt_begin_co_sum(XMPRT_CURRENT, &one, 1, XMPRT_INT, &inside));
        DO(xmprt_end_team());
        DO(xmprt_begin_sync(XMPRT_CURRENT, &met));
        DO(xmprt_wait(&list));
        for (int k = 0; k < size; k++)
            REQUIRE(images[k] == first + 2 * k);
        DO(xmprt_wait(&met));
        DO(xmprt_wait(&inside));
        REQUIRE(one == size && met == 0 && inside == 0);
        int complete = 0;
        while (!complete)
            DO(xmprt_test(&copy, &complete));
        REQUIRE(copy == 0 && text[0] == last && text[1] == 10 * last);
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

static void bad_arguments(void)
{
    int x = 5, complete = 7;
    xmprt_request request = 3, none = 0;
    REFUSED(xmprt_wait(&request), XMPRT_BAD_ARGUMENT, "xmprt_wait: 0x3 is not a request");
    REFUSED(xmprt_test(&request, &complete), XMPRT_BAD_ARGUMENT, "0x3 is not a request");
    REFUSED(xmprt_wait(NULL), XMPRT_BAD_ARGUMENT, "request is a null pointer");
    REFUSED(xmprt_test(&none, NULL), XMPRT_BAD_ARGUMENT, "complete is a null pointer");
    REFUSED(xmprt_begin_sync(XMPRT_CURRENT, NULL), XMPRT_BAD_ARGUMENT, "request is a null pointer");
    REFUSED(xmprt_begin_sync(8, &request), XMPRT_BAD_ARGUMENT, "not a team");
    REFUSED(xmprt_begin_co_sum(XMPRT_CURRENT, &x, 1, (xmprt_type)15, &request), XMPRT_BAD_ARGUMENT, "xmprt_type");
    REFUSED(xmprt_begin_co_max(XMPRT_CURRENT, NULL, 1, XMPRT_INT, &request), XMPRT_BAD_ARGUMENT, "null pointer");
    REFUSED(xmprt_begin_co_min(XMPRT_CURRENT, &x, 1, XMPRT_FLOAT_COMPLEX, &request), XMPRT_BAD_ARGUMENT, "no minimum");
    REFUSED(xmprt_begin_co_broadcast(XMPRT_CURRENT, &x, 4, n + 1, &request), XMPRT_BAD_ARGUMENT, "not in 1..");
    REFUSED(xmprt_begin_co_allgather(XMPRT_CURRENT, &x, NULL, 4, &request), XMPRT_BAD_ARGUMENT, "null pointer");
    REQUIRE(request == 3 && x == 5 && complete == 7);
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
    bad_arguments();
    return 0;
}
