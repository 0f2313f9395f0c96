/* The arrays of programs that xmp-translate has made of XMP/C: where their parts lie, initial values, checked subscripts. */
#include "xmp_translated.h"
#include "end_job.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Computes `length` and `base` from what the runtime has written: strides and origins. */
void xmpt_array_allocated(struct xmpt_array *a, const enum xmpt_format *formats, size_t element)
{
    char *base = a->part;
    int dim;
    for (dim = 0; dim < a->dims; dim++) {
        if (dim == 0)
            a->length[dim] = a->stride[0] ? (long)(_XMP_get_array_total_elmts(a->desc) / a->stride[0]) : 0;
        else
            a->length[dim] = a->stride[dim] ? (long)(a->stride[dim - 1] / a->stride[dim]) : 0;
        if (formats[dim] == XMPT_PIECE)
            base -= (long)a->origin[dim] * (long)(a->stride[dim] * element);
        else if (formats[dim] == XMPT_WHOLE)
            /* With a full shadow all indices are stored, though the runtime distributes them. */
            a->origin[dim] = 0;
    }
    a->base = base;
}

/* The memory of an aligned pointer: the program gets the place of global index 0. */
void *xmpt_allocated(struct xmpt_array *a, void *part, const enum xmpt_format *formats, size_t element)
{
    a->part = part;
    xmpt_array_allocated(a, formats, element);
    return part ? a->base : 0;
}

/* Copies the initial values of the dimensions from `nth` on: `size` bytes of them, to the place of index 0. */
static void copy_values(const struct xmpt_array *a, const struct xmpt_template *t, const struct xmpt_dim *dims, int nth,
                        const char *values, char *place, size_t size, size_t element)
{
    const struct xmpt_dim *dim = &dims[nth];
    struct xmpt_range own;
    size_t stride, row;
    long index;
    if (nth == a->dims) {
        memcpy(place, values, element);
        return;
    }
    stride = (size_t)a->stride[nth] * element;
    row = size / (size_t)dim->size;
    own = dim->format == XMPT_WHOLE ? (struct xmpt_range){0, dim->size - 1, dim->size, dim->size}
                                    : xmpt_range(t, dim->axis, dim->offset);
    for (index = own.first > 0 ? own.first : 0; index < dim->size && index <= own.last; index++) {
        long at = dim->format == XMPT_CYCLIC ? xmpt_place(index, a->origin[nth], dim->width) : index;
        if ((index - own.first) % own.period < own.width)
            copy_values(a, t, dims, nth + 1, values + (size_t)index * row, place + (size_t)at * stride, row, element);
    }
}

/* Gives an array the elements of `values`, which is a whole array, that are of this image. */
void xmpt_initialize(const struct xmpt_array *a, const struct xmpt_template *t, const struct xmpt_dim *dims, const void *values,
                     size_t element)
{
    size_t size = element;
    int nth;
    for (nth = 0; nth < a->dims; nth++)
        size *= (size_t)dims[nth].size;
    copy_values(a, t, dims, 0, values, a->base, size, element);
}

void xmpt_end_array(struct xmpt_array *a)
{
    if (a->desc) {
        _XMP_dealloc_array(a->desc);
        _XMP_finalize_array_desc(a->desc);
    }
}

void xmpt_end_argument(struct xmpt_array *a)
{
    _XMP_finalize_array_desc(a->desc);
}

/* Subscripts */

static void wrong_subscript(long index, int dim, const char *name, const char *file, int line, const char *has)
{
    fprintf(stderr, "%s:%d: node %d: index %ld of dimension %d of `%s` is not on this node, which has %s\n", file, line,
            xmp_all_node_num(), index, dim + 1, name, has);
    end_job(EXIT_FAILURE);
}

/* An index of a dimension in one piece, shadow included. */
long xmpt_within(long index, const struct xmpt_array *a, int dim, const char *name, const char *file, int line)
{
    long first = a->origin[dim], last = first + a->length[dim] - 1;
    char has[80];
    if (index >= first && index <= last)
        return index;
    if (last < first)
        snprintf(has, sizeof has, "no elements of it");
    else
        snprintf(has, sizeof has, "%ld to %ld with the shadow", first, last);
    wrong_subscript(index, dim, name, file, line, has);
    return index;
}

/* An index of a cyclic dimension. */
long xmpt_own(long index, const struct xmpt_range *own, int dim, const char *name, const char *file, int line)
{
    char has[120];
    if (index >= own->first && index <= own->last && (index - own->first) % own->period < own->width)
        return index;
    if (own->last < own->first)
        snprintf(has, sizeof has, "no elements of it");
    else
        snprintf(has, sizeof has, "%ld to %ld and each %ld further", own->first, own->first + own->width - 1, own->period);
    wrong_subscript(index, dim, name, file, line, has);
    return index;
}

/* Sections of local arrays */

void *xmpt_scratch(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "assignment of sections: no memory for a copy of %zu bytes\n", bytes);
        end_job(EXIT_FAILURE);
    }
    return memory;
}

/* `place` holds the address of the memory. */
void xmpt_end_scratch(void *place)
{
    void *memory;
    memcpy(&memory, place, sizeof memory);
    free(memory);
}
