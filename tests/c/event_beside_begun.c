/* Image 1 waits for a post, and the others, for it, in an operation in the background, when the last image ends: the wait for the post is
 * an error then, and the operation goes on. */
#include "check.h"

int main(void)
{
    static xmprt_event *posted;
    int me = xmprt_this_image(XMPRT_CURRENT), n = xmprt_num_images(XMPRT_CURRENT), sum = me;
    xmprt_request request = XMPRT_NO_REQUEST;
    xmprt_team team;
    REQUIRE(n > 2);
    DO(xmprt_allocate(sizeof *posted, (void **)&posted));
    DO(xmprt_form_team(me == n ? 2 : 1, 0, &team));
    if (me == n)
        return 0;
    if (me == 1)
        REFUSED(xmprt_event_wait(posted, 1), XMPRT_STOPPED_IMAGE, "no image is left that could post");
    DO(xmprt_begin_co_sum(team, &sum, 1, XMPRT_INT, &request));
    DO(xmprt_wait(&request));
    REQUIRE(sum == n * (n - 1) / 2);
    return 0;
}
