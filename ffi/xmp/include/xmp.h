/* The library of XMP/C that users call by name (XcalableMP 1.4, chapter 4.8), as Omni has it: dimensions count from 1, and
   images of coarrays from 0 where the name begins with xmpc_. */
#ifndef _XMP_USERAPI
#define _XMP_USERAPI

#include <stddef.h>
/* MPI may be used beside XMP where it is; nothing else needs it. */
#if defined(__has_include)
#if __has_include(<mpi.h>)
#include <mpi.h>
#define XMPRT_HAS_MPI
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef void *xmp_desc_t;

#define XMP_FAILURE -2000
#define XMP_UNDEFINED -2001

/* What becomes of `status` in xmp_sync_...; other numbers stand for other things that are wrong. */
#define XMP_STAT_SUCCESS 0
#define XMP_STAT_STOPPED_IMAGE 6000

/* What becomes of the variable of `stat` in lock and unlock, beside these: the lock is held by this image, by another one,
   or by none. */
#define XMP_STAT_LOCKED 1
#define XMP_STAT_LOCKED_OTHER_IMAGE 2
#define XMP_STAT_UNLOCKED 3

/* A variable of a coarray that `lock` and `unlock` work on. */
typedef struct xmp_lock {
    long word;
} xmp_lock_t;

/* What nodes were declared as. */
#define XMP_ENTIRE_NODES 2000
#define XMP_EXECUTING_NODES 2001
#define XMP_PRIMARY_NODES 2002
#define XMP_EQUIVALENCE_NODES 2003

/* Formats of xmp_dist_format. */
#define XMP_NOT_DISTRIBUTED 2100
#define XMP_BLOCK 2101
#define XMP_CYCLIC 2102
#define XMP_GBLOCK 2103

/* Kinds of xmp_desc_kind. */
#define XMP_DESC_NODES 2200
#define XMP_DESC_TEMPLATE 2201
#define XMP_DESC_ARRAY 2202

#ifdef XMPRT_HAS_MPI
MPI_Comm xmp_get_mpi_comm(void);
void xmp_init(MPI_Comm comm);
#endif

int xmp_node_num(void);
int xmp_num_nodes(void);
void *xmp_malloc(xmp_desc_t d, ...);
int xmpc_node_num(void);
int xmp_all_node_num(void);
int xmp_array_ubound(xmp_desc_t d, int dim, int *ubound);
void xmp_exit(int status);
void xmp_matmul(void *x_p, void *a_p, void *b_p);
double xmp_wtime(void);
int xmp_all_num_nodes(void);
void xmp_transpose(void *dst_p, void *src_p, int opt);
void xmp_gather(void *x_d, void *a_d, ...);
int xmp_nodes_size(xmp_desc_t d, int dim, int *size);
void xmp_scatter(void *x_d, void *a_d, ...);
int xmp_align_axis(xmp_desc_t d, int dim, int *axis);
int xmp_align_offset(xmp_desc_t d, int dim, int *offset);
int xmp_align_replicated(xmp_desc_t d, int dim, int *replicated);
int xmp_align_template(xmp_desc_t d, xmp_desc_t *dt);
int xmp_array_gtol(xmp_desc_t d, int dim, int g_idx, int *l_idx);
int xmp_array_laddr(xmp_desc_t d, void **laddr);
int xmp_array_lbound(xmp_desc_t d, int dim, int *lbound);
void xmp_array_lbound_global(xmp_desc_t d, int dim, int *global_i);
int xmp_array_lshadow(xmp_desc_t d, int dim, int *lshadow);
int xmp_array_lsize(xmp_desc_t d, int dim, int *lsize);
int xmp_array_ndims(xmp_desc_t d, int *ndims);
int xmp_array_ushadow(xmp_desc_t d, int dim, int *ushadow);
int xmp_dist_axis(xmp_desc_t d, int dim, int *axis);
int xmp_dist_blocksize(xmp_desc_t d, int dim, int *blocksize);
int xmp_dist_format(xmp_desc_t d, int dim, int *format);
int xmp_dist_gblockmap(xmp_desc_t d, int dim, int *map);
int xmp_dist_nodes(xmp_desc_t d, xmp_desc_t *dn);
void xmp_finalize(void);
void xmp_finalize_mpi(void);
void xmp_init_mpi(int *argc, char ***argv);
int xmp_nodes_equiv(xmp_desc_t d, xmp_desc_t *dn, int *lb, int *ub, int *st);
int xmp_nodes_index(xmp_desc_t d, int dim, int *index);
int xmpc_nodes_index(xmp_desc_t d, int dim, int *index);
int xmp_nodes_ndims(xmp_desc_t d, int *ndims);
void xmp_pack(void *v_p, void *a_p, void *m_p);
void xmp_sort_down(void *a_desc, void *b_desc);
void xmp_sort_up(void *a_desc, void *b_desc);
int xmp_template_fixed(xmp_desc_t d, int *fixed);
int xmp_template_lbound(xmp_desc_t d, int dim, int *lbound);
int xmp_template_ndims(xmp_desc_t d, int *ndims);
int xmp_template_ubound(xmp_desc_t d, int dim, int *ubound);
void xmp_unpack(void *a_p, void *v_p, void *m_p);
double xmp_wtick(void);
void xmp_sync_all(const int *status);
int xmpc_this_image(void);
int xmpc_all_node_num(void);
void xmp_sync_memory(const int *status);
int xmp_array_gsize(xmp_desc_t d, int dim);
void xmp_barrier(void);
int xmp_array_lda(xmp_desc_t d, int *lda);
int xmp_array_lead_dim(xmp_desc_t d, int *size);
void xmp_array_ubound_global(xmp_desc_t d, int dim, int *global_i);
int xmp_desc_kind(xmp_desc_t d, int *kind);
void xmp_free(xmp_desc_t d);
int xmp_test_async(int async_id);
int xmp_nodes_attr(xmp_desc_t d, int *attr);
int xmp_nodes_comm(xmp_desc_t d, void **comm);
int xmp_num_images(void);
void xmp_sync_image(int image, int *status);
void xmp_sync_images(int num, int *image_set, int *status);
void xmp_sync_images_all(int *status);

#ifdef __cplusplus
}
#endif

#include "xmp_io.h"

#endif
