/* What programs use that xmp-translate has made of XMP/C: bounds of loops, places of arrays, start of a program. The rest are
   the calls of xmp_func_decl.h. A compiler with __typeof__, cleanup and constructor (gcc, clang, icx) is needed. */
#ifndef XMP_TRANSLATED
#define XMP_TRANSLATED

/* The year and month of the specification. */
#ifndef _XCALABLEMP
#define _XCALABLEMP 201811
#endif

#include "xmp_func_decl.h"
#include "xmp.h"

#define XMPT_DIMS 7

/* The indices of one template dimension that this image has: blocks of `width`, a `period` apart, from `first` to `last`.
   A dimension in one piece is one block. With none, `first` is behind `last`. */
struct xmpt_range {
    long first, last, width, period;
};

/* A template: its descriptor, bounds, and the indices of this image. */
struct xmpt_template {
    void *desc;
    int dims, distributed;
    long lower[XMPT_DIMS], upper[XMPT_DIMS];
    struct xmpt_range own[XMPT_DIMS];
};

/* Where the part of an array of this image lies. `base` is the address that global index 0 would have in each dimension that
   is in one piece; `length` counts the stored elements of a dimension; `origin` is the global index of the first stored one, or
   the number of nodes of a cyclic dimension. */
struct xmpt_array {
    void *desc;
    void *part;
    void *base;
    int dims;
    int origin[XMPT_DIMS];
    unsigned long long stride[XMPT_DIMS];
    long length[XMPT_DIMS];
};

/* How the elements of a dimension of an array lie on an image: all, one piece, or blocks in turn. */
enum xmpt_format { XMPT_WHOLE, XMPT_PIECE, XMPT_CYCLIC };

/* One dimension of an array with initial values: its layout, its size, the template dimension and what is added to an index
   there, and the width of cyclic blocks. */
struct xmpt_dim {
    enum xmpt_format format;
    long size;
    int axis;
    long offset, width;
};

/* lock and unlock with clauses: the cosubscripts, and null for a clause that is not there. */
void xmprt_omni_lock(const void *coarray, unsigned int offset, int count, const int *images, int *acquired, int *status);
void xmprt_omni_unlock(const void *coarray, unsigned int offset, int count, const int *images, int *status);

/* reflect orthogonal. */
void xmprt_omni_reflect_orthogonal(void *array);

/* image: the nodes that the next statement means by images. */
void xmpt_image(void *nodes);

/* A file of the program that declares nodes, templates or arrays outside of functions. */
struct xmpt_file {
    void (*start)(void);
    void (*finish)(void);
    struct xmpt_file *next;
};

extern int xmpt_unused;

void xmpt_register(struct xmpt_file *file);
void xmpt_template_fixed(struct xmpt_template *t);
void xmpt_not_fixed(void) __attribute__((noreturn, cold));
void xmpt_distribute_blocks(struct xmpt_template *t, int dim, int nodes_dim, void *nodes, long width);
void xmpt_array_allocated(struct xmpt_array *a, const enum xmpt_format *formats, size_t element);
void *xmpt_allocated(struct xmpt_array *a, void *part, const enum xmpt_format *formats, size_t element);
void xmpt_initialize(const struct xmpt_array *a, const struct xmpt_template *t, const struct xmpt_dim *dims, const void *values,
                     size_t element);
void *xmpt_scratch(size_t bytes);
void xmpt_end_scratch(void *place);
int xmpt_nodes_size(void *nodes, int dim);
int xmpt_image_of(void *nodes, int cosubscript);
struct xmpt_range xmpt_node(void *nodes, int dim, long lowest);
void xmpt_bcast(int owns, void *data, int count, size_t size);
long xmpt_within(long index, const struct xmpt_array *a, int dim, const char *name, const char *file, int line);
long xmpt_own(long index, const struct xmpt_range *own, int dim, const char *name, const char *file, int line);
void xmpt_identity(void *data, int count, int type, int op);
void xmpt_end_nodes(void **nodes);
void xmpt_end_template(struct xmpt_template *t);
void xmpt_end_array(struct xmpt_array *a);
void xmpt_end_argument(struct xmpt_array *a);
void xmprt_omni_bcast_from_node(void *data, int count, size_t size, void *nodes, int number);
int xmprt_omni_task_on_line(void *nodes, int all, int first, int last, int step);

#define XMPT_ENDS(function) __attribute__((cleanup(function)))
#define XMPT_CALL (&(void *){0})

/* Functions that run when the program starts and ends. */
#define XMPT_FILE(start, finish)                                                                     \
    static struct xmpt_file xmpt__file = {start, finish, 0};                                          \
    __attribute__((constructor)) static void xmpt__register(void) { xmpt_register(&xmpt__file); }

/* Subscripts that are checked: an index of a dimension in one piece, and one of a cyclic dimension. */
#define XMPT_WITHIN(index, a, dim, name) xmpt_within(index, a, dim, name, __FILE__, __LINE__)
#define XMPT_OWN(index, t, axis, offset, dim, name)                                                  \
    xmpt_own(index, &(struct xmpt_range[]){xmpt_range(t, axis, offset)}[0], dim, name, __FILE__, __LINE__)

/* The runtime's number of a type. */
#define XMPT_TYPE(value)                                                                             \
    __extension__ _Generic((value), _Bool: 502, char: 503, signed char: 503, unsigned char: 504,     \
        short: 505, unsigned short: 506, int: 507, unsigned int: 508, long: 509, unsigned long: 510, \
        long long: 511, unsigned long long: 512, float: 513, double: 514, long double: 515,          \
        float _Complex: 519, double _Complex: 520, default: 599)

/* The end of a block that this image may have entered as a task. */
static inline void xmpt_end_task(const int *entered)
{
    if (*entered)
        _XMP_pop_nodes();
}

/* The indices of this image in a dimension of a template, as values of a loop variable `index` with index + offset. */
static inline struct xmpt_range xmpt_range(const struct xmpt_template *t, int dim, long offset)
{
    struct xmpt_range range = t->own[dim];
    if (!range.period)
        xmpt_not_fixed();
    range.first -= offset;
    range.last -= offset;
    return range;
}

/* None of the indices, unless the condition holds. */
static inline struct xmpt_range xmpt_if(int condition, struct xmpt_range range)
{
    if (!condition)
        range.last = range.first - 1;
    return range;
}

/* Indices around those of this image, too. */
static inline struct xmpt_range xmpt_expanded(struct xmpt_range range, long lower, long upper)
{
    if (range.first <= range.last) {
        range.first -= lower;
        range.last += upper;
        range.width = range.period = range.last - range.first + 1;
    }
    return range;
}

/* A width that goes beyond the bounds of a loop. */
static inline long xmpt_beyond(long width)
{
    return width > 0 ? width : 0;
}

/* What one side of a margin has of dimension `nth` of a nest. Positive widths are around the indices of this image, negative ones
   inside. Side 2n lies below dimension n, side 2n+1 above it; of the dimensions before n it has what is inside only, so that
   no index is in two sides. A side below 0 is all that is inside. A dimension without widths has no side, and may be cyclic. */
static inline struct xmpt_range xmpt_side(struct xmpt_range own, long lower, long upper, int nth, int side)
{
    struct xmpt_range outer = own, inner = own;
    if (own.first > own.last)
        return own;
    if (lower == 0 && upper == 0)
        return xmpt_if(side < 0 || nth != side / 2, own);
    outer.first -= xmpt_beyond(lower);
    outer.last += xmpt_beyond(upper);
    inner.first += xmpt_beyond(-lower);
    inner.last -= xmpt_beyond(-upper);
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
static inline int xmpt_has(const struct xmpt_template *t, int dim, long index)
{
    const struct xmpt_range *own = &t->own[dim];
    if (!own->period)
        xmpt_not_fixed();
    return index >= own->first && index <= own->last && (index - own->first) % own->period < own->width;
}

/* Bounds of `for (i = first; i < end; i += step)` and its like within a range in one piece; steps are positive. */
static inline long xmpt_from(struct xmpt_range range, long first, long step)
{
    if (first >= range.first)
        return first;
    return step == 1 ? range.first : first + (range.first - first + step - 1) / step * step;
}

static inline long xmpt_below(struct xmpt_range range, long end)
{
    return end <= range.last ? end : range.last + 1;
}

static inline long xmpt_upto(struct xmpt_range range, long last)
{
    return last < range.last ? last : range.last;
}

/* The same downwards. */
static inline long xmpt_down_from(struct xmpt_range range, long first, long step)
{
    if (first <= range.last)
        return first;
    return first - (first - range.last + step - 1) / step * step;
}

static inline long xmpt_above(struct xmpt_range range, long end)
{
    return end >= range.first ? end : range.first - 1;
}

static inline long xmpt_downto(struct xmpt_range range, long last)
{
    return last > range.first ? last : range.first;
}

/* The range that begins at the first of its blocks with indices from `first` on. */
static inline long xmpt_block_from(struct xmpt_range range, long first)
{
    long before = first - range.first - range.width + 1;
    return before <= 0 ? range.first : range.first + (before + range.period - 1) / range.period * range.period;
}

/* The start of the last of its blocks with indices up to `first`; before the range if there is none. */
static inline long xmpt_block_down_from(struct xmpt_range range, long first)
{
    long behind = (first <= range.last ? first : range.last) - range.first;
    return behind < 0 ? range.first - 1 : range.first + behind / range.period * range.period;
}

/* The block that begins at an index. */
static inline struct xmpt_range xmpt_block(struct xmpt_range range, long start)
{
    long last = start + range.width - 1;
    struct xmpt_range block = {start, last < range.last ? last : range.last, range.width, range.width};
    return block;
}

/* Number of indices of a section. */
static inline size_t xmpt_count(long first, long last, long step)
{
    return last < first ? 0 : (size_t)((last - first) / step + 1);
}

/* The place of an index in a dimension of cyclic blocks. */
static inline long xmpt_place(long index, long nodes, long width)
{
    return width * (index / (nodes * width)) + index % width;
}

#endif
