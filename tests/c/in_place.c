/* Collectives whose own part is in the memory for all images already, allgatherv, and waits for some of several requests. */
#include "check.h"
#include <stdlib.h>

static int me, n;

/* Parts of `len` integers, image k's first one being 100 k. */
static void equal_parts(int len)
{
    size_t bytes = len * sizeof(int);
    for (int begun = 0; begun <= 1; begun++) {
        int *all = calloc((size_t)n * len + 1, sizeof *all), *mine = calloc(len + 1, sizeof *mine);
        xmprt_request request;
        all[(me - 1) * len] = 100 * me;
        if (begun) {
            DO(xmprt_begin_co_allgather(XMPRT_CURRENT, all, XMPRT_IN_PLACE, bytes, &request));
            DO(xmprt_wait(&request));
        } else {
            DO(xmprt_co_allgather(XMPRT_CURRENT, all, XMPRT_IN_PLACE, bytes));
        }
        for (int k = 0; k < n; k++)
            REQUIRE(all[k * len] == 100 * (k + 1));

        /* Image k gives image i 1000 k + i. */
        for (int i = 0; i < n; i++)
            all[i * len] = 1000 * me + i + 1;
        if (begun) {
            DO(xmprt_begin_co_alltoall(XMPRT_CURRENT, all, XMPRT_IN_PLACE, bytes, &request));
            DO(xmprt_wait(&request));
        } else {
            DO(xmprt_co_alltoall(XMPRT_CURRENT, all, XMPRT_IN_PLACE, bytes));
        }
        for (int k = 0; k < n; k++)
            REQUIRE(all[k * len] == 1000 * (k + 1) + me);

        mine[0] = 7 * me;
        all[(n - 1) * len] = 7 * n;
        const void *given = me == n ? XMPRT_IN_PLACE : mine;
        if (begun) {
            DO(xmprt_begin_co_gather(XMPRT_CURRENT, me == n ? all : NULL, given, bytes, n, &request));
            DO(xmprt_wait(&request));
        } else {
            DO(xmprt_co_gather(XMPRT_CURRENT, me == n ? all : NULL, given, bytes, n));
        }
        for (int k = 0; k < n && me == n; k++)
            REQUIRE(all[k * len] == 7 * (k + 1));

        mine[0] = 0;
        void *got = me == n ? XMPRT_IN_PLACE : mine;
        if (begun) {
            DO(xmprt_begin_co_scatter(XMPRT_CURRENT, got, me == n ? all : NULL, bytes, n, &request));
            DO(xmprt_wait(&request));
        } else {
            DO(xmprt_co_scatter(XMPRT_CURRENT, got, me == n ? all : NULL, bytes, n));
        }
        REQUIRE(me == n ? all[(n - 1) * len] == 7 * n : mine[0] == 7 * me);
        free(all);
        free(mine);
    }
}

/* Image k has k * len integers, each k. In `all` they are one after the other, or in the opposite order. */
static void any_parts(int len, int reversed)
{
    size_t lens[8], offsets[8], room = 0;
    for (int k = 0; k < n; k++)
        lens[k] = (k + 1) * len * sizeof(int);
    for (int k = 0; k < n; k++) {
        int at = reversed ? n - 1 - k : k;
        offsets[at] = room;
        room += lens[at];
    }
    for (int way = 0; way < 4; way++) {
        int begun = way & 1, in_place = way & 2, numbers = me * len;
        int *all = calloc(1, room + 1), *mine = calloc(numbers + 1, sizeof *mine);
        int *own = in_place ? all + offsets[me - 1] / sizeof(int) : mine;
        for (int k = 0; k < numbers; k++)
            own[k] = me;
        const void *given = in_place ? XMPRT_IN_PLACE : mine;
        size_t bytes = in_place ? 0 : numbers * sizeof(int);
        xmprt_request request;
        if (begun) {
            DO(xmprt_begin_co_allgatherv(XMPRT_CURRENT, all, lens, offsets, given, bytes, &request));
            DO(xmprt_wait(&request));
        } else {
            DO(xmprt_co_allgatherv(XMPRT_CURRENT, all, lens, offsets, given, bytes));
        }
        for (int k = 0; k < n; k++)
            for (int i = 0; i < (k + 1) * len; i++)
                REQUIRE(all[offsets[k] / sizeof(int) + i] == k + 1);

        /* And back: the last image gathers and scatters in place. */
        given = me == n && in_place ? XMPRT_IN_PLACE : mine;
        if (in_place)
            memcpy(mine, own, numbers * sizeof(int));
        bytes = given == mine ? numbers * sizeof(int) : 0;
        DO(xmprt_co_gatherv(XMPRT_CURRENT, all, me == n ? lens : NULL, me == n ? offsets : NULL, given, bytes, n));
        memset(mine, 0, numbers * sizeof(int));
        DO(xmprt_co_scatterv(XMPRT_CURRENT, (void *)given, bytes, all, me == n ? lens : NULL, me == n ? offsets : NULL, n));
        for (int k = 0; k < numbers && given == mine; k++)
            REQUIRE(mine[k] == me);
        free(all);
        free(mine);
    }
}

static void waits(void)
{
    enum { COUNT = 6 };
    xmprt_request requests[COUNT + 1];
    int64_t x[COUNT];
    size_t index = 99, indices[COUNT + 1], found = 99;
    for (int way = 0; way < 2; way++) {
        requests[COUNT] = XMPRT_NO_REQUEST;
        for (int k = 0; k < COUNT; k++) {
            x[k] = me + k;
            DO(xmprt_begin_co_sum(XMPRT_CURRENT, &x[k], 1, XMPRT_INT64, &requests[k]));
        }
        int complete = 0;
        while (complete < COUNT) {
            if (way == 0) {
                DO(xmprt_wait_any(requests, COUNT + 1, &index));
                found = 1;
                indices[0] = index;
            } else {
                DO(xmprt_wait_some(requests, COUNT + 1, indices, &found));
            }
            REQUIRE(found >= 1 && found <= COUNT);
            for (size_t k = 0; k < found; k++) {
                REQUIRE(indices[k] < COUNT && requests[indices[k]].id == 0 && (k == 0 || indices[k - 1] < indices[k]));
                REQUIRE(x[indices[k]] == n * (n + 1) / 2 + n * (int64_t)indices[k]);
            }
            complete += found;
        }
        DO(xmprt_wait_any(requests, COUNT, &index));
        DO(xmprt_wait_some(requests, COUNT, indices, &found));
        REQUIRE(index == COUNT && found == 0);
    }
    DO(xmprt_wait_any(NULL, 0, &index));
    REQUIRE(index == 0);
    int64_t *block;
    DO(xmprt_allocate(8, (void **)&block));
    DO(xmprt_begin_put(XMPRT_CURRENT, me % n + 1, block, &x[0], 8, &requests[0]));
    DO(xmprt_wait_some(requests, 1, indices, &found));
    REQUIRE(requests[0].id == 0);
    DO(xmprt_free(block));

    requests[0].id = 3;
    REFUSED(xmprt_wait_any(requests, 1, &index), XMPRT_BAD_ARGUMENT, "xmprt_wait_any: 0x3 is not a request");
    REFUSED(xmprt_wait_any(requests, 1, NULL), XMPRT_BAD_ARGUMENT, "index is a null pointer");
    REFUSED(xmprt_wait_any(NULL, 1, &index), XMPRT_BAD_ARGUMENT, "requests is a null pointer");
    REFUSED(xmprt_wait_some(requests, 1, indices, &found), XMPRT_BAD_ARGUMENT, "xmprt_wait_some: 0x3 is not a request");
    REFUSED(xmprt_wait_some(requests, 1, NULL, &found), XMPRT_BAD_ARGUMENT, "indices is a null pointer");
    REFUSED(xmprt_wait_some(requests, 1, indices, NULL), XMPRT_BAD_ARGUMENT, "found is a null pointer");
}

static void bad_arguments(void)
{
    int x = 5, all[8] = {0};
    size_t lens[8], offsets[8];
    xmprt_request request = {3};
    for (int k = 0; k < 8; k++) {
        lens[k] = 4;
        offsets[k] = 4 * k;
    }
    int other = me % n + 1;
    if (n > 1) {
        REFUSED(xmprt_co_gather(XMPRT_CURRENT, all, XMPRT_IN_PLACE, 4, other), XMPRT_BAD_ARGUMENT, "for the image that has the whole");
        REFUSED(xmprt_co_scatter(XMPRT_CURRENT, XMPRT_IN_PLACE, all, 4, other), XMPRT_BAD_ARGUMENT, "mine is XMPRT_IN_PLACE");
        REFUSED(xmprt_co_gatherv(XMPRT_CURRENT, all, lens, offsets, XMPRT_IN_PLACE, 4, other), XMPRT_BAD_ARGUMENT, "XMPRT_IN_PLACE");
        REFUSED(xmprt_co_scatterv(XMPRT_CURRENT, XMPRT_IN_PLACE, 4, all, lens, offsets, other), XMPRT_BAD_ARGUMENT, "XMPRT_IN_PLACE");
    }
    REFUSED(xmprt_co_alltoallv(XMPRT_CURRENT, all, lens, offsets, XMPRT_IN_PLACE, lens, offsets), XMPRT_BAD_ARGUMENT, "more than there is");
    REFUSED(xmprt_co_allgather(XMPRT_CURRENT, NULL, XMPRT_IN_PLACE, 4), XMPRT_BAD_ARGUMENT, "all is a null pointer");
    REFUSED(xmprt_co_broadcast(XMPRT_CURRENT, XMPRT_IN_PLACE, 4, 1), XMPRT_BAD_ARGUMENT, "more than there is");
#define GATHER(all, lens, offsets, mine, bytes) xmprt_co_allgatherv(XMPRT_CURRENT, all, lens, offsets, mine, bytes)
    REFUSED(GATHER(NULL, lens, offsets, &x, 4), XMPRT_BAD_ARGUMENT, "xmprt_co_allgatherv: all is a null pointer");
    REFUSED(GATHER(all, NULL, offsets, &x, 4), XMPRT_BAD_ARGUMENT, "lens is a null pointer");
    REFUSED(GATHER(all, lens, NULL, &x, 4), XMPRT_BAD_ARGUMENT, "offsets is a null pointer");
    REFUSED(GATHER(all, lens, offsets, NULL, 4), XMPRT_BAD_ARGUMENT, "mine is a null pointer");
    REFUSED(GATHER(all, lens, offsets, &x, 3), XMPRT_BAD_ARGUMENT, "bytes is 3, and lens[");
    REFUSED(GATHER(all, lens, offsets, &all[n - 1], 4), XMPRT_BAD_ARGUMENT, "mine and all overlap");
    REFUSED(xmprt_co_allgatherv(XMPRT_TEAM(8), all, lens, offsets, &x, 4), XMPRT_BAD_ARGUMENT, "is not a team");
    REFUSED(xmprt_begin_co_allgatherv(XMPRT_CURRENT, all, lens, offsets, &x, 3, &request), XMPRT_BAD_ARGUMENT,
            "xmprt_begin_co_allgatherv: bytes is 3");
    REFUSED(xmprt_begin_co_allgatherv(XMPRT_CURRENT, all, lens, offsets, &x, 4, NULL), XMPRT_BAD_ARGUMENT, "request is a null pointer");
    REQUIRE(x == 5 && request.id == 3);
    if (n > 1) {
        /* Images 1 and 2 write the same bytes. */
        offsets[1] = 2;
#define OVERLAP "the parts of image indices 1 and 2 overlap in all: 4 bytes at offset 0, and 4 bytes at offset 2"
        REFUSED(GATHER(all, lens, offsets, &x, 4), XMPRT_BAD_ARGUMENT, OVERLAP);
        if (me == 1)
            REFUSED(xmprt_co_gatherv(XMPRT_CURRENT, all, lens, offsets, &x, 4, me), XMPRT_BAD_ARGUMENT, OVERLAP);
        REFUSED(xmprt_co_alltoallv(XMPRT_CURRENT, all, lens, offsets, all, lens, offsets), XMPRT_BAD_ARGUMENT,
                "the parts of image indices 1 and 2 overlap in receive");
        offsets[1] = 4;
        /* Lengths that differ from image to image, with the same sum. */
        lens[me == 1 ? 0 : 1] = 8;
        offsets[0] = 0;
        for (int k = 1; k < n; k++)
            offsets[k] = offsets[k - 1] + lens[k - 1];
        int two[16] = {0}, mine[2] = {me, me};
        REFUSED(GATHER(two, lens, offsets, mine, lens[me - 1]), XMPRT_BAD_ARGUMENT, xmprt_num_hosts() > 1 ? "" : "lengths of the parts");
        END_DIFFERENCE();
        DO(xmprt_sync(XMPRT_CURRENT));
    }
}

int main(void)
{
    me = xmprt_this_image(XMPRT_CURRENT);
    n = xmprt_num_images(XMPRT_CURRENT);
    int lens[] = {1, 5, 3000, 100000};
    for (int k = 0; k < 4; k++) {
        equal_parts(lens[k]);
        any_parts(lens[k], 0);
        any_parts(lens[k], 1);
    }
    any_parts(0, 1);
    waits();
    bad_arguments();
    return 0;
}
