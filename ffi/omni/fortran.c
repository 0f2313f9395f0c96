/* Procedures of XMP/Fortran with as many arguments as an array has dimensions. */
#include "arguments.h"

void xmprt_omni_fortran_scatter(void **, void **, struct arguments *);
void xmprt_omni_fortran_gather(void **, void **, struct arguments *);

void xmp_scatter_(void **x, void **a, ...)
{
    WITH_ARGUMENTS(a, xmprt_omni_fortran_scatter(x, a, arguments));
}

void xmp_gather_(void **x, void **a, ...)
{
    WITH_ARGUMENTS(a, xmprt_omni_fortran_gather(x, a, arguments));
}
