/* Images that wait for one another for ever, in functions of the C API: the argument names the mistake. A comment names each
   line that the test expects in the message. */
#include "check.h"
#include <xmprt_global.h>

static void wait_for_image_2(void)
{
    const int image = 2;
    DO(xmprt_sync_images(XMPRT_CURRENT, &image, 1)); /* sync images */
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    const int me = xmprt_this_image(XMPRT_CURRENT), first = me == 1;
    const int is_of_events = !strcmp(how, "event") || !strcmp(how, "lock");
    int images = xmprt_num_images(XMPRT_CURRENT), sum = 1;
    xmprt_request request = XMPRT_NO_REQUEST, requests[2] = {XMPRT_NO_REQUEST, XMPRT_NO_REQUEST};
    size_t which;
    xmprt_team team;
    xmprt_nodes nodes;
    void *block;
    int64_t *value;

    DO(xmprt_form_team(1, 0, &team));
    DO(xmprt_nodes_create(0, 1, &images, &nodes));
    DO(xmprt_allocate(sizeof *value, (void **)&value));
    if (!strcmp(how, "end team"))
        DO(xmprt_change_team(team));
    if (!strcmp(how, "sync against begun")) {
        if (me == 2)
            DO(xmprt_sync(XMPRT_CURRENT)); /* sync against begun */
        DO(xmprt_begin_co_sum(XMPRT_CURRENT, &sum, 1, XMPRT_INT, &request));
        DO(xmprt_wait(&request)); /* begun against sync */
    }
    if (first && !is_of_events)
        wait_for_image_2();
    if (!strcmp(how, "sync"))
        DO(xmprt_sync(XMPRT_CURRENT)); /* sync */
    else if (!strcmp(how, "form team"))
        DO(xmprt_form_team(2, 0, &team)); /* form team */
    else if (!strcmp(how, "change team"))
        DO(xmprt_change_team(team)); /* change team */
    else if (!strcmp(how, "end team"))
        DO(xmprt_end_team()); /* end team */
    else if (!strcmp(how, "co_sum"))
        DO(xmprt_co_sum(XMPRT_CURRENT, &sum, 1, XMPRT_INT, 0)); /* co_sum */
    else if (!strcmp(how, "allocate"))
        DO(xmprt_allocate(100, &block)); /* allocate */
    else if (!strcmp(how, "begun co_sum")) {
        DO(xmprt_begin_co_sum(XMPRT_CURRENT, &sum, 1, XMPRT_INT, &request));
        DO(xmprt_wait(&request)); /* begun co_sum */
    } else if (!strcmp(how, "any of two")) {
        DO(xmprt_begin_co_sum(XMPRT_CURRENT, &sum, 1, XMPRT_INT, &requests[0]));
        DO(xmprt_begin_sync(XMPRT_CURRENT, &requests[1]));
        DO(xmprt_wait_any(requests, 2, &which)); /* any of two */
    } else if (!strcmp(how, "sync beside begun")) {
        DO(xmprt_begin_co_broadcast(XMPRT_CURRENT, &sum, sizeof sum, 1, &request));
        DO(xmprt_sync(XMPRT_CURRENT)); /* sync beside begun */
    } else if (!strcmp(how, "wait_until")) {
        DO(xmprt_wait_until64(value, XMPRT_EQUAL, 1)); /* wait_until */
    } else if (is_of_events) {
        struct places { xmprt_event events[4]; xmprt_lock locks[2]; } *shared;
        DO(xmprt_allocate(sizeof *shared, (void **)&shared));
        if (xmprt_this_image(XMPRT_CURRENT) == 2)
            DO(xmprt_lock_acquire(XMPRT_CURRENT, 3, &shared->locks[1]));
        DO(xmprt_sync(XMPRT_CURRENT));
        if (xmprt_this_image(XMPRT_CURRENT) == 2)
            DO(xmprt_event_wait(&shared->events[2], 1)); /* event of C */
        if (!strcmp(how, "event"))
            DO(xmprt_sync(XMPRT_CURRENT)); /* others of event of C */
        DO(xmprt_lock_acquire(XMPRT_CURRENT, 3, &shared->locks[1])); /* lock of C */
    } else if (!strcmp(how, "barrier on"))
        DO(xmprt_barrier(XMPRT_OBJECT(nodes), NULL)); /* barrier on */
    return 0;
}
