/* What xmp-translate makes of master_io, global_io and file_sync_all: see xmp_translated.inc. Descriptors of objects are
   integers. */
#include "end_job.h"
#include <ISO_Fortran_binding.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <xmp.h>
#include <xmp_func_decl.h>

typedef int64_t object;

void xmpf_file_option__(const int *, const void *, const int *);
void xmpf_file_open__(const int *, const int *, const int64_t *, const int *);
void xmpf_file_close__(const int *, const int *, const int *);
void xmpf_file_begin__(const int *, const int *, const int64_t *, const int *);
void xmpf_file_bytes__(void *, const int64_t *);
void xmpf_file_array__(object *);
void xmpf_file_finish__(const int *, const int *);
int xmpf_file_iostat__(void);
void xmpf_file_sync__(const int *);
void xmpf_master_collect__(object *, void *);
void xmpf_master_spread__(object *, void *);

/* master_io */

/* Whether this image is the master: the first of the executing nodes. */
int xmptf_master(void)
{
    return _XMP_get_execution_nodes_rank() == 0;
}

/* A bound of all of an array (end 1: lower, 2: upper); other images than the master have no element. */
int xmptf_io_bound(object array, int dim, int end)
{
    int lower = 1, upper = 0;
    xmp_array_lbound((xmp_desc_t)(intptr_t)array, dim, &lower);
    xmp_array_ubound((xmp_desc_t)(intptr_t)array, dim, &upper);
    if (!xmptf_master())
        upper = lower - 1;
    return end == 1 ? lower : upper;
}

void xmptf_collect(object array, const CFI_cdesc_t *whole)
{
    xmpf_master_collect__(&array, whole->base_addr);
}

void xmptf_spread(object array, const CFI_cdesc_t *whole)
{
    xmpf_master_spread__(&array, whole->base_addr);
}

/* An error that the program does not ask for. */
void xmptf_io_failed(int status, const CFI_cdesc_t *message)
{
    int len = (int)message->elem_len;
    const char *text = message->base_addr;
    if (status == 0)
        return;
    while (len > 0 && text[len - 1] == ' ')
        len--;
    if (xmptf_master())
        fprintf(stderr, "Fortran runtime error: master_io: %.*s\n", len, text);
    end_job(2);
}

/* global_io */

void xmptf_option(int which, const CFI_cdesc_t *value)
{
    int len = (int)value->elem_len;
    xmpf_file_option__(&which, value->base_addr, &len);
}

void xmptf_open(int way, int unit, int64_t record, int told)
{
    xmpf_file_open__(&way, &unit, &record, &told);
}

void xmptf_close(int way, int unit, int told)
{
    xmpf_file_close__(&way, &unit, &told);
}

void xmptf_begin(int way, int unit, int64_t record, int writes)
{
    xmpf_file_begin__(&way, &unit, &record, &writes);
}

/* Passes on the elements of the dimensions before `dim`, piece by piece. `len` bytes of them are contiguous, if any are. */
static void pieces(const CFI_cdesc_t *data, char *base, int dim, int64_t len, int contiguous)
{
    CFI_index_t at;
    if (dim == contiguous) {
        if (len > 0)
            xmpf_file_bytes__(base, &len);
        return;
    }
    for (at = 0; at < data->dim[dim - 1].extent; at++)
        pieces(data, base + at * data->dim[dim - 1].sm, dim - 1, len, contiguous);
}

/* An item that is a variable. */
void xmptf_item(const CFI_cdesc_t *data)
{
    int64_t len = (int64_t)data->elem_len;
    int dim = 0;
    while (dim < data->rank && data->dim[dim].sm == len)
        len *= data->dim[dim++].extent;
    pieces(data, data->base_addr, data->rank, len, dim);
}

/* An item that is a distributed array. */
void xmptf_item_array(object array)
{
    xmpf_file_array__(&array);
}

void xmptf_finish(int unit, int told)
{
    xmpf_file_finish__(&unit, &told);
}

int xmptf_iostat(void)
{
    return xmpf_file_iostat__();
}

void xmptf_sync(int unit)
{
    xmpf_file_sync__(&unit);
}
