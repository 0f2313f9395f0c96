/* Blocks that are freed, by xmprt_free or with their team, while operations that have begun use them: these are complete then, and write
 * nothing to what is allocated there next. */
#include "check.h"
#include <stdlib.h>

enum { KINDS = 11 };

static int me, n;

/* Begins an operation of a kind on a block that has `count` doubles for each image, and as many elements after them. */
static xmprt_request begin(int kind, double *x, size_t count)
{
    xmprt_request request = XMPRT_NO_REQUEST;
    xmprt_team all = XMPRT_CURRENT;
    size_t bytes = count * sizeof *x;
    int64_t *at = (int64_t *)(x + (size_t)n * count);
    double *mine = x + (size_t)n * count;

    switch (kind) {
    case 0: DO(xmprt_begin_co_sum(all, x, n * count, XMPRT_DOUBLE, &request)); break;
    case 1: DO(xmprt_begin_co_broadcast(all, x, n * bytes, n, &request)); break;
    case 2: DO(xmprt_begin_co_minloc(all, x, at, count, XMPRT_DOUBLE, &request)); break;
    case 3: DO(xmprt_begin_co_allgather(all, x, XMPRT_IN_PLACE, bytes, &request)); break;
    case 4: DO(xmprt_begin_co_gather(all, x, mine, bytes, n, &request)); break;
    case 5: DO(xmprt_begin_co_scatter(all, mine, x, bytes, n, &request)); break;
    case 6: DO(xmprt_begin_co_alltoall(all, x, XMPRT_IN_PLACE, bytes, &request)); break;
    case 7: DO(xmprt_begin_co_scan(all, x, count, XMPRT_DOUBLE, XMPRT_SUM, &request)); break;
    case 8: DO(xmprt_begin_co_exscan(all, x, count, XMPRT_DOUBLE, XMPRT_MAX, &request)); break;
    case 9: DO(xmprt_begin_put(all, me % n + 1, x, mine, bytes, &request)); break;
    default: DO(xmprt_begin_co_maxloc(all, x, at, n * count, XMPRT_DOUBLE, &request)); break;
    }
    return request;
}

/* Begins an operation, frees the block, and looks whether the next block there stays as it is. */
static void freed(int kind, size_t count, int with_team)
{
    size_t all = (size_t)n * count * 2;
    xmprt_team team;
    void *block, *next;

    if (with_team) {
        DO(xmprt_form_team(1, me, &team));
        DO(xmprt_change_team(team));
    }
    DO(xmprt_allocate(all * sizeof(double), &block));
    for (size_t k = 0; k < all / 2; k++)
        ((double *)block)[k] = me + k;
    DO(xmprt_sync(XMPRT_CURRENT));
    xmprt_request request = begin(kind, block, count);
    if (with_team) {
        DO(xmprt_end_team());
        DO(xmprt_change_team(team));
    } else {
        DO(xmprt_free(block));
    }
    DO(xmprt_allocate(all * sizeof(double), &next));
    REQUIRE(next == block);
    double *now = next;
    for (size_t k = 0; k < all; k++)
        now[k] = -7;
    int complete = 1;
    if (kind % 2)
        DO(xmprt_test(&request, &complete));
    else
        DO(xmprt_wait(&request));
    REQUIRE(complete && request.id == 0);
    DO(xmprt_sync(XMPRT_CURRENT));
    for (size_t k = 0; k < all; k++)
        REQUIRE(now[k] == -7);
    DO(xmprt_sync(XMPRT_CURRENT));
    if (with_team)
        DO(xmprt_end_team());
    else
        DO(xmprt_free(next));
}

int main(void)
{
    me = xmprt_this_image(XMPRT_CURRENT);
    n = xmprt_num_images(XMPRT_CURRENT);
    for (int kind = 0; kind < KINDS; kind++)
        for (int with_team = 0; with_team < 2; with_team++) {
            freed(kind, 1, with_team);
            freed(kind, 40000, with_team);
        }
    /* An operation on other memory goes on: the last image begins it later. */
    int sum = me;
    void *block;
    xmprt_request request = XMPRT_NO_REQUEST;
    DO(xmprt_allocate(64, &block));
    if (me < n)
        DO(xmprt_begin_co_sum(XMPRT_CURRENT, &sum, 1, XMPRT_INT, &request));
    DO(xmprt_free(block));
    if (me == n)
        DO(xmprt_begin_co_sum(XMPRT_CURRENT, &sum, 1, XMPRT_INT, &request));
    DO(xmprt_wait(&request));
    REQUIRE(sum == n * (n + 1) / 2);
    return 0;
}
