/* How C programs end, and what stat reports to the others: ends WAY. */
#include "check.h"

int main(int argc, char **argv)
{
    int me = xmprt_this_image(XMPRT_CURRENT), n = xmprt_num_images(XMPRT_CURRENT), x = 1;
    REQUIRE(argc == 2 && n == 3);
    if (strcmp(argv[1], "error-stop") == 0) {
        if (me == 2)
            xmprt_error_stop(17);
        xmprt_sync(XMPRT_CURRENT);
        return 0;
    }
    xmprt_team others;
    DO(xmprt_form_team(me == 2 ? 2 : 1, 0, &others));
    if (me == 2) {
        if (strcmp(argv[1], "stop") == 0)
            xmprt_stop(0);
        return 0;
    }
    REFUSED(xmprt_co_sum(XMPRT_CURRENT, &x, 1, XMPRT_INT, 0), XMPRT_STOPPED_IMAGE, "xmprt_co_sum: image 2 has stopped");
    REFUSED(xmprt_sync(XMPRT_CURRENT), XMPRT_STOPPED_IMAGE, "xmprt_sync: image 2 has stopped");
    /* The rest go on by themselves. */
    x = 1;
    DO(xmprt_co_sum(others, &x, 1, XMPRT_INT, 0));
    REQUIRE(x == 2);
    return 0;
}
