/* Image 1 begins an operation on a block, and does something with it before it waits for the operation: the first argument says which
   operation, the second one what is done. With "later" as the third argument that comes after the wait. The comments mark the
   statements. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <xmprt.h>

enum { LEN = 8, BYTES = LEN * sizeof(int) };

static const char *kind;

/* All images call it. `x` has LEN elements, which the operation writes; of a broadcast image 1 is the source. */
static void begin(int *x, int64_t *at, xmprt_request *request)
{
    int one[LEN] = {0};
    static int many[2 * LEN];
    static const size_t lens[2] = {BYTES / 2, BYTES / 2}, offsets[2] = {0, BYTES / 2};
    if (!strcmp(kind, "sum"))
        (void)xmprt_begin_co_sum(XMPRT_CURRENT, x, LEN, XMPRT_INT, request); /* begin sum */
    else if (!strcmp(kind, "broadcast"))
        (void)xmprt_begin_co_broadcast(XMPRT_CURRENT, x, BYTES, 1, request); /* begin broadcast */
    else if (!strcmp(kind, "allgather"))
        (void)xmprt_begin_co_allgather(XMPRT_CURRENT, x, one, BYTES / 2, request); /* begin allgather */
    else if (!strcmp(kind, "gather"))
        (void)xmprt_begin_co_gather(XMPRT_CURRENT, x, one, BYTES / 2, 1, request); /* begin gather */
    else if (!strcmp(kind, "scatter"))
        (void)xmprt_begin_co_scatter(XMPRT_CURRENT, x, many, BYTES, 1, request); /* begin scatter */
    else if (!strcmp(kind, "alltoall"))
        (void)xmprt_begin_co_alltoall(XMPRT_CURRENT, x, many, BYTES / 2, request); /* begin alltoall */
    else if (!strcmp(kind, "allgatherv"))
        (void)xmprt_begin_co_allgatherv(XMPRT_CURRENT, x, lens, offsets, one, BYTES / 2, request); /* begin allgatherv */
    else if (!strcmp(kind, "scan"))
        (void)xmprt_begin_co_scan(XMPRT_CURRENT, x, LEN, XMPRT_INT, XMPRT_SUM, request); /* begin scan */
    else if (!strcmp(kind, "reduce_scatter"))
        (void)xmprt_begin_co_reduce_scatter(XMPRT_CURRENT, x, many, LEN, XMPRT_INT, XMPRT_SUM, request); /* begin reduce_scatter */
    else if (!strcmp(kind, "minloc"))
        (void)xmprt_begin_co_minloc(XMPRT_CURRENT, x, at, LEN, XMPRT_INT, request); /* begin minloc */
}

int main(int argc, char **argv)
{
    const char *access = argc > 2 ? argv[2] : "";
    int is_later = argc > 3 && !strcmp(argv[3], "later"), me = xmprt_this_image(XMPRT_CURRENT), other = 3 - me;
    int sum = 0, value = 0, complete = 0, own[LEN] = {0};
    int64_t at[LEN] = {0};
    xmprt_request request = XMPRT_NO_REQUEST, again = XMPRT_NO_REQUEST;
    void *block;
    int *x;
    kind = argc > 1 ? argv[1] : "";
    (void)xmprt_allocate(BYTES, &block);
    x = block;
    memset(x, 0, BYTES);
    (void)xmprt_sync(XMPRT_CURRENT);
    x[3] = 1;
    begin(me == 1 ? x : own, at, &request);
    if (is_later)
        while (!complete)
            (void)xmprt_test(&request, &complete);
    if (!strcmp(access, "store") && me == 1)
        x[2] = 7; /* store */
    else if (!strcmp(access, "load") && me == 1)
        sum += x[2]; /* load */
    else if (!strcmp(access, "again"))
        (void)xmprt_begin_co_max(XMPRT_CURRENT, me == 1 ? x + 2 : own, 4, XMPRT_INT, &again); /* again */
    else if (!strcmp(access, "get")) {
        (void)xmprt_sync_images(XMPRT_CURRENT, &other, 1);
        if (me == 2)
            (void)xmprt_get(XMPRT_CURRENT, 1, &value, x + 2, sizeof value); /* get */
        (void)xmprt_sync_images(XMPRT_CURRENT, &other, 1);
    }
    (void)xmprt_wait(&request);
    (void)xmprt_wait(&again);
    x[2] = 9;
    (void)xmprt_sync(XMPRT_CURRENT);
    if (me == 1)
        printf("done%s\n", sum + value < 0 ? "!" : "");
    return 0;
}
