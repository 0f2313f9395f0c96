#include <xmprt.h>

/* The sum of `mine` over all images of the current team. */
int total(int mine)
{
    if (xmprt_co_sum(XMPRT_CURRENT, &mine, 1, XMPRT_INT, XMPRT_ALL) != XMPRT_OK)
        xmprt_error_stop(1);
    return mine;
}
