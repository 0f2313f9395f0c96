/* Images begin different operations in the background: the first argument says which one those with an odd number begin, the second
 * which one the others begin. */
#include "check.h"
#include <stdlib.h>

static int values[16];

static void begin(const char *what, xmprt_request *request)
{
    if (strcmp(what, "sum") == 0)
        DO(xmprt_begin_co_sum(XMPRT_CURRENT, values, 1, XMPRT_INT, request));
    else if (strcmp(what, "scan") == 0)
        DO(xmprt_begin_co_scan(XMPRT_CURRENT, values, 1, XMPRT_INT, XMPRT_SUM, request));
    else if (strcmp(what, "exscan") == 0)
        DO(xmprt_begin_co_exscan(XMPRT_CURRENT, values, 1, XMPRT_INT, XMPRT_SUM, request));
    else if (strcmp(what, "broadcast") == 0)
        DO(xmprt_begin_co_broadcast(XMPRT_CURRENT, values, sizeof values[0], 1, request));
    else
        DO(xmprt_begin_sync(XMPRT_CURRENT, request));
}

int main(int argc, char **argv)
{
    int me = xmprt_this_image(XMPRT_CURRENT);
    xmprt_request before = XMPRT_NO_REQUEST, request = XMPRT_NO_REQUEST;
    REQUIRE(argc == 3);
    /* One that all begin alike, and that need not be complete. */
    begin("sum", &before);
    begin(argv[me % 2 ? 1 : 2], &request);
    DO(xmprt_wait(&request));
    DO(xmprt_wait(&before));
    DO(xmprt_sync(XMPRT_CURRENT));
    return 0;
}
