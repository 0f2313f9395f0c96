/* Functions of coarray Fortran with variable arguments. */
#include "arguments.h"

int xmprt_omni_image_index(void **, int, struct arguments *);

int xmpf_coarray_get_image_index_(void **coarray, int *corank, ...)
{
    int index;
    WITH_ARGUMENTS(corank, index = xmprt_omni_image_index(coarray, *corank, arguments));
    return index;
}
