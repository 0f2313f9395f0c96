/* Procedures with as many arguments as an array has dimensions, which Rust cannot define. */
#include "arguments.h"

void xmprt_xmp_gather(void *, void *, struct arguments *);
void xmprt_xmp_scatter(void *, void *, struct arguments *);

void xmp_gather(void *x, void *a, ...)
{
    WITH_ARGUMENTS(a, xmprt_xmp_gather(x, a, arguments));
}

void xmp_scatter(void *x, void *a, ...)
{
    WITH_ARGUMENTS(a, xmprt_xmp_scatter(x, a, arguments));
}

void xmp_gather_(void **x, void **a, ...)
{
    WITH_POINTERS(xmprt_next_descriptor_of_fortran, a, xmprt_xmp_gather(*x, *a, arguments));
}

void xmp_scatter_(void **x, void **a, ...)
{
    WITH_POINTERS(xmprt_next_descriptor_of_fortran, a, xmprt_xmp_scatter(*x, *a, arguments));
}
