/* The last image ends at once: the others learn that from `status`. */
#include "check.h"

static void *p;
static int nodes, node;

static void init(void)
{
    _XMP_init_nodes_DYNAMIC_GLOBAL(&p, 1, -1, &nodes, &node);
}

static void finalize(void)
{
    _XMP_finalize_nodes(p);
}

static int xmpc_main(int argc, char **argv)
{
    const int last = nodes - 1, wanted = nodes == 1 ? XMP_STAT_SUCCESS : XMP_STAT_STOPPED_IMAGE;
    int status = 5;
    (void)argc;
    (void)argv;
    if (node == last && nodes > 1)
        return 0;
    /* A program's end begins with waiting for all. */
    xmp_sync_all(&status);
    REQUIRE(status == XMP_STAT_SUCCESS);
    status = 5;
    xmp_sync_all(&status);
    REQUIRE(status == wanted);
    status = 5;
    xmp_sync_image(last, &status);
    REQUIRE(status == wanted);
    status = 5;
    xmp_sync_images_all(&status);
    REQUIRE(status == wanted);
    xmp_sync_memory(&status);
    REQUIRE(status == XMP_STAT_SUCCESS);
    xmp_sync_image(nodes, &status);
    REQUIRE(status != XMP_STAT_SUCCESS && status != XMP_STAT_STOPPED_IMAGE);
    return 0;
}
