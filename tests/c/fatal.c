/* A program that looks at no status: the first error ends the job. */
#include "check.h"

int main(void)
{
    int *block, x = 5;
    REFUSED(xmprt_on_error((xmprt_errors)2), XMPRT_BAD_ARGUMENT, "2 is not an xmprt_errors");
    DO(xmprt_on_error(XMPRT_ERRORS_ARE_FATAL));
    DO(xmprt_on_error(XMPRT_ERRORS_RETURN));
    REFUSED(xmprt_translate_image(XMPRT_CURRENT, 3, XMPRT_INITIAL, &x), XMPRT_BAD_ARGUMENT, "image index 3");
    DO(xmprt_on_error(XMPRT_ERRORS_ARE_FATAL));
    xmprt_allocate(sizeof *block, (void **)&block);
    xmprt_put(XMPRT_CURRENT, 3, block, &x, sizeof x);
    printf("not reached\n");
    return 0;
}
