/*
 * XMP-RT for Fortran: what programs with directives of XcalableMP call beside xmprt_global.h. xmpf90 writes the interfaces of these
 * functions into programs; no program includes this file.
 *
 * Data of any type and rank is a descriptor of ISO_Fortran_binding.h. Bounds of loops and of declarations are default integers.
 */
#ifndef XMPRT_FORTRAN_H
#define XMPRT_FORTRAN_H

#include <ISO_Fortran_binding.h>
#include <xmprt_global.h>

/* ---- Templates and arrays ---------------------------------------------------------------------------------------- */

/* Gives a template its extents, formats and nodes, also once more. `own` gets the indices that this image has of each dimension:
 * first, last, width of blocks, their period. Where it has none, they are outside of all bounds of loops. The bounds of the dimension
 * follow. */
xmprt_status xmprt_fortran_distribute(xmprt_template template_, const xmprt_extent *extents, const xmprt_format *formats,
                                      xmprt_nodes nodes, int *own);

/* An array without memory, and for each dimension the bounds of this image's part; of a cyclic one these are places, and the index
 * at place 0, the width of blocks and their period follow. `category` is that of the type (1 integer, 2 logical, 3 real, 4 complex),
 * with elements of this many bits. A dimension is six numbers: lower and upper bound, dimension of the template (0: none), offset,
 * widths of the shadow before and after. An upper bound that is less than the lower one by 1 is that of the template. */
xmprt_status xmprt_fortran_array(xmprt_template template_, int category, int bits, int ndims, const int64_t *dimensions, int *own,
                                 xmprt_array *array);

/* The next call of malloc in this thread allocates this image's part, in the segment if that has room. */
xmprt_status xmprt_fortran_announce(xmprt_array array);

/* Where the program has this image's part. With `exposed` (not 0), all executing images call it, and others may get at the part. */
xmprt_status xmprt_fortran_place(xmprt_array array, CFI_cdesc_t *memory, int exposed);

/* The same array has this image's part, which calls may change: for the compiler. */
void xmprt_fortran_known(CFI_cdesc_t *memory);

/* An error where images have parts of different shapes. All executing images call it. */
xmprt_status xmprt_fortran_alike(int ndims, const int *bounds);

/* A bound of a dimension (from 1) of nodes, of a template or of an array; the upper one with `upper` (not 0). */
int xmprt_fortran_bound(xmprt_object of, int dim, int upper);

/* Gives an object up and makes it 0; 0 is none. */
xmprt_status xmprt_fortran_end(int64_t *object);

int64_t xmprt_fortran_address(const CFI_cdesc_t *memory);

/* ---- Loops ------------------------------------------------------------------------------------------------------- */

/* The number of this image in a dimension (from 1) of nodes; outside of all bounds of loops if it is none of them. */
int xmprt_fortran_node(xmprt_nodes nodes, int dim);

/* The first value between two others of a loop that begins at `first`, and its last one; none unless `is_on`. */
int xmprt_fortran_start(int first, int from, int to, int step);
int xmprt_fortran_stop(int last, int from, int to, int step, int is_on);

/* The first (`end` 1) or last index of a side of a margin of dimension `nth` of a nest; of what is inside with a side of -1. */
int xmprt_fortran_side(int first, int last, int lower, int upper, int nth, int side, int end);

/* An error unless this image has `factor * i + added` of a dimension of an array for all values i of a loop. `own` are the bounds of
 * its part, as xmprt_fortran_array gives them, or, of a cyclic dimension, the indices of the template, to which `added` leads. */
xmprt_status xmprt_fortran_reach(int first, int last, int step, int factor, int added, const int *own);

/* ---- Moving data ------------------------------------------------------------------------------------------------- */

xmprt_status xmprt_fortran_reduce(CFI_cdesc_t *data, xmprt_op op, xmprt_object on, const xmprt_range *at, const int64_t *async);
xmprt_status xmprt_fortran_neutral(CFI_cdesc_t *data, xmprt_op op, xmprt_object on, const xmprt_range *at);
xmprt_status xmprt_fortran_broadcast(CFI_cdesc_t *data, xmprt_object from, const xmprt_range *from_at, xmprt_object on,
                                     const xmprt_range *at, const int64_t *async);

/* With location variables, which may be null, and one of the last four operators. */
xmprt_status xmprt_fortran_reduce_located(CFI_cdesc_t *data, xmprt_op op, xmprt_object on, const xmprt_range *at, CFI_cdesc_t *l1,
                                          CFI_cdesc_t *l2, CFI_cdesc_t *l3, CFI_cdesc_t *l4, CFI_cdesc_t *l5, CFI_cdesc_t *l6,
                                          CFI_cdesc_t *l7, CFI_cdesc_t *l8, CFI_cdesc_t *l9, CFI_cdesc_t *l10, CFI_cdesc_t *l11,
                                          CFI_cdesc_t *l12, CFI_cdesc_t *l13, CFI_cdesc_t *l14, CFI_cdesc_t *l15);

/* Gmove to and from a variable with these lower bounds (0 without); all of it without ranges. */
xmprt_status xmprt_fortran_gmove_to(CFI_cdesc_t *to, const int *lowers, const xmprt_range *ranges, xmprt_array from,
                                    const xmprt_range *from_ranges, int mode, const int64_t *async);
xmprt_status xmprt_fortran_gmove_from(xmprt_array to, const xmprt_range *to_ranges, const CFI_cdesc_t *from, const int *lowers,
                                      const xmprt_range *ranges, int mode, const int64_t *async);

/* ---- Files --------------------------------------------------------------------------------------------------------- */

/* The statements of `global_io` (way 0; atomic 1, direct 2). With `told` (not 0) the program looks at IOSTAT=, and an error is none. */
void xmprt_fortran_file_option(int which, const CFI_cdesc_t *value);
xmprt_status xmprt_fortran_file_open(int way, int unit, int64_t record, int told);
xmprt_status xmprt_fortran_file_close(int way, int unit, int told);
xmprt_status xmprt_fortran_file_begin(int way, int unit, int64_t record, int writes);
xmprt_status xmprt_fortran_file_item(CFI_cdesc_t *memory);
xmprt_status xmprt_fortran_file_array(xmprt_array array);
xmprt_status xmprt_fortran_file_finish(int unit, int told);
int xmprt_fortran_file_iostat(void);
xmprt_status xmprt_fortran_file_sync(int unit);

/* `master_io`: the first of the executing images has whole arrays, and the others have none of their elements. */
int xmprt_fortran_is_master(void);
int xmprt_fortran_io_bound(xmprt_array array, int dim, int upper);
xmprt_status xmprt_fortran_collect(xmprt_array array, CFI_cdesc_t *data);
xmprt_status xmprt_fortran_spread(xmprt_array array, CFI_cdesc_t *data);
void xmprt_fortran_io_failed(int status, const CFI_cdesc_t *message);

/* ---- Image indices that are numbers of nodes ----------------------------------------------------------------------- */

int xmprt_fortran_image(xmprt_nodes nodes, int64_t number);
int xmprt_fortran_cosubscript(xmprt_nodes nodes, int dim, int corank, const int64_t *at, const int *lower, const int *upper);
int xmprt_fortran_this_image(xmprt_nodes nodes, int dim, int corank, const int *lower, const int *upper);

/* Statements whose images are the nodes. Without `stat`, an error ends the job. */
void xmprt_fortran_sync_all(xmprt_nodes nodes, int *stat, CFI_cdesc_t *errmsg);
void xmprt_fortran_sync_all_images(xmprt_nodes nodes, int *stat, CFI_cdesc_t *errmsg);
void xmprt_fortran_sync_images(xmprt_nodes nodes, int count, const int64_t *images, int *stat, CFI_cdesc_t *errmsg);

#endif
