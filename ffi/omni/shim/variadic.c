/* Functions of XMP/C with variable arguments: how many there are, and of which types, Rust knows from the descriptors. */
#include "reference.h"
#include <stddef.h>

/* nodes */

void xmprt_omni_init_nodes_static_global(void **, int, struct arguments *);
void xmprt_omni_init_nodes_dynamic_global(void **, int, struct arguments *);
void xmprt_omni_init_nodes_static_exec(void **, int, struct arguments *);
void xmprt_omni_init_nodes_dynamic_exec(void **, int, struct arguments *);
void xmprt_omni_init_nodes_static_number(void **, int, int, int, int, struct arguments *);
void xmprt_omni_init_nodes_dynamic_number(void **, int, int, int, int, struct arguments *);
void xmprt_omni_init_nodes_static_named(void **, int, void *, struct arguments *);
void xmprt_omni_init_nodes_dynamic_named(void **, int, void *, struct arguments *);

void _XMP_init_nodes_STATIC_GLOBAL(void **nodes, int dims, ...)
{
    WITH_ARGUMENTS(dims, xmprt_omni_init_nodes_static_global(nodes, dims, arguments));
}

void _XMP_init_nodes_DYNAMIC_GLOBAL(void **nodes, int dims, ...)
{
    WITH_ARGUMENTS(dims, xmprt_omni_init_nodes_dynamic_global(nodes, dims, arguments));
}

void _XMP_init_nodes_STATIC_EXEC(void **nodes, int dims, ...)
{
    WITH_ARGUMENTS(dims, xmprt_omni_init_nodes_static_exec(nodes, dims, arguments));
}

void _XMP_init_nodes_DYNAMIC_EXEC(void **nodes, int dims, ...)
{
    WITH_ARGUMENTS(dims, xmprt_omni_init_nodes_dynamic_exec(nodes, dims, arguments));
}

void _XMP_init_nodes_STATIC_NODES_NUMBER(void **nodes, int dims, int lower, int upper, int step, ...)
{
    WITH_ARGUMENTS(step, xmprt_omni_init_nodes_static_number(nodes, dims, lower, upper, step, arguments));
}

void _XMP_init_nodes_DYNAMIC_NODES_NUMBER(void **nodes, int dims, int lower, int upper, int step, ...)
{
    WITH_ARGUMENTS(step, xmprt_omni_init_nodes_dynamic_number(nodes, dims, lower, upper, step, arguments));
}

void _XMP_init_nodes_STATIC_NODES_NAMED(void **nodes, int dims, void *of, ...)
{
    WITH_ARGUMENTS(of, xmprt_omni_init_nodes_static_named(nodes, dims, of, arguments));
}

void _XMP_init_nodes_DYNAMIC_NODES_NAMED(void **nodes, int dims, void *of, ...)
{
    WITH_ARGUMENTS(of, xmprt_omni_init_nodes_dynamic_named(nodes, dims, of, arguments));
}

/* template */

void xmprt_omni_init_template_fixed(void **, int, struct arguments *);
void xmprt_omni_set_template_size(void *, int, struct arguments *);

void _XMP_init_template_FIXED(void **template, int dims, ...)
{
    WITH_ARGUMENTS(dims, xmprt_omni_init_template_fixed(template, dims, arguments));
}

void _XMP_set_template_size(void *template, int dims, ...)
{
    WITH_ARGUMENTS(dims, xmprt_omni_set_template_size(template, dims, arguments));
}

/* arrays */

void xmprt_omni_init_array_desc(void **, void *, int, int, size_t, struct arguments *);
void xmprt_omni_alloc_array(void **, void *, int, struct arguments *);
void xmprt_omni_alloc_array_extern(void **, void *, struct arguments *);
void xmprt_omni_init_array_addr(void **, void *, void *, struct arguments *);
void xmprt_omni_init_shadow(void *, struct arguments *);
void xmprt_omni_init_shadow_noalloc(void *, struct arguments *);
void *xmprt_omni_malloc(void *, struct arguments *);

void _XMP_init_array_desc(void **array, void *template, int dims, int type, size_t size, ...)
{
    WITH_ARGUMENTS(size, xmprt_omni_init_array_desc(array, template, dims, type, size, arguments));
}

void _XMP_alloc_array(void **address, void *array, int is_coarray, ...)
{
    WITH_ARGUMENTS(is_coarray, xmprt_omni_alloc_array(address, array, is_coarray, arguments));
}

void _XMP_alloc_array_EXTERN(void **address, void *array, ...)
{
    WITH_ARGUMENTS(array, xmprt_omni_alloc_array_extern(address, array, arguments));
}

void _XMP_init_array_addr(void **address, void *start, void *array, ...)
{
    WITH_ARGUMENTS(array, xmprt_omni_init_array_addr(address, start, array, arguments));
}

void _XMP_init_shadow(void *array, ...)
{
    WITH_ARGUMENTS(array, xmprt_omni_init_shadow(array, arguments));
}

void _XMP_init_shadow_noalloc(void *array, ...)
{
    WITH_ARGUMENTS(array, xmprt_omni_init_shadow_noalloc(array, arguments));
}

void *xmp_malloc(void *array, ...)
{
    void *start;
    WITH_ARGUMENTS(array, start = xmprt_omni_malloc(array, arguments));
    return start;
}

/* tasks */

int xmprt_omni_task_on_line(void *, int, int, int, int);
int xmprt_omni_task_on_nodes(void **, void *, const long long *);
int xmprt_omni_task_nodes_part_nocomm(void *, struct arguments *);
int xmprt_omni_task_on_template(void **, void *, const long long *);
int xmprt_omni_task_template_part_nocomm(void *, struct arguments *);
int xmprt_omni_init_reduce_comm_nodes(void *, struct arguments *);
int xmprt_omni_init_reduce_comm_template(void *, struct arguments *);

static int task_on_line(void *nodes, va_list subscript)
{
    int first, last;
    if (va_arg(subscript, int) != 0)
        return xmprt_omni_task_on_line(nodes, 1, 0, 0, 0);
    first = va_arg(subscript, int);
    last = va_arg(subscript, int);
    return xmprt_omni_task_on_line(nodes, 0, first, last, va_arg(subscript, int));
}

int _XMP_exec_task_NODES_PART(void **task, void *nodes, ...)
{
    int member;
    const struct object *line = nodes;
    if (line != NULL && line->dimensions == 1) {
        va_list subscript;
        va_start(subscript, nodes);
        member = task_on_line(nodes, subscript);
        va_end(subscript);
    } else
        WITH_REFERENCE(nodes, int, member = xmprt_omni_task_on_nodes(task, nodes, reference));
    return member;
}

int _XMP_exec_task_NODES_PART_nocomm(void *nodes, ...)
{
    int member;
    WITH_ARGUMENTS(nodes, member = xmprt_omni_task_nodes_part_nocomm(nodes, arguments));
    return member;
}

int _XMP_exec_task_TEMPLATE_PART(void **task, void *template, ...)
{
    int member;
    WITH_REFERENCE(template, long long, member = xmprt_omni_task_on_template(task, template, reference));
    return member;
}

int _XMP_exec_task_TEMPLATE_PART_nocomm(void *template, ...)
{
    int member;
    WITH_ARGUMENTS(template, member = xmprt_omni_task_template_part_nocomm(template, arguments));
    return member;
}

int _XMP_init_reduce_comm_NODES(void *nodes, ...)
{
    int member;
    WITH_ARGUMENTS(nodes, member = xmprt_omni_init_reduce_comm_nodes(nodes, arguments));
    return member;
}

int _XMP_init_reduce_comm_TEMPLATE(void *template, ...)
{
    int member;
    WITH_ARGUMENTS(template, member = xmprt_omni_init_reduce_comm_template(template, arguments));
    return member;
}

/* communication */

void xmprt_omni_bcast_from(void *, void *, int, size_t, void *, const long long *);
void xmprt_omni_reduce_flmm_nodes(void *, void *, int, int, int, int, struct arguments *);
void xmprt_omni_reduce_flmm_clause(void *, int, int, int, int, struct arguments *);
void xmprt_omni_reduce_loc_init(void *, int);

void _XMP_bcast_NODES_ENTIRE_NODES(void *nodes, void *data, int count, size_t size, void *from, ...)
{
    WITH_REFERENCE(from, int, xmprt_omni_bcast_from(nodes, data, count, size, from, reference));
}

void _XMP_reduce_FLMM_NODES_ENTIRE(void *nodes, void *data, int count, int type, int operator, int locations, ...)
{
    WITH_ARGUMENTS(locations,
                   xmprt_omni_reduce_flmm_nodes(nodes, data, count, type, operator, locations, arguments));
}

void _XMP_reduce_FLMM_CLAUSE(void *data, int count, int type, int operator, int locations, ...)
{
    WITH_ARGUMENTS(locations,
                   xmprt_omni_reduce_flmm_clause(data, count, type, operator, locations, arguments));
}

/* Rust has no long double: it reads the value, which is this one, at its address. */
void xmp_reduce_loc_init(int locations, long double value, void *address, int type)
{
    (void)locations;
    (void)value;
    xmprt_omni_reduce_loc_init(address, type);
}
