/* The first image waits for the others where they add up. */
#include "check.h"

int main(void)
{
    int me = xmprt_this_image(XMPRT_CURRENT), sum = me;
    if (me == 1)
        REFUSED(xmprt_sync(XMPRT_CURRENT), XMPRT_BAD_ARGUMENT, "xmprt_sync: image 1 executes xmprt_sync (");
    else
        REFUSED(xmprt_co_sum(XMPRT_CURRENT, &sum, 1, XMPRT_INT, XMPRT_ALL), XMPRT_BAD_ARGUMENT,
                "xmprt_co_sum: image 1 executes xmprt_sync (");
    REQUIRE(strstr(xmprt_message(), "differ.c:8), image 2 xmprt_co_sum (") != NULL);
    REQUIRE(sum == me);
    return 0;
}
