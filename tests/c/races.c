/* Loads and stores of image 1, then an access of image 2 to the same memory. With a second argument "ordered" the images
   synchronise in between. The comments mark the statements. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xmprt.h>

static int64_t *turn;

static void next(void)
{
    (void)xmprt_atomic_add64(XMPRT_CURRENT, 1, turn, 1, NULL);
}

static void await(int64_t number)
{
    int64_t now;
    for (;;) {
        (void)xmprt_atomic_load64(XMPRT_CURRENT, 1, turn, &now);
        if (now >= number)
            return;
        /* Other processes get the processor. */
        usleep(1000);
    }
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    int ordered = argc > 2 && !strcmp(argv[2], "ordered");
    int me = xmprt_this_image(XMPRT_CURRENT), other = 3 - me, value = 7, sum = 0, i;
    void *block;
    int *x;
    (void)xmprt_allocate(64, &block);
    turn = block;
    (void)xmprt_allocate(10 * sizeof *x, &block);
    x = block;
    memset(turn, 0, 64);
    memset(x, 0, 10 * sizeof *x);
    (void)xmprt_sync(XMPRT_CURRENT);
    if (me == 1) {
        if (!strcmp(kind, "store"))
            x[2] = value; /* first store */
        else if (!strcmp(kind, "loop"))
            for (i = 0; i < 10; i++)
                sum += x[i]; /* first loop */
        else
            memset(x, 1, 10 * sizeof *x); /* first set */
    }
    if (ordered)
        (void)xmprt_sync_images(XMPRT_CURRENT, &other, 1);
    if (me == 1) {
        next();
        await(2);
    } else {
        await(1);
        (void)xmprt_put(XMPRT_CURRENT, 1, x + 2, &value, sizeof value); /* second */
        next();
    }
    (void)xmprt_sync(XMPRT_CURRENT);
    if (me == 1)
        printf("done%s\n", sum > 0 ? "!" : "");
    return 0;
}
