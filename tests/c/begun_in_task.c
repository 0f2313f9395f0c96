/* In a task whose images are those of a team, some images name the team by its handle and others by XMPRT_CURRENT: they begin one
 * operation. With an argument, the others begin another operation. */
#include "check.h"
#include <xmprt_global.h>

int main(int argc, char **argv)
{
    int me = xmprt_this_image(XMPRT_INITIAL), n = xmprt_num_images(XMPRT_INITIAL), executes = 0, sum = me;
    xmprt_team odd, again, named = XMPRT_CURRENT;
    xmprt_request request = XMPRT_NO_REQUEST;
    xmprt_nodes nodes;
    int sizes[] = {n};
    xmprt_range which[] = {xmprt_by(0, (n + 1) / 2, 2)};
    (void)argv;
    REQUIRE(n >= 3);
    DO(xmprt_form_team(1 + me % 2, 0, &odd));
    DO(xmprt_form_team(3 + me % 2, 0, &again));
    DO(xmprt_nodes_create(0, 1, sizes, &nodes));
    DO(xmprt_task_begin(XMPRT_OBJECT(nodes), which, &executes));
    if (executes) {
        if (me == 1)
            named = odd;
        if (argc > 1 && me != 1)
            DO(xmprt_begin_co_scan(named, &sum, 1, XMPRT_INT, XMPRT_SUM, &request));
        else
            DO(xmprt_begin_co_sum(named, &sum, 1, XMPRT_INT, &request));
        DO(xmprt_wait(&request));
        REQUIRE(sum == (n + 1) / 2 * ((n + 1) / 2));
        DO(xmprt_task_end());
    }
    DO(xmprt_sync(XMPRT_CURRENT));
    return 0;
}
