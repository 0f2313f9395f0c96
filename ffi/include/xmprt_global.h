/*
 * XMP-RT for C: the global view of XcalableMP. Arrays that are spread over images and are used as one array.
 *
 *     int sizes[] = {0};                                 // all executing images in a row
 *     xmprt_extent extents[] = {{0, 1000}};
 *     xmprt_format formats[] = {{XMPRT_BLOCK, 0, NULL}};
 *     xmprt_dimension dims[] = {{{0, 1000}, 0, 0, 1, 1}}; // 1000 elements along dimension 0, and a neighbour's on both sides
 *     xmprt_nodes nodes;
 *     xmprt_template line;
 *     xmprt_array u;
 *     xmprt_nodes_create(0, 1, sizes, &nodes);
 *     xmprt_template_create(1, extents, &line);
 *     xmprt_template_distribute(line, formats, nodes);
 *     xmprt_array_create(line, sizeof(double), 1, dims, &u);
 *     xmprt_reflect(u, NULL, 0, NULL);
 *     xmprt_piece mine;
 *     size_t pieces;
 *     double *here;
 *     xmprt_array_stored(u, (void **)&here, NULL);
 *     xmprt_loop(u, 0, xmprt_from(1, 998), &mine, 1, &pieces);
 *     for (int64_t k = 0; pieces && k < mine.count; k++)
 *         ... here[mine.place + k - 1] + here[mine.place + k + 1] ...
 *
 * Indices, dimensions and nodes count from 0 here (messages name the first dimension 1, as the specification does); the last
 * dimension is contiguous. Errors are those of xmprt.h: each function returns XMPRT_OK or a code, xmprt_message() says more,
 * and arguments that are refused have changed nothing. xmprt_array_create and operations that move data are called by all
 * executing images (of the current team or task) together; the others communicate nothing. The words are those of the
 * XcalableMP specification, version 1.4.
 *
 * An error of xmprt_array_create, xmprt_array_expose, xmprt_reflect, xmprt_reduce_shadow and xmprt_gmove is the same on all
 * executing images. If one image alone refuses its arguments or lacks memory, the call fails on every image with the same code
 * and has changed nothing; the message on the other images names that image and gives its reason. This holds with these limits:
 *
 * - On several hosts, xmprt_reflect, xmprt_reduce_shadow and xmprt_gmove fail on all images of the host, and on all other images
 *   that need elements of an image on which the call fails. An image that needs none completes the call. Elements that the
 *   call writes are unspecified where it fails on another host. With the setting XMP_CHECK=1 the call fails on all images and
 *   has changed nothing.
 * - The same holds for operations in the background on one host, too: xmprt_wait_async and xmprt_test_async return the error.
 * - xmprt_barrier, xmprt_reduce and xmprt_broadcast do not tell other images. An image that alone refuses its
 *   arguments takes no part, and the others wait for it, unless XMP_CHECK=1.
 * - If an image calls another function than the others, or gives other arrays or ranges, which images get an error is
 *   unspecified. With XMP_CHECK=1 all do, and the message names two images that differ.
 *
 * Threads: what xmprt.h says holds here. Functions that move data, begin or end a task, and make, distribute or free objects are
 * for one thread of an image at a time; inquiries, and waits for and tests of an id, for any.
 */
#ifndef XMPRT_GLOBAL_H
#define XMPRT_GLOBAL_H

#include <xmprt.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A handle of an object, good on this image only: nodes, a template or an array. All executing images make objects alike. 0 is
 * none. */
typedef struct {
    int64_t id;
} xmprt_nodes;

typedef struct {
    int64_t id;
} xmprt_template;

typedef struct {
    int64_t id;
} xmprt_array;

/* An object of any kind: XMPRT_OBJECT(nodes). */
typedef struct {
    int64_t id;
} xmprt_object;

static inline xmprt_object xmprt_object_of(int64_t id)
{
    xmprt_object object;
    object.id = id;
    return object;
}

#define XMPRT_OBJECT(object) xmprt_object_of((object).id)
#define XMPRT_NO_OBJECT xmprt_object_of(0)

/* Most dimensions of anything. */
#define XMPRT_MAX_DIMENSIONS 15

/* Gives nodes, a template or an array up. What was made of it stays as it is; an array's memory is freed. Any operation on
 * the array has ended on all images before. */
xmprt_status xmprt_global_free(xmprt_object object);

/* ---- Subscripts -------------------------------------------------------------------------------------------------- */

/* Indices of one dimension: `count` of them, from `first` on, each `step` (not 0) more than the one before. A step of 0 is
 * the one index `first`: the dimension is gone from a section then. */
typedef struct {
    int64_t first, count, step;
} xmprt_range;

#define XMPRT_WHOLE (-1) /* as `count`: all indices */
#define XMPRT_OWN (-2)   /* as `count`, of nodes and templates: where this image is (`*`); the dimension is gone */

static inline xmprt_range xmprt_by(int64_t first, int64_t count, int64_t step)
{
    xmprt_range range;
    range.first = first;
    range.count = count;
    range.step = step;
    return range;
}

static inline xmprt_range xmprt_from(int64_t first, int64_t count)
{
    return xmprt_by(first, count, 1);
}

static inline xmprt_range xmprt_at(int64_t index)
{
    return xmprt_by(index, 1, 0);
}

static inline xmprt_range xmprt_whole(void)
{
    return xmprt_by(0, XMPRT_WHOLE, 1);
}

static inline xmprt_range xmprt_own(void)
{
    return xmprt_by(0, XMPRT_OWN, 1);
}

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

/* Flags of xmprt_nodes_create; others are XMPRT_BAD_ARGUMENT. */
enum {
    XMPRT_ALL_IMAGES = 1, /* all images instead of the executing ones; if no size is 0 they have to be as many */
    XMPRT_FORTRAN = 2     /* the nodes of a dimension count from 1, and the first dimension runs fastest */
};

/* Makes a grid of these sizes of the first of the executing images. One size may be 0: as many as there are. Of all images, several
 * may be 0: the environment says all of these but the last one (XMP_NODE_SIZE0 and so on). */
xmprt_status xmprt_nodes_create(int flags, int ndims, const int *sizes, xmprt_nodes *nodes);

/* Selects some of the nodes by a range for each dimension; in another shape, if there are sizes (not null). */
xmprt_status xmprt_nodes_section(xmprt_nodes nodes, const xmprt_range *ranges, int ndims, const int *sizes, xmprt_nodes *part);

/* Gives the number of nodes along a dimension, of all with -1; 0 for what does not exist. */
int xmprt_nodes_size(xmprt_nodes nodes, int dim);

/* Tells whether this image is one of the nodes (1 or 0), and its coordinates, if so; `coordinates` may be null. */
xmprt_status xmprt_nodes_coordinates(xmprt_nodes nodes, int *is_node, int *coordinates);

/* ---- Templates --------------------------------------------------------------------------------------------------- */

/* How a dimension is distributed, for xmprt_template_distribute and xmprt_template_fix. */
enum {
    XMPRT_COLLAPSED = 0, /* `*`: every node has all of it */
    XMPRT_BLOCK = 1,     /* blocks of `width`; as even as can be if that is 0 */
    XMPRT_CYCLIC = 2,    /* blocks of `width` (1 if that is 0) dealt to the nodes in turn */
    XMPRT_GBLOCK = 3     /* blocks of these sizes, one for each node along the dimension: int64_t, or int with a width of
                            sizeof(int); null: said by xmprt_template_fix */
};

typedef struct {
    int manner;
    int64_t width;
    const void *sizes;
} xmprt_format;

/* `count` indices, from `lower` on. */
typedef struct {
    int64_t lower, count;
} xmprt_extent;

/* Makes an index space with these extents; without them (null) they are said by xmprt_template_fix. */
xmprt_status xmprt_template_create(int ndims, const xmprt_extent *extents, xmprt_template *template_);

/* Distributes a template over nodes: the dimensions that are not collapsed, from left to right, over those of the nodes. Along
 * dimensions of nodes that are left, all have the same. */
xmprt_status xmprt_template_distribute(xmprt_template template_, const xmprt_format *formats, xmprt_nodes nodes);

/* Fixes what was left open in a template: the extents, if they were, and sizes of blocks, if any were; the others are null.
 * All executing images call this, with the same values, and wait for one another (XMPRT_BAD_ARGUMENT if they differ). */
xmprt_status xmprt_template_fix(xmprt_template template_, const xmprt_extent *extents, const xmprt_format *formats);

/* Gives the extents of all dimensions of a template; counts of 0 as long as they are open. */
xmprt_status xmprt_template_extents(xmprt_template template_, xmprt_extent *extents);

/* The indices of one dimension that this image has: blocks of `width`, a `period` apart, from `first` to `last`. Of a dimension
 * in one piece it is one block. With none, `first` is more than `last`. */
typedef struct {
    int64_t first, last, width, period;
} xmprt_blocks;

/* Gives the blocks of this image in all dimensions of a template; a period of 0 as long as the template is open. */
xmprt_status xmprt_template_blocks(xmprt_template template_, xmprt_blocks *blocks);

/* Gives the nodes that have any of these indices of a template (`on t(..)`). */
xmprt_status xmprt_template_nodes(xmprt_template template_, const xmprt_range *ranges, xmprt_nodes *nodes);

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

/* A dimension of an array: index i is aligned with index i + `offset` of the template dimension `along`; with
 * XMPRT_NOT_DISTRIBUTED every node has all of it. `before` and `after` are the widths of the shadow; with XMPRT_FULL for both,
 * all of the dimension is stored everywhere. A count of XMPRT_WHOLE is as many indices as there are along the template. */
typedef struct {
    xmprt_extent extent;
    int along;
    int64_t offset;
    int64_t before, after;
} xmprt_dimension;

#define XMPRT_NOT_DISTRIBUTED (-1)
#define XMPRT_FULL (-1)

/* Makes an array on a template that is fixed and distributed, all zeros. Called by all executing images together: if one of them has no
 * memory for its part, none has the array. Nodes along template dimensions that none of its
 * dimensions is aligned with have copies. `dimensions` may be null: an element for each index of the template, no shadow; `ndims` is the number of dimensions of
 * the template then. */
xmprt_status xmprt_array_create(xmprt_template template_, size_t element_bytes, int ndims, const xmprt_dimension *dimensions,
                                xmprt_array *array);

/* Describes an array without memory, which xmprt_array_allocate or xmprt_array_place gives it. `type` is that of its elements, or 0. Communicates nothing. */
xmprt_status xmprt_array_describe(xmprt_template template_, int type, size_t element_bytes, int ndims,
                                  const xmprt_dimension *dimensions, xmprt_array *array);

/* Allocates memory for this image's part of an array, all zeros. With XMPRT_EXPOSE all executing images call it together, and xmprt_array_expose is not
 * needed. */
#define XMPRT_EXPOSE 1
xmprt_status xmprt_array_allocate(xmprt_array array, int flags);

/* Says where the program has this image's part of an array, as that of an argument. Another array that was described for the same
 * memory has to be mapped alike. */
xmprt_status xmprt_array_place(xmprt_array array, void *memory);

/* Gives this image's part the elements of a whole array of this many bytes, in the order of C. */
xmprt_status xmprt_array_initialize(xmprt_array array, const void *whole, size_t bytes);

/* How a program computes the place of an element, in units of elements: index i of a dimension in one piece is `i - origin`
 * from the start, `base` that of index 0. In a cyclic dimension `origin` is the number of nodes, and i is at
 * `width * (i / (origin * width)) + i % width`. `length` elements are stored, with the shadow. */
#define XMPRT_PART_DIMENSIONS 7
typedef struct {
    xmprt_array array;
    void *part, *base;
    int origin[XMPRT_PART_DIMENSIONS];
    int64_t stride[XMPRT_PART_DIMENSIONS], length[XMPRT_PART_DIMENSIONS];
} xmprt_part;

/* Gives what a program needs to compute the place of an element of this image's part of an array. */
xmprt_status xmprt_array_part(xmprt_array array, xmprt_part *part);

/* Gives what this image stores of an array, shadow included: where it begins (null if it has no elements), and its extents, the last
 * dimension contiguous; `extents` may be null. */
xmprt_status xmprt_array_stored(xmprt_array array, void **data, int64_t *extents);

/* Gives the address of the element with an index in each dimension, if this image has it or has it in its shadow; else null. */
void *xmprt_array_element(xmprt_array array, const int64_t *index);

/* ---- Loops ------------------------------------------------------------------------------------------------------- */

/* `count` iterations: the k-th is for index `index + k * index_step`, which is stored at `place + k * place_step` in its
 * dimension of what xmprt_array_stored gives. */
typedef struct {
    int64_t index, index_step;
    int64_t place, place_step;
    int64_t count;
} xmprt_piece;

/* Gives the iterations of a loop over a dimension that this image executes, because it owns the elements (`loop on`), as pieces:
 * one at most where a node has one block, or with width 1. `*count` says how many there are; if it is more than
 * `most`, nothing else has happened (XMPRT_BAD_ARGUMENT). */
xmprt_status xmprt_loop(xmprt_array array, int dim, xmprt_range iterations, xmprt_piece *pieces, size_t most, size_t *count);

/* Indices by which a loop is made wider before and after what an image executes; negative: narrower. Only the loop's own
 * iterations are added, unless `unbound` is not 0. */
typedef struct {
    int64_t before, after;
    int unbound;
} xmprt_widths;

/* Gives the iterations of xmprt_loop, made wider or narrower (`expand`); `piece->count` is 0 where there are none. Every node has one
 * block of the dimension at most, and what is added is stored as its shadow. */
xmprt_status xmprt_loop_expand(xmprt_array array, int dim, xmprt_range iterations, xmprt_widths widths, xmprt_piece *piece);

/* Gives what xmprt_loop_expand with these widths adds or leaves out, before and after (`margin`). So a halo can be on its way
 * while the inner part of a loop is executed (`peel_and_wait`): xmprt_reflect with an id, the narrower loop, xmprt_wait_async,
 * the margins. */
xmprt_status xmprt_loop_margins(xmprt_array array, int dim, xmprt_range iterations, xmprt_widths widths, xmprt_piece margins[2]);

/* ---- Moving data: called by all executing images ----------------------------------------------------------------- */

/* A part of the shadow of a dimension; `periodic` (not 0): the array goes around. */
typedef struct {
    int64_t before, after;
    int periodic;
} xmprt_halo;

/* `async`, where a function has it: null, or an id. Then the function begins the operation and returns; it is complete when its
 * id was waited for. Several may have one id. All images of an operation begin theirs in the same order. What reflect,
 * reduce_shadow and gmove send is read by the call, on one host and between hosts alike, so the image may change it at once. No image
 * accesses what they write before the wait, nor the variables of a reduction or a broadcast. */

/* Flags of xmprt_reflect and xmprt_reduce_shadow; others are XMPRT_BAD_ARGUMENT. */
enum {
    XMPRT_ORTHOGONAL = 1, /* no corners */
    XMPRT_CARRIED = 2     /* of a dimension of width 0, what neighbours have in their shadow comes along, so that one dimension
                             after the other fills the corners */
};

/* Fills shadows with what the owners have: these widths of each dimension, all of the shadow without them (null) and where it is
 * full. */
xmprt_status xmprt_reflect(xmprt_array array, const xmprt_halo *halos, int flags, const int64_t *async);

/* Combines what is in shadows with the elements of their owners. A type of 0 is the one that the array was described
 * with. */
xmprt_status xmprt_reduce_shadow(xmprt_array array, const xmprt_halo *halos, xmprt_type type, xmprt_op op, int flags,
                                 const int64_t *async);

/* Modes of xmprt_gmove, xmprt_gmove_to and xmprt_gmove_from. With XMPRT_IN and XMPRT_OUT, the right side (`gmove in`) or the left side (`gmove out`) may be on any images, of an array that
 * was exposed. Its owners do nothing and are not waited for. Each executing image gets what it needs, or puts what it has, and
 * returns when that has arrived. A program that needs to know what others have done synchronises, or adds XMPRT_MEET: the executing
 * images wait for one another at the end, and owners may take part; XMPRT_MEET_FIRST: they do so before it as well, unless all
 * owners take part. An error is that of one image. Elements of sections of one array that overlap are unspecified. */
enum { XMPRT_COLLECTIVE = 0, XMPRT_IN = 1, XMPRT_OUT = 2, XMPRT_MEET = 4, XMPRT_MEET_FIRST = 8 };

/* Assigns a section of an array to one of another or of the same, whatever their mappings; all of an array without
 * ranges (null). The shapes agree, or `from` is one element. */
xmprt_status xmprt_gmove(xmprt_array to, const xmprt_range *to_ranges, xmprt_array from, const xmprt_range *from_ranges, int mode,
                         const int64_t *async);

/* A section of an array that each executing image has wholly; a variable with 0 dimensions. The first extent may be less than it is:
 * the array reaches as far as the section. */
typedef struct {
    void *start;
    int ndims;
    const int64_t *extents;
    const xmprt_range *ranges;
} xmprt_memory;

/* Assign to and from a section that each executing image has wholly, as xmprt_gmove. */
xmprt_status xmprt_gmove_to(const xmprt_memory *to, xmprt_array from, const xmprt_range *from_ranges, int mode,
                            const int64_t *async);
xmprt_status xmprt_gmove_from(xmprt_array to, const xmprt_range *to_ranges, const xmprt_memory *from, int mode,
                              const int64_t *async);

/* Tells the executing images where each has its part of an array. From now on each of them can get at all of
 * it by itself, by XMPRT_IN and XMPRT_OUT. It may be called again by other executing images. */
xmprt_status xmprt_array_expose(xmprt_array array);

/* ---- On some images ---------------------------------------------------------------------------------------------- */

/* `on` and `at`: the executing images (XMPRT_NO_OBJECT, null); nodes, or a range of each dimension of them; the nodes of a template,
 * or those that have any of a range of indices of each dimension. These images call the function. Other executing images may call
 * it, too, and nothing happens. */

/* Waits for the images of `on` and `at`; for all nodes that `on` and `at` name, whichever of them execute. */
xmprt_status xmprt_barrier(xmprt_object on, const xmprt_range *at);

/* Combines `count` elements at `data` of the images, each by itself; all of them get the results. With an id, `data` stays as it is
 * until it is waited for. */
xmprt_status xmprt_reduce(void *data, size_t count, xmprt_type type, xmprt_op op, xmprt_object on, const xmprt_range *at,
                          const int64_t *async);

/* A variable that goes with an extreme value, in reductions by the operators XMPRT_FIRST_MAX, XMPRT_FIRST_MIN, XMPRT_LAST_MAX and
 * XMPRT_LAST_MIN: as many elements of the type as there are values; all images get those of the first or last image that has the
 * value. With XMPRT_MAX and XMPRT_MIN there is one value, and the variable is of this many bytes. */
typedef struct {
    void *start;
    size_t bytes;
    xmprt_type type;
} xmprt_location;

/* Combines values to extreme ones, and gives all images the variables of the image that has each extreme value. */
xmprt_status xmprt_reduce_located(void *data, size_t count, xmprt_type type, xmprt_op op, size_t variables,
                                  const xmprt_location *locations, xmprt_object on, const xmprt_range *at);

/* Sets `data` to the neutral element of an operator, except on the first of the images, which keeps what it has: so each image can add to `data` and
 * all values are reduced then. Nothing happens with operators that need none (maximum, for instance). */
xmprt_status xmprt_neutral(void *data, size_t count, xmprt_type type, xmprt_op op, xmprt_object on, const xmprt_range *at);

/* Gives the images the `bytes` bytes at `data` of the node that `from` and `from_at` name: one node of nodes, or the first of the images
 * that has an index of a template; the first of the images without (XMPRT_NO_OBJECT). With an id, `data` stays as it is until it is
 * waited for. */
xmprt_status xmprt_broadcast(void *data, size_t bytes, xmprt_object from, const xmprt_range *from_at, xmprt_object on,
                             const xmprt_range *at, const int64_t *async);

/* ---- In the background ------------------------------------------------------------------------------------------- */

/* Waits until all operations with an id are complete here; at once if there are none. An error is the first one of
 * theirs; all have ended then. */
xmprt_status xmprt_wait_async(int64_t id);

/* Looks whether all operations with an id are complete here (1 or 0); if so, they need not be waited for any more. */
xmprt_status xmprt_test_async(int64_t id, int *complete);

/* ---- Tasks ------------------------------------------------------------------------------------------------------- */

/* Makes the nodes of `on` and `at` the executing images, if this image is one of them: then `*executes` is 1, and the part of the
 * program up to xmprt_task_end is executed by them alone. On other images it is 0, nothing has happened, and they leave that part
 * and xmprt_task_end out. Neither communicates. What was allocated by xmprt_allocate in a task is freed in it. */
xmprt_status xmprt_task_begin(xmprt_object on, const xmprt_range *at, int *executes);
xmprt_status xmprt_task_end(void);

/* Tells whether this image is one of the nodes of `on` and `at` (1 or 0). */
xmprt_status xmprt_is_on(xmprt_object on, const xmprt_range *at, int *is);

#ifdef __cplusplus
}
#endif

#endif
