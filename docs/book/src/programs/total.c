#include <stdio.h>
#include <xmprt.h>

int main(void)
{
    int me = xmprt_this_image(XMPRT_CURRENT), sum = me;
    if (xmprt_co_sum(XMPRT_CURRENT, &sum, 1, XMPRT_INT, XMPRT_ALL) != XMPRT_OK) {
        fprintf(stderr, "%s\n", xmprt_message());
        return 1;
    }
    if (me == 1)
        printf("sum of the image indices: %d\n", sum);
    return 0;
}
