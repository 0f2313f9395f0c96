/* Each image puts a number into the memory of the next one. */
#include <stdio.h>
#include <xmprt.h>

/* Ends the program when a function of the library has failed. */
static void check(int status)
{
    if (status != XMPRT_OK) {
        fprintf(stderr, "image %d: %s\n", xmprt_this_image(XMPRT_INITIAL), xmprt_message());
        xmprt_error_stop(1);
    }
}

int main(void)
{
    int me = xmprt_this_image(XMPRT_CURRENT), images = xmprt_num_images(XMPRT_CURRENT);
    int next = me % images + 1, mine = 100 * me;
    void *block;
    int *received;

    check(xmprt_allocate(sizeof(int), &block)); /* on all images */
    received = block;
    check(xmprt_put(XMPRT_CURRENT, next, received, &mine, sizeof mine));
    check(xmprt_sync(XMPRT_CURRENT));           /* all puts have arrived */
    printf("image %d received %d\n", me, *received);
    check(xmprt_free(block));
    return 0;
}
