/* Errors that the waits for an operation in the background find: images sum arrays of other lengths. Each wait in turn. */
#include "check.h"
#include <stdio.h>

static xmprt_status complete(int way, xmprt_request *request)
{
    size_t index = 0, count = 0;
    int is_complete = 0;
    xmprt_status status = XMPRT_OK;
    switch (way) {
    case 0: return xmprt_wait(request);
    case 1: return xmprt_wait_all(request, 1);
    case 2: return xmprt_wait_any(request, 1, &index);
    case 3: return xmprt_wait_some(request, 1, &index, &count);
    default:
        while (status == XMPRT_OK && !is_complete)
            status = xmprt_test(request, &is_complete);
        return status;
    }
}

int main(void)
{
    int me = xmprt_this_image(XMPRT_CURRENT), values[2] = {me, me};
    xmprt_request request;
    for (int way = 0; way < 5; way++) {
        DO(xmprt_begin_co_sum(XMPRT_CURRENT, values, me == 1 ? 1 : 2, XMPRT_INT, &request));
        REQUIRE(complete(way, &request) == XMPRT_BAD_ARGUMENT);
        if (me == 1)
            puts(xmprt_message());
        REQUIRE(request.id == 0);
    }
    return 0;
}
