/* One image names another root than the others: the first argument says in which collective, the second is the image. The first error ends
 * the job. */
#include "check.h"
#include <stdlib.h>

static int own[4], all[4 * 4];

int main(int argc, char **argv)
{
    int me = xmprt_this_image(XMPRT_CURRENT), root, status = XMPRT_OK;
    size_t lens[] = {4, 4, 4, 4}, offsets[] = {0, 4, 8, 12};
    REQUIRE(argc == 3 && xmprt_num_images(XMPRT_CURRENT) == 4);
    DO(xmprt_on_error(XMPRT_ERRORS_ARE_FATAL));
    root = me == atoi(argv[2]) ? 2 : 1;
    if (strcmp(argv[1], "gather") == 0)
        status = xmprt_co_gather(XMPRT_CURRENT, all, own, 4, root);
    else if (strcmp(argv[1], "scatter") == 0)
        status = xmprt_co_scatter(XMPRT_CURRENT, own, all, 4, root);
    else if (strcmp(argv[1], "gatherv") == 0)
        status = xmprt_co_gatherv(XMPRT_CURRENT, all, lens, offsets, own, 4, root);
    else
        status = xmprt_co_scatterv(XMPRT_CURRENT, own, 4, all, lens, offsets, root);
    REQUIRE(status == XMPRT_OK);
    DO(xmprt_sync(XMPRT_CURRENT));
    return 0;
}
