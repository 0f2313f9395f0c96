/* What Fortran programs call that xmp-translate has made of XMP/Fortran (include/xmp_translated.inc): calls with lists instead of
   one call for each dimension, and data of any type. They become calls of the front end for Omni's Fortran. */
#include "xmprt_translated.h"
#include "end_job.h"
#include "xmp_func_decl.h"
#include <ISO_Fortran_binding.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t object;

void xmpf_nodes_alloc__(object *, const int *);
void xmpf_nodes_dim_size__(object *, const int *, const int *);
void xmpf_nodes_init_global__(object *);
void xmpf_nodes_init_exec__(object *);
void xmpf_nodes_init_nodes__(object *, object *);
void xmpf_nodes_dealloc__(object *);
void xmpf_template_alloc__(object *, const int *, const int *);
void xmpf_template_dim_info__(object *, const int *, const int *, const int *, const int *, const int *);
void xmpf_template_init__(object *, object *);
void xmpf_template_dealloc__(object *);
void xmpf_ref_nodes_alloc__(object *, object *, const int *);
void xmpf_ref_templ_alloc__(object *, object *, const int *);
void xmpf_ref_set_dim_info__(object *, const int *, const int *, const int *, const int *, const int *);
void xmpf_ref_set_loop_info__(object *, const int *, const int *, const int *);
void xmpf_ref_init__(object *);
void xmpf_ref_dealloc__(object *);
void xmpf_loop_sched__(int *, int *, int *, const int *, object *, const int *, const int *, const int *, const int *);
void xmpf_l2g__(int *, const int *, const int *, object *);
void xmpf_array_alloc__(object *, const int *, const int *, const size_t *, object *);
void xmpf_align_info__(object *, const int *, const int *, const int *, const int *, const int *);
void xmpf_array_init_shadow__(object *, const int *, const int *, const int *);
void xmpf_array_init__(object *);
void xmpf_array_get_local_size_off__(object *, const int *, int *, int *, int *);
void xmpf_array_set_local_array__(object *, void *, const int *);
void xmpf_array_dealloc__(object *);
void xmpf_create_task_nodes__(object *, object *);
int xmpf_test_task_on_nodes__(object *);
int xmpf_test_task_nocomm__(object *);
void xmpf_end_task__(void);
void xmpf_barrier__(object *);
void xmpf_reduction__(void *, const int *, const int *, const int *, object *, const int *);
void xmpf_reduction_loc__(const int *, void *, const int *);
void xmpf_bcast__(void *, const int *, const int *, object *, object *);
void xmpf_set_reflect__(object *, const int *, const int *, const int *, const int *);
void xmpf_set_reduce_shadow__(object *, const int *, const int *, const int *, const int *);
void xmpf_reflect__(object *);
void xmprt_omni_fortran_reflect_orthogonal(object *);
void xmpf_reduce_shadow__(object *);
void xmpf_init_async__(const int *);
void xmpf_start_async__(void);
void xmpf_wait_async__(const int *, object *);
void xmpf_gmv_g_alloc__(object *, object *);
void xmpf_gmv_g_dim_info__(object *, const int *, const int *, const int *, const int *, const int *);
void xmpf_gmv_l_alloc__(object *, void *, const int *);
void xmpf_gmv_l_dim_info__(object *, const int *, const int *, const int *, const int *, const int *, const int *, const int *);
void xmpf_gmv_do__(object *, object *, const int *);
void xmpf_gmv_dealloc__(object *);
void xmp_post_(object *, const int *, const int *);
void xmp_wait_(object *, const int *, const int *);
void xmp_wait_node_(object *, const int *);
void xmp_wait_any_(void);
void xmpt_end_memory(void);
void xmpt_given_memory(object, void *);

/* Far outside of all bounds of loops, and far enough from the ends of an int to be added to. */
enum { far = 1 << 30 };

enum { nodes_kind = 2200, template_kind = 2201 };

static int kind_of(object of)
{
    int kind = 0;
    xmp_desc_kind((xmp_desc_t)(intptr_t)of, &kind);
    return kind;
}

/* Nodes */

/* A descriptor as a value of its type in Fortran, whose functions have names with an underscore. */
struct xmp_desc {
    object desc;
};

struct xmp_desc xmptf_desc_of_(const object *of)
{
    struct xmp_desc value = {*of};
    return value;
}

/* kind: 0 all, 1 the executing ones, 2 those of the reference `part`, which ends here. */
void xmptf_nodes(object *nodes, int dims, const int *sizes, int kind, object part)
{
    int dim;
    xmpf_nodes_alloc__(nodes, &dims);
    for (dim = 0; dim < dims; dim++)
        xmpf_nodes_dim_size__(nodes, &dim, &sizes[dim]);
    if (kind == 0)
        xmpf_nodes_init_global__(nodes);
    else if (kind == 1)
        xmpf_nodes_init_exec__(nodes);
    else {
        xmpf_nodes_init_nodes__(nodes, &part);
        xmpf_ref_dealloc__(&part);
    }
}

/* The number of this image in a dimension of nodes, from 1; none of the loops' values if it is not one of them. */
int xmptf_node(object nodes, int dim)
{
    int index = 0;
    if (xmp_nodes_index((xmp_desc_t)(intptr_t)nodes, dim, &index) != 0 || index < 1)
        return far;
    return index;
}

/* The first (end 1) or the last index (end 2) of a side of a margin: see xmprt_blocks_side. */
int xmptf_side(int first, int last, int lower, int upper, int nth, int side, int end)
{
    xmprt_blocks own = {first, last, last - first + 1, last - first + 1};
    own = xmprt_blocks_side(own, lower, upper, nth, side);
    return (int)(end == 1 ? own.first : own.last);
}

/* The first value between two others of a loop that begins at `first` and counts by `step`. */
int xmptf_start(int first, int from, int to, int step)
{
    const int by = step < 0 ? -step : step, before = step < 0 ? first - to : from - first;
    return before <= 0 || by == 0 ? first : first + (before + by - 1) / by * step;
}

/* The last value between two others of a loop that counts by `step` up to `last`; before all of them unless `is_on`. */
int xmptf_stop(int last, int from, int to, int step, int is_on)
{
    const int far = 1 << 30;
    if (!is_on)
        return step < 0 ? far : -far;
    if (step < 0)
        return last > from ? last : from;
    return last < to ? last : to;
}

/* A reference to nodes or a template. kinds: those of xmpf_ref_set_dim_info_. */
object xmptf_on(object of, int dims, const int *kinds, const int *lower, const int *upper, const int *step)
{
    object reference = 0;
    int dim;
    if (kind_of(of) == nodes_kind)
        xmpf_ref_nodes_alloc__(&reference, &of, &dims);
    else
        xmpf_ref_templ_alloc__(&reference, &of, &dims);
    for (dim = 0; dim < dims; dim++)
        xmpf_ref_set_dim_info__(&reference, &dim, &kinds[dim], &lower[dim], &upper[dim], &step[dim]);
    xmpf_ref_init__(&reference);
    return reference;
}

/* Templates */

void xmptf_template(object *of, int dims)
{
    const int fixed = 0;
    xmpf_template_alloc__(of, &dims, &fixed);
}

void xmptf_extent(object of, int dim, int lower, int upper, int form, const int *chunk)
{
    dim--;
    xmpf_template_dim_info__(&of, &dim, &lower, &upper, &form, chunk);
}

/* The indices of this image: first, last, width of blocks, distance of blocks. */
static void own_indices(object *of, int dim, int own[4])
{
    const int one = 0, none = 413, zero = 0, dims = 1;
    int lower, upper, step = 1, format, width, axis = dim - 1, next;
    object reference = 0;
    xmp_desc_t desc = (xmp_desc_t)(intptr_t)*of;
    own[0] = far;
    own[1] = -far;
    own[2] = own[3] = 1;
    xmp_template_lbound(desc, dim, &lower);
    xmp_template_ubound(desc, dim, &upper);
    xmpf_ref_templ_alloc__(&reference, of, &dims);
    xmpf_ref_set_loop_info__(&reference, &one, &axis, &zero);
    xmpf_ref_init__(&reference);
    xmpf_loop_sched__(&lower, &upper, &step, &one, &reference, &none, &zero, &zero, &zero);
    if (lower <= upper) {
        xmpf_l2g__(&own[0], &lower, &one, &reference);
        xmpf_l2g__(&own[1], &upper, &one, &reference);
        own[2] = own[3] = own[1] - own[0] + 1;
        xmp_dist_format(desc, dim, &format);
        if (format == XMP_CYCLIC) {
            xmp_dist_blocksize(desc, dim, &width);
            if (upper - lower >= width) {
                next = lower + width;
                xmpf_l2g__(&own[3], &next, &one, &reference);
                own[3] -= own[0];
                own[2] = width;
            }
        }
    }
    xmpf_ref_dealloc__(&reference);
}

void xmptf_distribute(object of, int dims, object nodes, int (*own)[4])
{
    int dim;
    xmpf_template_init__(&of, &nodes);
    for (dim = 0; dim < dims; dim++)
        own_indices(&of, dim + 1, own[dim]);
}

/* Arrays */

/* The runtime's number of a type of Fortran: class 1 integer, 2 logical, 3 real, 4 complex (as in ISO_Fortran_binding.h). */
static int type_of(int class, size_t bytes)
{
    switch (class) {
    case CFI_type_Integer:
        return bytes == 1 ? 503 : bytes == 2 ? 505 : bytes == 4 ? 507 : bytes == 8 ? 511 : 599;
    case CFI_type_Logical: return bytes == 4 ? 502 : 599;
    case CFI_type_Real: return bytes == 4 ? 513 : bytes == 8 ? 514 : bytes == 16 ? 515 : 599;
    case CFI_type_Complex: return bytes == 8 ? 519 : bytes == 16 ? 520 : 599;
    default: return 599;
    }
}

void xmptf_array(object *array, int dims, int class, int bits, object template)
{
    const size_t bytes = (size_t)bits / 8;
    const int type = type_of(class, bytes);
    xmpf_array_alloc__(array, &dims, &type, &bytes, &template);
}

/* A lower bound that is above the upper one says that the extent is not known. */
void xmptf_align(object array, int dim, int lower, int upper, int axis, int offset)
{
    dim--;
    axis--;
    xmpf_align_info__(&array, &dim, &lower, &upper, &axis, &offset);
}

/* Bounds of the whole array. */
int xmptf_lower(object array, int dim)
{
    int bound = 0;
    xmp_array_lbound((xmp_desc_t)(intptr_t)array, dim, &bound);
    return bound;
}

int xmptf_upper(object array, int dim)
{
    int bound = 0;
    xmp_array_ubound((xmp_desc_t)(intptr_t)array, dim, &bound);
    return bound;
}

void xmptf_shadow(object array, int dim, int lower, int upper)
{
    dim--;
    xmpf_array_init_shadow__(&array, &dim, &lower, &upper);
}

/* How the elements of a dimension lie on an image: all of them, one piece, or blocks in turn. */
enum layout { whole, piece, cyclic };

/* The bounds of the part of this image in each dimension: lower, upper. Of one in blocks these are places; then the index that
   has place 0 follows, the width of blocks, and their distance. */
void xmptf_bounds(object array, int dims, const int *layouts, int (*own)[5])
{
    int dim;
    xmpf_array_init__(&array);
    for (dim = 0; dim < dims; dim++) {
        int size, before, origin, axis, dim1 = dim + 1, lower, width, offset, nodes;
        void *template, *onto;
        xmp_desc_t desc = (xmp_desc_t)(intptr_t)array;
        memset(own[dim], 0, sizeof own[dim]);
        xmpf_array_get_local_size_off__(&array, &dim, &size, &before, &origin);
        if (layouts[dim] == whole) {
            own[dim][0] = origin;
            own[dim][1] = size;
            continue;
        }
        if (layouts[dim] == piece) {
            own[dim][0] = origin;
            own[dim][1] = origin + size - 1;
            continue;
        }
        own[dim][0] = before;
        own[dim][1] = before + size - 1;
        xmp_align_template(desc, (xmp_desc_t *)&template);
        xmp_align_axis(desc, dim1, &axis);
        xmp_align_offset(desc, dim1, &offset);
        xmp_template_lbound((xmp_desc_t)template, axis, &lower);
        xmp_dist_blocksize((xmp_desc_t)template, axis, &width);
        xmp_dist_nodes((xmp_desc_t)template, (xmp_desc_t *)&onto);
        xmp_dist_axis((xmp_desc_t)template, axis, &axis);
        xmp_nodes_size((xmp_desc_t)onto, axis, &nodes);
        own[dim][2] = lower - offset;
        own[dim][3] = width;
        own[dim][4] = width * nodes;
    }
}

void xmptf_place(object array, const CFI_cdesc_t *memory, int exposed)
{
    int dim, none = 0;
    xmpt_end_memory();
    for (dim = 0; dim < memory->rank; dim++)
        none |= memory->dim[dim].extent == 0;
    xmpf_array_set_local_array__(&array, none ? 0 : memory->base_addr, &exposed);
}

/* A coarray stands for the parts of an array: all images need parts of the same shape. */
void xmptf_alike(object array, int dims, const int (*own)[5])
{
    const int count = 2 * dims, integer = 507, max = 308, none = 0;
    int extents[2 * CFI_MAX_RANK], dim;
    object all = 0;
    (void)array;
    for (dim = 0; dim < dims; dim++) {
        extents[2 * dim] = own[dim][1] - own[dim][0] + 1;
        extents[2 * dim + 1] = -extents[2 * dim];
    }
    xmpf_reduction__(extents, &count, &integer, &max, &all, &none);
    for (dim = 0; dim < dims; dim++)
        if (extents[2 * dim] != -extents[2 * dim + 1]) {
            fprintf(stderr, "xmp: local_alias: images have %d to %d elements of dimension %d; a coarray has as many on each\n",
                -extents[2 * dim + 1], extents[2 * dim], dim + 1);
            end_job(EXIT_FAILURE);
        }
}

/* The next `allocate` gets the memory of this coarray for the part of an array. */
void xmptf_alias(object array, const CFI_cdesc_t *memory)
{
    xmpt_given_memory(array, memory->base_addr);
}

/* Tells the compiler that the library knows an array: calls may change it. */
void xmptf_known(const CFI_cdesc_t *memory)
{
    (void)memory;
}

/* The end of nodes, a template or an array; 0 is none. */
void xmptf_end(object *of)
{
    if (!*of)
        return;
    switch (kind_of(*of)) {
    case nodes_kind: xmpf_nodes_dealloc__(of); break;
    case template_kind: xmpf_template_dealloc__(of); break;
    default: xmpf_array_dealloc__(of);
    }
}

/* Tasks */

int xmptf_is_on(object on)
{
    int is = xmpf_test_task_nocomm__(&on);
    xmpf_ref_dealloc__(&on);
    return is;
}

int xmptf_task(object on)
{
    object nodes = 0;
    int entered;
    xmpf_create_task_nodes__(&nodes, &on);
    xmpf_ref_dealloc__(&on);
    entered = xmpf_test_task_on_nodes__(&nodes);
    if (nodes)
        xmpf_nodes_dealloc__(&nodes);
    return entered;
}

void xmptf_end_task(void)
{
    xmpf_end_task__();
}

/* Communication: references end with the operation. */

static void end_reference(object *on)
{
    if (*on)
        xmpf_ref_dealloc__(on);
}

void xmptf_barrier(object on)
{
    xmpf_barrier__(&on);
    end_reference(&on);
}

static size_t elements(const CFI_cdesc_t *data)
{
    size_t count = 1;
    int dim;
    for (dim = 0; dim < data->rank; dim++)
        count *= (size_t)data->dim[dim].extent;
    return count;
}

static int count_of(const char *operation, size_t count)
{
    if (count > INT_MAX) {
        fprintf(stderr, "xmp: %s: %zu elements at once; at most %d are possible\n", operation, count, INT_MAX);
        end_job(EXIT_FAILURE);
    }
    return (int)count;
}

static int type_of_data(const CFI_cdesc_t *data)
{
    return type_of(data->type & CFI_type_mask, data->elem_len);
}

/* The neutral element of an operator, except on the first of the executing nodes, which keeps what the program has. */
void xmptf_identity(const CFI_cdesc_t *data, int op)
{
    static const int types[] = {XMPRT_INT32, XMPRT_INT8, XMPRT_UINT8, XMPRT_INT16, XMPRT_UINT16, XMPRT_INT32, XMPRT_UINT32,
                                XMPRT_INT64, XMPRT_UINT64, XMPRT_INT64, XMPRT_UINT64, XMPRT_FLOAT, XMPRT_DOUBLE, XMPRT_FLOAT128,
                                XMPRT_FLOAT, XMPRT_DOUBLE, XMPRT_LONG_DOUBLE, XMPRT_FLOAT_COMPLEX, XMPRT_DOUBLE_COMPLEX};
    int code = type_of_data(data) - 502, kind = code >= 0 && code < (int)(sizeof types / sizeof *types) ? types[code] : 0;
    xmprt_op operator = op == 300 || op == 316 ? XMPRT_SUM : op == 301 ? XMPRT_PRODUCT : op == 306 ? XMPRT_BIT_XOR
                      : op == 314 ? XMPRT_EQV : op == 315 ? XMPRT_NEQV : XMPRT_MAX;
    xmprt_neutral(data->base_addr, elements(data), kind, operator, XMPRT_NO_OBJECT, NULL);
}

void xmptf_location(int number, const CFI_cdesc_t *data)
{
    int type = type_of_data(data);
    number--;
    xmpf_reduction_loc__(&number, data->base_addr, &type);
}

void xmptf_reduction(const CFI_cdesc_t *data, int op, object on, int locations)
{
    int count = count_of("reduction", elements(data)), type = type_of_data(data);
    xmpf_reduction__(data->base_addr, &count, &type, &op, &on, &locations);
    end_reference(&on);
}

void xmptf_bcast(const CFI_cdesc_t *data, object from, object on)
{
    size_t bytes = elements(data) * data->elem_len;
    size_t unit = bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : 1;
    int type = unit == 8 ? 511 : unit == 4 ? 507 : 503, count = count_of("bcast", bytes / unit);
    xmpf_bcast__(data->base_addr, &count, &type, &from, &on);
    end_reference(&from);
    end_reference(&on);
}

void xmptf_widths(object array, int reduces, int dim, int lower, int upper, int cycles)
{
    dim--;
    (reduces ? xmpf_set_reduce_shadow__ : xmpf_set_reflect__)(&array, &dim, &lower, &upper, &cycles);
}

void xmptf_reflect_orthogonal(object array)
{
    xmprt_omni_fortran_reflect_orthogonal(&array);
}

void xmptf_reflect(object array, int reduces)
{
    (reduces ? xmpf_reduce_shadow__ : xmpf_reflect__)(&array);
}

void xmptf_async(int id)
{
    xmpf_init_async__(&id);
}

void xmptf_end_async(void)
{
    xmpf_start_async__();
}

void xmptf_wait_async(int id, object on)
{
    xmpf_wait_async__(&id, &on);
    end_reference(&on);
}

/* gmove */

/* A section of a distributed array. kinds: 0 all, 1 an index, 2 a row. */
object xmptf_part(object array, int dims, const int *kinds, const int *lower, const int *upper, const int *step)
{
    object side = 0;
    int dim;
    xmpf_gmv_g_alloc__(&side, &array);
    for (dim = 0; dim < dims; dim++)
        xmpf_gmv_g_dim_info__(&side, &dim, &kinds[dim], &lower[dim], &upper[dim], &step[dim]);
    return side;
}

/* A section of a local array whose lower bounds are `first`. */
object xmptf_local(const CFI_cdesc_t *data, const int *kinds, const int *lower, const int *upper, const int *step, const int *first)
{
    object side = 0;
    int dim, dims = data->rank;
    xmpf_gmv_l_alloc__(&side, data->base_addr, &dims);
    for (dim = 0; dim < dims; dim++) {
        int last = first[dim] + (int)data->dim[dim].extent - 1;
        xmpf_gmv_l_dim_info__(&side, &dim, &first[dim], &last, &kinds[dim], &lower[dim], &upper[dim], &step[dim]);
    }
    return side;
}

/* Copies of values of right sides, until their gmove has been executed. */
static void *copy;

/* A whole local variable. */
object xmptf_variable(const CFI_cdesc_t *data)
{
    static const int zeros[CFI_MAX_RANK], ones[CFI_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    return xmptf_local(data, zeros, zeros, zeros, ones, ones);
}

/* The right side that is a value. */
object xmptf_value(const CFI_cdesc_t *data)
{
    CFI_cdesc_t *values = (CFI_cdesc_t *)data;
    void *base = data->base_addr;
    size_t bytes = elements(data) * data->elem_len;
    object side;
    copy = realloc(copy, bytes ? bytes : 1);
    if (!copy) {
        fprintf(stderr, "xmp: gmove: no memory for a copy of %zu bytes\n", bytes);
        end_job(EXIT_FAILURE);
    }
    memcpy(copy, base, bytes);
    values->base_addr = copy;
    side = xmptf_variable(values);
    values->base_addr = base;
    return side;
}

void xmptf_gmove(object left, object right, int mode)
{
    xmpf_gmv_do__(&left, &right, &mode);
    xmpf_gmv_dealloc__(&left);
    xmpf_gmv_dealloc__(&right);
}

/* post and wait */

/* The number of a node in the order of elements, from 1. */
static int number_of(object nodes, const int *node)
{
    int dim, dims, size, number = 0, stride = 1;
    xmp_desc_t desc = (xmp_desc_t)(intptr_t)nodes;
    xmp_nodes_ndims(desc, &dims);
    for (dim = 0; dim < dims; dim++) {
        xmp_nodes_size(desc, dim + 1, &size);
        number += (node[dim] - 1) * stride;
        stride *= size;
    }
    return number + 1;
}

void xmptf_post(object nodes, const int *node, int tag)
{
    int number = number_of(nodes, node);
    xmp_post_(&nodes, &number, &tag);
}

/* Without nodes from any, with a negative tag for any. */
void xmptf_wait(object nodes, const int *node, int tag)
{
    int number;
    if (!nodes) {
        xmp_wait_any_();
        return;
    }
    number = number_of(nodes, node);
    if (tag < 0)
        xmp_wait_node_(&nodes, &number);
    else
        xmp_wait_(&nodes, &number, &tag);
}
