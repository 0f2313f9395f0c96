/* xmp_malloc: as many sizes as the array has dimensions. Omni's programs have another, which also writes what they compute
   addresses from. */
#include "arguments.h"

void *xmprt_xmp_malloc(void *, struct arguments *);

void *xmp_malloc(void *array, ...)
{
    void *start;
    WITH_ARGUMENTS(array, start = xmprt_xmp_malloc(array, arguments));
    return start;
}
