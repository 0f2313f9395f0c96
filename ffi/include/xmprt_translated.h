/* What programs use that xmp-translate has made of XMP/C, beside xmprt_global.h: the start of the objects of a file, the bounds of
   loops, errors with the lines of the user. A compiler with __typeof__, cleanup and constructor (gcc, clang, icx) is needed. */
#ifndef XMPRT_TRANSLATED_H
#define XMPRT_TRANSLATED_H

/* The year and month of the specification. */
#ifndef _XCALABLEMP
#define _XCALABLEMP 201811
#endif

#include <stdlib.h>
#include <string.h>
#include <xmp.h>
#include <xmprt_global.h>

/* ---- Files --------------------------------------------------------------------------------------------------------- */

/* A file of the program that declares nodes, templates or arrays outside of functions. */
typedef struct xmprt_unit {
    void (*start)(void);
    void (*finish)(void);
    struct xmprt_unit *next;
} xmprt_unit;

void xmprt_unit_register(xmprt_unit *unit);

/* Functions that run when the program starts and ends. */
#define XMPRT_UNIT(start, finish)                                                                    \
    static xmprt_unit xmpt__unit = {start, finish, 0};                                               \
    __attribute__((constructor)) static void xmpt__register(void) { xmprt_unit_register(&xmpt__unit); }

/* ---- Errors -------------------------------------------------------------------------------------------------------- */

/* Ends the job because of the last error, at a place of the program: in `what`, a directive. */
void xmprt_fail(const char *what, const char *file, int line) __attribute__((noreturn, cold));

/* The value of an operand `what` of a directive is no int. */
void xmprt_no_int(const char *what, int64_t value, const char *file, int line) __attribute__((noreturn, cold));

/* An expression of the program as an int. */
#define XMPRT_AS_INT(what, value) xmprt_as_int(what, (int64_t)(value), __FILE__, __LINE__)
static inline int xmprt_as_int(const char *what, int64_t value, const char *file, int line)
{
    if (__builtin_expect(value != (int)value, 0))
        xmprt_no_int(what, value, file, line);
    return (int)value;
}

/* A construct is on a template that is not fixed. */
void xmprt_not_fixed(void) __attribute__((noreturn, cold));

/* The index of a dimension of an array is not here: what is, with the shadow if it is one block. */
void xmprt_not_here(const char *array, int dim, long index, const xmprt_blocks *here, const char *file, int line)
    __attribute__((noreturn, cold));

/* A call of a directive, which does not go on after an error. */
#define XMPRT_DO(what, call)                                                                         \
    do {                                                                                             \
        if (__builtin_expect((call) != XMPRT_OK, 0))                                                 \
            xmprt_fail(what, __FILE__, __LINE__);                                                    \
    } while (0)

/* ---- Objects ------------------------------------------------------------------------------------------------------- */

/* A flag of xmprt_nodes_create: the nodes were declared in square brackets, so messages count them from 0, the last dimension first. */
enum { XMPRT_SQUARE_BRACKETS = 4 };

/* xmprt_nodes_create and xmprt_nodes_section for the sizes of a directive. */
xmprt_status xmprt_nodes_of_sizes(int flags, int ndims, const int64_t *sizes, xmprt_nodes *nodes);
xmprt_status xmprt_nodes_part_of_sizes(xmprt_nodes nodes, const xmprt_range *ranges, int ndims, const int64_t *sizes,
                                       xmprt_nodes *part);

/* The descriptor of an object for the functions of xmp.h. */
void *xmprt_descriptor(xmprt_object object);

/* The indices from `first` to `last`. */
static inline xmprt_range xmprt_to(int64_t first, int64_t last, int64_t step)
{
    int64_t count = step == 0 ? 2 : (last - first) / step + 1;
    return xmprt_by(first, (step > 0 ? last < first : last > first) ? 0 : count, step);
}

/* `length` indices from `first` on, as a section is written; with a step those of every `step`-th one. */
static inline xmprt_range xmprt_of_length(int64_t first, int64_t length, int64_t step)
{
    return xmprt_to(first, first + length - 1, step);
}

/* The indices from `first` on of a dimension of `size`. */
static inline xmprt_range xmprt_rest(int64_t first, int64_t size, int64_t step)
{
    return xmprt_to(first, step > 0 ? size - 1 : 0, step);
}

/* The first or the last index of a template dimension. */
static inline int64_t xmprt_lower(xmprt_template of, int dim)
{
    xmprt_extent extents[XMPRT_MAX_DIMENSIONS];
    return xmprt_template_extents(of, extents) == XMPRT_OK ? extents[dim].lower : 0;
}

static inline int64_t xmprt_upper(xmprt_template of, int dim)
{
    xmprt_extent extents[XMPRT_MAX_DIMENSIONS];
    return xmprt_template_extents(of, extents) == XMPRT_OK ? extents[dim].lower + extents[dim].count - 1 : -1;
}

/* Where a pointer has global index 0 that xmp_malloc has given memory for its part. */
static inline void *xmprt_allocated(xmprt_part *part, const void *memory, const char *file, int line)
{
    if (xmprt_array_part(part->array, part) != XMPRT_OK)
        xmprt_fail("xmp_malloc", file, line);
    return memory ? part->base : NULL;
}

/* Number of elements that this image stores. */
static inline size_t xmprt_elements(const xmprt_part *part)
{
    size_t count = 1;
    for (int dim = 0; dim < XMPRT_PART_DIMENSIONS && part->stride[dim] > 0; dim++)
        count *= (size_t)part->length[dim];
    return part->stride[0] > 0 ? count : 0;
}

#define XMPRT_ENDS(function) __attribute__((cleanup(function)))

static inline void xmprt_end_nodes(const xmprt_nodes *nodes)
{
    if (nodes->id)
        (void)xmprt_global_free(XMPRT_OBJECT(*nodes));
}

static inline void xmprt_end_template(const xmprt_template *template_)
{
    if (template_->id)
        (void)xmprt_global_free(XMPRT_OBJECT(*template_));
}

static inline void xmprt_end_part(const xmprt_part *part)
{
    if (part->array.id)
        (void)xmprt_global_free(XMPRT_OBJECT(part->array));
}

/* The number of a type of elements; 0 for others. */
#define XMPRT_ELEMENT_TYPE(value)                                                                            \
    __extension__ _Generic((value), _Bool: XMPRT_BOOL, char: XMPRT_INT8, signed char: XMPRT_SCHAR,    \
        unsigned char: XMPRT_UCHAR, short: XMPRT_SHORT, unsigned short: XMPRT_USHORT, int: XMPRT_INT, \
        unsigned int: XMPRT_UINT, long: XMPRT_LONG, unsigned long: XMPRT_ULONG,                      \
        long long: XMPRT_LONG_LONG, unsigned long long: XMPRT_ULONG_LONG, float: XMPRT_FLOAT,        \
        double: XMPRT_DOUBLE, long double: XMPRT_LONG_DOUBLE, float _Complex: XMPRT_FLOAT_COMPLEX,   \
        double _Complex: XMPRT_DOUBLE_COMPLEX, default: 0)

/* ---- Tasks, posts -------------------------------------------------------------------------------------------------- */

/* Whether this image is in a task that begins, or that has no communication. */
static inline int xmprt_enter(xmprt_object on, const xmprt_range *at, const char *file, int line)
{
    int executes;
    if (__builtin_expect(xmprt_task_begin(on, at, &executes) != XMPRT_OK, 0))
        xmprt_fail("task", file, line);
    return executes;
}

static inline int xmprt_on(xmprt_object on, const xmprt_range *at, const char *file, int line)
{
    int is = 0;
    if (xmprt_is_on(on, at, &is) != XMPRT_OK)
        xmprt_fail("task", file, line);
    return is;
}

/* The end of a block that this image may have entered as a task. */
static inline void xmprt_leave(const int *entered)
{
    if (*entered && __builtin_expect(xmprt_task_end() != XMPRT_OK, 0))
        xmprt_fail("end of a task", NULL, 0);
}

/* Posts to a node, and waits for a post: of any image without nodes, with any tag without one (null). Programs can post once
 * they have started. */
int xmprt_post(xmprt_nodes nodes, const xmprt_range *at, int tag);
int xmprt_await(xmprt_nodes nodes, const xmprt_range *at, const int *tag);

/* The number of this image in a dimension of nodes, which count from `lowest`; none if it is not one of them. */
static inline xmprt_blocks xmprt_node(xmprt_nodes nodes, int dim, long lowest)
{
    int is_node = 0, coordinates[XMPRT_MAX_DIMENSIONS];
    xmprt_blocks range = {0, -1, 1, 1};
    if (xmprt_nodes_coordinates(nodes, &is_node, coordinates) == XMPRT_OK && is_node)
        range.first = range.last = coordinates[dim] + lowest;
    return range;
}

/* The name that the program has for an object, for reports of races. */
xmprt_status xmprt_object_name(xmprt_object object, const char *name);

/* ---- Coarrays ------------------------------------------------------------------------------------------------------ */

typedef struct {
    int64_t id;
} xmprt_coarray;

/* Allocates a coarray of elements of this many bytes, all zeros, with all executing images; `cosizes` are those of the codimensions but
 * the last one. */
int xmprt_coarray_create(size_t element, int ndims, const int64_t *extents, int codims, const int64_t *cosizes, void **start,
                         xmprt_coarray *coarray);

/* Copies a section (all without ranges) of the coarray of the image with these cosubscripts from and to memory of the program. */
int xmprt_coarray_put(xmprt_coarray coarray, const xmprt_range *ranges, const int64_t *images, const xmprt_memory *from);
int xmprt_coarray_get(xmprt_coarray coarray, const xmprt_range *ranges, const int64_t *images, const xmprt_memory *to);

/* An element at once, of this image without cosubscripts (null): an int, and a lock. With `acquired`, lock does not wait. With
 * `status` it says there what went wrong. */
int xmprt_coarray_define(xmprt_coarray coarray, int64_t offset, const int64_t *images, int value);
int xmprt_coarray_ref(xmprt_coarray coarray, int64_t offset, const int64_t *images, int *value);
int xmprt_coarray_lock(xmprt_coarray coarray, int64_t offset, const int64_t *images, int *acquired, int *status);
int xmprt_coarray_unlock(xmprt_coarray coarray, int64_t offset, const int64_t *images, int *status);

static inline void xmprt_atomic_define(xmprt_coarray coarray, int64_t offset, const int64_t *images, int value,
                                       const char *file, int line)
{
    if (xmprt_coarray_define(coarray, offset, images, value) != XMPRT_OK)
        xmprt_fail("xmp_atomic_define", file, line);
}

static inline void xmprt_atomic_ref(xmprt_coarray coarray, int64_t offset, const int64_t *images, int *value,
                                    const char *file, int line)
{
    if (xmprt_coarray_ref(coarray, offset, images, value) != XMPRT_OK)
        xmprt_fail("xmp_atomic_ref", file, line);
}

/* The nodes that the next statement means by images. */
int xmprt_image(xmprt_nodes nodes);

/* The image, as one of those that execute, of a node of a coarray that is on nodes. */
int64_t xmprt_image_of(xmprt_nodes nodes, int64_t cosubscript);

/* ---- Sections of local arrays -------------------------------------------------------------------------------------- */

/* Memory for the right side of an assignment. */
void *xmprt_scratch(size_t bytes);

/* `place` holds the address of the memory. */
static inline void xmprt_end_scratch(const void *place)
{
    void *memory;
    memcpy(&memory, place, sizeof memory);
    free(memory);
}

/* ---- Loops --------------------------------------------------------------------------------------------------------- */

/* Whether some of the nodes that a loop is on do not execute. */
int xmprt_partly(xmprt_object on);

/* An error where iterations are beyond dimension `dim` of what the loop is on, or belong to nodes that do not execute. `at` has the
   subscripts of the dimensions that no loop counts; the bits of `outer` and `inner` are those that loops around it and in it count.
   Messages call the nodes `nodes`. It changes nothing that the program sees, so a compiler may compare the bounds once for a nest. */
xmprt_status xmprt_loop_check(xmprt_object on, const xmprt_range *at, int dim, int outer, int inner, int64_t first, int64_t last,
                              int64_t step, int64_t offset, const char *nodes) __attribute__((pure));

/* An error where a reference selects indices beyond a template or, with `executes` (not 0), elements of nodes that do not execute. */
xmprt_status xmprt_section_check(xmprt_object on, const xmprt_range *at, int executes, const char *nodes);

/* The nest of a loop directive: what it is on, the subscripts of the other dimensions, the bounds of all, whether some nodes do not
   execute. */
typedef struct {
    xmprt_object on;
    const xmprt_range *at;
    const xmprt_extent *bounds;
    int partly;
    const char *nodes;
} xmprt_nest;

/* Whether an index is beyond the bounds of a dimension. */
static inline int xmprt_outside(const xmprt_extent *bounds, long index)
{
    return index < bounds->lower || index - bounds->lower >= bounds->count;
}

/* Returns the first value of a loop after the check that its iterations belong to executing nodes. */
static inline long xmprt_counted(long first, long last, long step, long offset, const xmprt_nest *nest, int dim, int outer, int inner,
                                 const char *what, const char *file, int line)
{
    if ((step > 0 ? first <= last : first >= last) &&
        __builtin_expect(nest->partly || xmprt_outside(&nest->bounds[dim], first + offset) ||
                         xmprt_outside(&nest->bounds[dim], last + offset), 0) &&
        xmprt_loop_check(nest->on, nest->at, dim, outer, inner, first, last, step, offset, nest->nodes) != XMPRT_OK)
        xmprt_fail(what, file, line);
    return first;
}

/* The indices of this image in a dimension of a template, as values of a loop variable `index` with index + offset. */
static inline xmprt_blocks xmprt_shifted(const xmprt_blocks *own, long offset)
{
    xmprt_blocks range = *own;
    if (!range.period)
        xmprt_not_fixed();
    range.first -= offset;
    range.last -= offset;
    return range;
}

/* None of the indices, unless the condition holds. */
static inline xmprt_blocks xmprt_blocks_if(int condition, xmprt_blocks range)
{
    if (!condition)
        range.last = range.first - 1;
    return range;
}

/* Indices around those of this image, too. */
static inline xmprt_blocks xmprt_blocks_expanded(xmprt_blocks range, long lower, long upper)
{
    if (range.first <= range.last) {
        range.first -= lower;
        range.last += upper;
        range.width = range.period = range.last - range.first + 1;
    }
    return range;
}

/* A width that goes beyond the bounds of a loop. */
static inline long xmprt_beyond(long width)
{
    return width > 0 ? width : 0;
}

/* What one side of a margin has of dimension `nth` of a nest. Positive widths are around the indices of this image, negative ones
   inside. Side 2n lies below dimension n, side 2n+1 above it; of the dimensions before n it has what is inside only, so that
   no index is in two sides. A side below 0 is all that is inside. A dimension without widths has no side, and may be cyclic. */
static inline xmprt_blocks xmprt_blocks_side(xmprt_blocks own, long lower, long upper, int nth, int side)
{
    xmprt_blocks outer = own, inner = own;
    if (own.first > own.last)
        return own;
    if (lower == 0 && upper == 0)
        return xmprt_blocks_if(side < 0 || nth != side / 2, own);
    outer.first -= xmprt_beyond(lower);
    outer.last += xmprt_beyond(upper);
    inner.first += xmprt_beyond(-lower);
    inner.last -= xmprt_beyond(-upper);
    if (inner.first > inner.last + 1) {
        /* Widths that meet: all of it is below, as far as there is nothing above. */
        inner.first = inner.last + 1 > outer.first ? inner.last + 1 : outer.first;
        inner.last = inner.first - 1;
    }
    if (side < 0 || nth < side / 2)
        outer = inner;
    else if (nth == side / 2 && side % 2 == 0)
        outer.last = inner.first - 1;
    else if (nth == side / 2)
        outer.first = inner.last + 1;
    outer.width = outer.period = outer.last - outer.first + 1;
    return outer;
}

/* Whether this image has an index of a template dimension. */
static inline int xmprt_has(const xmprt_blocks *own, long index)
{
    if (!own->period)
        xmprt_not_fixed();
    return index >= own->first && index <= own->last && (index - own->first) % own->period < own->width;
}

/* Bounds of `for (i = first; i < end; i += step)` and its like within a range in one piece; steps are positive. */
static inline long xmprt_loop_from(xmprt_blocks range, long first, long step)
{
    if (first >= range.first)
        return first;
    return step == 1 ? range.first : first + (range.first - first + step - 1) / step * step;
}

static inline long xmprt_loop_below(xmprt_blocks range, long end)
{
    return end <= range.last ? end : range.last + 1;
}

static inline long xmprt_loop_upto(xmprt_blocks range, long last)
{
    return last < range.last ? last : range.last;
}

/* The same downwards. */
static inline long xmprt_loop_down_from(xmprt_blocks range, long first, long step)
{
    if (first <= range.last)
        return first;
    return first - (first - range.last + step - 1) / step * step;
}

static inline long xmprt_loop_above(xmprt_blocks range, long end)
{
    return end >= range.first ? end : range.first - 1;
}

static inline long xmprt_loop_downto(xmprt_blocks range, long last)
{
    return last > range.first ? last : range.first;
}

/* The range that begins at the first of its blocks with indices from `first` on. */
static inline long xmprt_block_from(xmprt_blocks range, long first)
{
    long before = first - range.first - range.width + 1;
    return before <= 0 ? range.first : range.first + (before + range.period - 1) / range.period * range.period;
}

/* The start of the last of its blocks with indices up to `first`; before the range if there is none. */
static inline long xmprt_block_down_from(xmprt_blocks range, long first)
{
    long behind = (first <= range.last ? first : range.last) - range.first;
    return behind < 0 ? range.first - 1 : range.first + behind / range.period * range.period;
}

/* The block that begins at an index. */
static inline xmprt_blocks xmprt_block(xmprt_blocks range, long start)
{
    long last = start + range.width - 1;
    xmprt_blocks block = {start, last < range.last ? last : range.last, range.width, range.width};
    return block;
}

/* Number of indices of a section. */
static inline size_t xmprt_count(long first, long last, long step)
{
    return last < first ? 0 : (size_t)((last - first) / step + 1);
}

/* The place of an index in a dimension of cyclic blocks. */
static inline long xmprt_cyclic_place(long index, long nodes, long width)
{
    return width * (index / (nodes * width)) + index % width;
}

/* ---- Subscripts that are checked ----------------------------------------------------------------------------------- */

/* An index of a dimension in one piece, shadow included. */
static inline long xmprt_within(long index, const xmprt_part *a, int dim, const char *name, const char *file, int line)
{
    xmprt_blocks here = {a->origin[dim], a->origin[dim] + a->length[dim] - 1, a->length[dim], a->length[dim]};
    if (index < here.first || index > here.last)
        xmprt_not_here(name, dim, index, &here, file, line);
    return index;
}

/* An index of a cyclic dimension. */
static inline long xmprt_owned(long index, xmprt_blocks own, int dim, const char *name, const char *file, int line)
{
    if (!xmprt_has(&own, index))
        xmprt_not_here(name, dim, index, &own, file, line);
    return index;
}

#define XMPRT_WITHIN(index, part, dim, name) xmprt_within(index, part, dim, name, __FILE__, __LINE__)
#define XMPRT_OWNED(index, own, offset, dim, name)                                                   \
    xmprt_owned(index, xmprt_shifted(own, offset), dim, name, __FILE__, __LINE__)

#endif
