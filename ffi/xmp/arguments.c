/* The reader of variable arguments. */
#include "arguments.h"

int xmprt_next_integer(struct list *list)
{
    return va_arg(list->values, int);
}

long long xmprt_next_wide(struct list *list)
{
    return va_arg(list->values, long long);
}

void *xmprt_next_pointer(struct list *list)
{
    return va_arg(list->values, void *);
}

void *xmprt_next_descriptor_of_fortran(struct list *list)
{
    return *va_arg(list->values, void **);
}
