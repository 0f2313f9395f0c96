/* Images take numbers of tasks from one counter, and the first image waits for all results. */
#include <stdio.h>
#include <stdlib.h>
#include <xmprt.h>

enum { TASKS = 100 };

struct shared {
    int64_t next;             /* the number of the next task, on image 1 */
    int64_t done;             /* results that have arrived, on image 1 */
    double results[TASKS];
};

static void must(xmprt_status status)
{
    if (status != XMPRT_OK) {
        fprintf(stderr, "%s: %s\n", xmprt_status_text(status), xmprt_message());
        xmprt_error_stop(1);
    }
}

int main(void)
{
    struct shared *shared;
    must(xmprt_allocate(sizeof *shared, (void **)&shared));
    for (;;) {
        int64_t task;
        must(xmprt_atomic_add64(XMPRT_CURRENT, 1, &shared->next, 1, &task));
        if (task >= TASKS)
            break;
        double result = 0.5 * (double)task;
        must(xmprt_put_signal(XMPRT_CURRENT, 1, &shared->results[task], &result, sizeof result, &shared->done,
                              XMPRT_SIGNAL_ADD, 1));
    }
    if (xmprt_this_image(XMPRT_CURRENT) == 1) {
        must(xmprt_wait_until64(&shared->done, XMPRT_EQUAL, TASKS));
        double sum = 0;
        for (int k = 0; k < TASKS; k++)
            sum += shared->results[k];
        printf("sum of the results: %.1f\n", sum);
    }
    must(xmprt_free(shared));
    return 0;
}
