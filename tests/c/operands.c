/* Each image sets the operands of a reduction, which the library gives to the operation of the program on any image. */
#include <xmprt.h>

enum { COUNT = 20000, ROUNDS = 10 };

static void add(void *left, const void *right, void *context)
{
    (void)context;
    *(int *)left += *(const int *)right;
}

int main(void)
{
    int round, i, *x;
    xmprt_request request;
    void *block;
    if (xmprt_allocate(COUNT * sizeof *x, &block) != XMPRT_OK)
        return 1;
    x = block;
    for (round = 0; round < ROUNDS; round++) {
        for (i = 0; i < COUNT; i++)
            x[i] = i;
        (void)xmprt_co_reduce(XMPRT_CURRENT, x, COUNT, sizeof *x, add, NULL, round % 2 ? XMPRT_ALL : 2);
        for (i = 0; i < COUNT; i++)
            x[i] = i;
        (void)xmprt_begin_co_reduce(XMPRT_CURRENT, x, COUNT, sizeof *x, add, NULL, &request);
        (void)xmprt_wait(&request);
        if (x[COUNT - 1] != xmprt_num_images(XMPRT_CURRENT) * (COUNT - 1))
            return 1;
    }
    return 0;
}
