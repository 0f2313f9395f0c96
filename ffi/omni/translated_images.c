/* What programs call that xmp-translate has made of the directives coarray and image: image indices are numbers of nodes. */
#include "xmprt_translated.h"
#include "end_job.h"
#include "xmp_func_decl.h"
#include <ISO_Fortran_binding.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int64_t object;

void xmp_get_image_index_(const int *, const int *, int *, object *);
void xmp_get_primary_image_index_(const int *, const int *, int *, object *);
void xmpf_coarray_set_image_nodes_(object *);
void xmpf_sync_all_(void);
void xmpf_sync_images_(const int *, const int *);
void xmpf_sync_memory_(void);

/* gfortran's description of a contiguous list. */
struct list {
    void *base;
    ptrdiff_t offset;
    size_t elem_len;
    int version;
    signed char rank, type;
    short attribute;
    ptrdiff_t span, stride, lower, upper;
};

void xmpf_sync_all_stat_(int *, char *, size_t);
void xmpf_sync_allimages_stat_wrap_(const char *, int *, char *, size_t, size_t);
void xmpf_sync_images_stat_wrap_(const struct list *, int *, char *, size_t);

/* Image indices beyond this one are those among all images, of images that do not execute; the library has the same number. */
enum { primary = 1 << 30 };

/* The image index of node `number`. */
int xmptf_image(object nodes, int number)
{
    const int one = 1;
    int index = 0;
    xmp_get_image_index_(&one, &number, &index, &nodes);
    if (index > 0)
        return index;
    xmp_get_primary_image_index_(&one, &number, &index, &nodes);
    if (index > 0)
        return primary + index;
    fprintf(stderr, "xmp: image index %d of a coarray on nodes: there is no such node\n", number);
    end_job(EXIT_FAILURE);
}

/* The cosubscript `dim` of a number from 1. */
static int cosubscript(int number, int dim, int corank, const int *lower, const int *upper)
{
    int before = number - 1, at;
    for (at = 0; at < dim - 1; at++)
        before /= upper[at] - lower[at] + 1;
    /* The last codimension has no end. */
    return lower[dim - 1] + (dim == corank ? before : before % (upper[dim - 1] - lower[dim - 1] + 1));
}

/* The cosubscript `dim` by which the compiler finds the image of the node that these indices mean. */
int xmptf_cosubscript(object nodes, int dim, int corank, const int *indices, const int *lower, const int *upper)
{
    int number = 1, stride = 1, at;
    for (at = 0; at < corank; at++) {
        number += (indices[at] - lower[at]) * stride;
        stride *= upper[at] - lower[at] + 1;
    }
    return cosubscript(xmptf_image(nodes, number), dim, corank, lower, upper);
}

/* The cosubscript `dim` of this image among nodes; 0 if it is not one of them. */
int xmptf_this_image(object nodes, int dim, int corank, const int *lower, const int *upper)
{
    const int one = 1, own = xmp_all_node_num();
    int count = 1, dims, at, size, number, image;
    xmp_desc_t desc = (xmp_desc_t)(intptr_t)nodes;
    xmp_nodes_ndims(desc, &dims);
    for (at = 1; at <= dims; at++) {
        xmp_nodes_size(desc, at, &size);
        count *= size;
    }
    for (number = 1; number <= count; number++) {
        xmp_get_primary_image_index_(&one, &number, &image, &nodes);
        if (image == own)
            return cosubscript(number, dim, corank, lower, upper);
    }
    return 0;
}

/* Where an error message goes, if somewhere, and its length. */
static char *message_at(const CFI_cdesc_t *errmsg) { return errmsg ? errmsg->base_addr : 0; }
static size_t message_len(const CFI_cdesc_t *errmsg) { return errmsg ? errmsg->elem_len : 0; }

/* Without `stat`, an error ends the program. */
void xmptf_sync_all(object nodes, int *stat, const CFI_cdesc_t *errmsg)
{
    xmpf_coarray_set_image_nodes_(&nodes);
    if (stat)
        xmpf_sync_all_stat_(stat, message_at(errmsg), message_len(errmsg));
    else
        xmpf_sync_all_();
}

void xmptf_sync_all_images(object nodes, int *stat, const CFI_cdesc_t *errmsg)
{
    const int all = 0;
    xmpf_coarray_set_image_nodes_(&nodes);
    if (stat)
        xmpf_sync_allimages_stat_wrap_("*", stat, message_at(errmsg), 1, message_len(errmsg));
    else
        xmpf_sync_images_(&all, 0);
}

void xmptf_sync_images(object nodes, const CFI_cdesc_t *images, int *stat, const CFI_cdesc_t *errmsg)
{
    const int count = (int)images->dim[0].extent;
    if (count == 0) {
        xmpf_sync_memory_();
        if (stat)
            *stat = 0;
        return;
    }
    xmpf_coarray_set_image_nodes_(&nodes);
    if (stat) {
        const struct list list = {
            .base = images->base_addr, .offset = -1, .elem_len = sizeof(int), .rank = 1, .type = 1,
            .span = sizeof(int), .stride = 1, .lower = 1, .upper = count,
        };
        xmpf_sync_images_stat_wrap_(&list, stat, message_at(errmsg), message_len(errmsg));
    } else {
        xmpf_sync_images_(&count, images->base_addr);
    }
}
