/* The first image executes a statement that only synchronises, and the others another collective: all get an error, at the latest in
 * the next statement that synchronises, and the collective after that is right. */
#include "check.h"
#include <stdlib.h>

static int me, n;
static double *many;
static xmprt_team same;

enum { SUM, MANY, PRODUCT, ALLGATHER, ALLTOALL, BROADCAST, SCATTER, SYNC, CHANGE, FORM, ALLOCATE, CASES };

static xmprt_status call(int which)
{
    int x = me, all[8] = {0};
    void *block;
    xmprt_team team;
    switch (which) {
    case SUM: return xmprt_co_sum(XMPRT_CURRENT, &x, 1, XMPRT_INT, XMPRT_ALL);
    case MANY: return xmprt_co_max(XMPRT_CURRENT, many, 50000, XMPRT_DOUBLE, XMPRT_ALL);
    case PRODUCT: return xmprt_co_reduce_op(XMPRT_CURRENT, &x, 1, XMPRT_INT, XMPRT_PRODUCT, XMPRT_ALL);
    case ALLGATHER: return xmprt_co_allgather(XMPRT_CURRENT, all, &x, sizeof x);
    case ALLTOALL: return xmprt_co_alltoall(XMPRT_CURRENT, all, XMPRT_IN_PLACE, sizeof x);
    case BROADCAST: return xmprt_co_broadcast(XMPRT_CURRENT, &x, sizeof x, 2);
    case SCATTER: return xmprt_co_scatter(XMPRT_CURRENT, &x, all, sizeof x, 2);
    case SYNC: return xmprt_sync(XMPRT_CURRENT);
    case CHANGE: return xmprt_change_team(same);
    case FORM: return xmprt_form_team(1, 0, &team);
    default: return xmprt_allocate(8, &block);
    }
}

/* A collective that carries data is right after the error. */
static void right(void)
{
    int x = me;
    DO(xmprt_co_sum(XMPRT_CURRENT, &x, 1, XMPRT_INT, XMPRT_ALL));
    REQUIRE(x == n * (n + 1) / 2);
}

int main(void)
{
    me = xmprt_this_image(XMPRT_CURRENT);
    n = xmprt_num_images(XMPRT_CURRENT);
    many = calloc(50000, sizeof *many);
    DO(xmprt_form_team(1, 0, &same));
    for (int first = SYNC; first <= CHANGE; first++)
        for (int others = SUM; others < CASES; others++) {
            /* Between hosts the launcher reports a deadlock. */
            if (first == others || (others >= FORM && xmprt_num_hosts() > 1))
                continue;
            xmprt_status status = call(me == 1 ? first : others);
            /* The source of a broadcast goes on, and so do images of several hosts that have exchanged messages. */
            int synchronises = others == SYNC || others == CHANGE;
            if (me > 1 && (status == XMPRT_OK || (xmprt_num_hosts() > 1 && !synchronises)))
                status = xmprt_sync(XMPRT_CURRENT);
            if (status != XMPRT_BAD_ARGUMENT)
                fprintf(stderr, "%d against %d\n", first, others);
            REQUIRE(status == XMPRT_BAD_ARGUMENT);
            REQUIRE(strstr(xmprt_message(), "XMP_CHECK=1") != NULL || others == ALLOCATE);
            REQUIRE(xmprt_team_number(XMPRT_CURRENT) == -1);
            right();
        }
    DO(xmprt_change_team(same));
    REFUSED(me == 1 ? xmprt_sync(XMPRT_CURRENT) : xmprt_end_team(), XMPRT_BAD_ARGUMENT, "");
    return 0;
}
