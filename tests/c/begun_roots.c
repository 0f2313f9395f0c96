/* Image 2 names another root than the others in an operation in the background: the first argument says in which one, the second the
 * number of bytes, the third whether images name themselves ("own"), one another ("other"), or all the first one ("same"). */
#include "check.h"
#include <stdlib.h>

static unsigned char own[400000], all[4 * 400000];

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "broadcast", *roots = argc > 3 ? argv[3] : "own";
    size_t bytes = argc > 2 ? (size_t)atoi(argv[2]) : 4;
    int me = xmprt_this_image(XMPRT_CURRENT), n = xmprt_num_images(XMPRT_CURRENT);
    int root = strcmp(roots, "same") == 0 ? 1 : (me == 2) == (strcmp(roots, "own") == 0) ? 2 : 1;
    size_t lens[4] = {bytes, bytes, bytes, bytes}, offsets[4] = {0, bytes, 2 * bytes, 3 * bytes};
    xmprt_request request = XMPRT_NO_REQUEST;
    REQUIRE(n <= 4);
    memset(own, me, sizeof own);
    if (strcmp(what, "broadcast") == 0)
        DO(xmprt_begin_co_broadcast(XMPRT_CURRENT, own, bytes, root, &request));
    else if (strcmp(what, "gather") == 0)
        DO(xmprt_begin_co_gather(XMPRT_CURRENT, all, own, bytes, root, &request));
    else if (strcmp(what, "scatter") == 0)
        DO(xmprt_begin_co_scatter(XMPRT_CURRENT, own, all, bytes, root, &request));
    else if (strcmp(what, "gatherv") == 0)
        DO(xmprt_begin_co_gatherv(XMPRT_CURRENT, all, lens, offsets, own, bytes, root, &request));
    else
        DO(xmprt_begin_co_scatterv(XMPRT_CURRENT, own, bytes, all, lens, offsets, root, &request));
    DO(xmprt_wait(&request));
    if (strcmp(what, "broadcast") == 0)
        REQUIRE(own[0] == root && own[bytes - 1] == root);
    DO(xmprt_sync(XMPRT_CURRENT));
    return 0;
}
