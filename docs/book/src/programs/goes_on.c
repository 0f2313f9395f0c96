/* Images add up numbers. One of them fails, and the others add up its share, too. */
#include <stdio.h>
#include <stdlib.h>
#include <xmprt.h>

static void must(xmprt_status status)
{
    if (status != XMPRT_OK && status != XMPRT_FAILED_IMAGE) {
        fprintf(stderr, "%s: %s\n", xmprt_status_text(status), xmprt_message());
        xmprt_error_stop(1);
    }
}

int main(void)
{
    xmprt_team team = XMPRT_INITIAL;
    for (;;) {
        int me = xmprt_this_image(team), images = xmprt_num_images(team);
        int64_t sum = 0;
        for (int64_t k = me; k <= 1000; k += images)
            sum += k;
        if (images == 4 && me == 3)
            xmprt_fail_image();
        must(xmprt_co_sum(team, &sum, 1, XMPRT_INT64, XMPRT_ALL)); /* It may fail on some images only. */
        xmprt_status status = xmprt_sync_active(team);             /* Here all learn of a failure, or none does. */
        must(status);
        if (status == XMPRT_OK) {
            if (me == 1)
                printf("%d images: %d\n", images, (int)sum);
            return 0;
        }
        must(xmprt_form_team(1, 0, &team));
    }
}
