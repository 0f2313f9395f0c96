/* Images that fail or end while others wait for what only those could do: events, values, signals, locks, atomic operations. The
 * first argument says which way the last image goes. */
#include "check.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    int me = xmprt_this_image(XMPRT_CURRENT), n = xmprt_num_images(XMPRT_CURRENT), acquired = 0;
    int fails = argc > 1 && strcmp(argv[1], "fail") == 0, images[8];
    xmprt_status expected = fails ? XMPRT_FAILED_IMAGE : XMPRT_STOPPED_IMAGE, status = XMPRT_OK;
    size_t count = 0;
    struct { xmprt_event event, other; xmprt_lock lock, held; int64_t value; } *x;
    xmprt_team left;
    REQUIRE(n == 3);
    DO(xmprt_form_team(me == n ? 2 : 1, 0, &left));
    DO(xmprt_allocate(sizeof *x, (void **)&x));
    if (me == n) {
        DO(xmprt_lock_acquire(XMPRT_CURRENT, 1, &x->held));
        DO(xmprt_event_post(XMPRT_CURRENT, 1, &x->other));
        if (fails)
            xmprt_fail_image();
        return 0;
    }
    if (me == 1)
        DO(xmprt_event_wait(&x->other, 1));
    REFUSED(xmprt_event_wait(&x->event, 1), expected, "xmprt_event_wait");
    /* The last image has ended. */
    DO(xmprt_image_status(XMPRT_CURRENT, n, &status));
    REQUIRE(status == expected);
    DO((fails ? xmprt_failed_images : xmprt_stopped_images)(XMPRT_CURRENT, images, 8, &count));
    REQUIRE(count == 1 && images[0] == n);
    REFUSED((fails ? xmprt_failed_images : xmprt_stopped_images)(XMPRT_CURRENT, images, 0, &count), XMPRT_BAD_ARGUMENT,
            "there is room for 0 images, and there is 1");
    DO((fails ? xmprt_stopped_images : xmprt_failed_images)(XMPRT_CURRENT, images, 8, &count));
    REQUIRE(count == 0);
    DO(xmprt_sync(left));
    REFUSED(xmprt_wait_until64(&x->value, XMPRT_EQUAL, 1), expected, "change the value");
    REFUSED(xmprt_event_post(XMPRT_CURRENT, n, &x->event), expected, "xmprt_event_post");
    REFUSED(xmprt_put_signal(XMPRT_CURRENT, n, &x->value, &acquired, 4, &x->value, XMPRT_SIGNAL_ADD, 1), expected,
            "xmprt_put_signal");
    if (fails) {
        int64_t value;
        REFUSED(xmprt_atomic_load64(XMPRT_CURRENT, n, &x->value, &value), XMPRT_FAILED_IMAGE, "xmprt_atomic_load64");
        REFUSED(xmprt_get(XMPRT_CURRENT, n, &value, &x->value, sizeof value), XMPRT_FAILED_IMAGE, "xmprt_get");
    }
    /* The lock of the image that has ended: one of the others gets it. */
    if (me == 1) {
        if (fails)
            REFUSED(xmprt_lock_acquire(XMPRT_CURRENT, 1, &x->held), XMPRT_UNLOCKED_FAILED_IMAGE, "xmprt_lock_acquire");
        else
            REFUSED(xmprt_lock_acquire(XMPRT_CURRENT, 1, &x->held), XMPRT_STOPPED_IMAGE, "xmprt_lock_acquire");
    }
    return 0;
}
