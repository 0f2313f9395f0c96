#include <stdio.h>
#include <xmprt.h>

int main(void)
{
    enum { MOST = 64 };
    int me = xmprt_this_image(XMPRT_CURRENT), images = xmprt_num_images(XMPRT_CURRENT);
    int squares[MOST], product = me;

    xmprt_on_error(XMPRT_ERRORS_ARE_FATAL);
    if (images > MOST)
        xmprt_error_stop(2);
    squares[me - 1] = me * me;
    xmprt_co_allgather(XMPRT_CURRENT, squares, XMPRT_IN_PLACE, sizeof(int));
    xmprt_co_reduce_op(XMPRT_CURRENT, &product, 1, XMPRT_TYPE(product), XMPRT_PRODUCT, 1);
    if (me == 1)
        printf("the last square is %d, the product %d\n", squares[images - 1], product);
    return 0;
}
