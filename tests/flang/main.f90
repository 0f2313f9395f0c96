/* C: the compiler here is a stand-in. */
#include <stdio.h>

int first, second;

static void coarrays(void) {}

int main(void)
{
    int stat;
    _QMprifPprif_init(&stat);
    printf("%d %d\n", first, second);
    _QMprifPprif_stop_termination_wrapper(0);
}
