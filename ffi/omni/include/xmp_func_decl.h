/* What code calls that the Omni XcalableMP compiler makes of C programs. Descriptors are opaque. */
#ifndef _XMP_FUNC_DECL
#define _XMP_FUNC_DECL

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* start and end */

void xmp_finalize_all(void);
void xmp_init_all(int argc, char **argv);
char *_XMP_desc_of(void *p);

/* nodes */

void _XMP_finalize_nodes(void *nodes);
void *_XMP_get_execution_nodes(void);
void _XMP_init_nodes_DYNAMIC_GLOBAL(void **nodes, int dim, ...);
void _XMP_init_nodes_STATIC_GLOBAL(void **nodes, int dim, ...);
int _XMP_get_execution_nodes_rank(void);
void _XMP_init_nodes_STATIC_NODES_NAMED(void **nodes, int dim, void *ref_nodes, ...);
void _XMP_init_nodes_DYNAMIC_NODES_NAMED(void **nodes, int dim, void *ref_nodes, ...);
void _XMP_init_nodes_DYNAMIC_EXEC(void **nodes, int dim, ...);
void _XMP_init_nodes_DYNAMIC_NODES_NUMBER(void **nodes, int dim, int ref_lower, int ref_upper, int ref_stride,
    ...);
void _XMP_init_nodes_STATIC_EXEC(void **nodes, int dim, ...);
void _XMP_init_nodes_STATIC_NODES_NUMBER(void **nodes, int dim, int ref_lower, int ref_upper, int ref_stride,
    ...);

/* template and distribute */

void _XMP_finalize_template(void *template);
void _XMP_init_template_chunk(void *template, void *nodes);
void _XMP_init_template_FIXED(void **template, int dim, ...);
void _XMP_dist_template_BLOCK(void *template, int template_index, int nodes_index);
void _XMP_dist_template_CYCLIC(void *template, int template_index, int nodes_index);
void _XMP_dist_template_BLOCK_CYCLIC(void *template, int template_index, int nodes_index,
    unsigned long long width);
void _XMP_dist_template_DUPLICATION(void *template, int template_index);
void _XMP_dist_template_GBLOCK(void *template, int template_index, int nodes_index, int *mapping_array,
    int *temp0);
void _XMP_set_template_size(void *t, int dim, ...);
void _XMP_init_template_UNFIXED(void **template, int dim);
void _XMP_sched_loop_template_BLOCK(int ser_init, int ser_cond, int ser_step, int *par_init, int *par_cond,
    int *par_step, void *template, int template_index);
void _XMP_sched_loop_template_BLOCK_CYCLIC(int ser_init, int ser_cond, int ser_step, int *par_init,
    int *par_cond, int *par_step, void *template, int template_index);
void _XMP_sched_loop_template_CYCLIC(int ser_init, int ser_cond, int ser_step, int *par_init, int *par_cond,
    int *par_step, void *template, int template_index);
void _XMP_sched_loop_template_DUPLICATION(int ser_init, int ser_cond, int ser_step, int *par_init,
    int *par_cond, int *par_step, void *template, int template_index);
void _XMP_sched_loop_template_GBLOCK(int ser_init, int ser_cond, int ser_step, int *par_init, int *par_cond,
    int *par_step, void *template, int template_index);

/* arrays and align */

void _XMP_init_array_desc(void **array, void *template, int dim, int type, size_t type_size, ...);
void _XMP_finalize_array_desc(void *array);
void _XMP_init_array_comm(void *array, ...);
void _XMP_init_array_nodes(void *array);
void _XMP_alloc_array(void **array_addr, void *array_desc, int is_coarray, ...);
void _XMP_dealloc_array(void *array_desc);
void _XMP_align_array_BLOCK(void *array, int array_index, int template_index, long long align_subscript,
    int *temp0);
void _XMP_align_array_CYCLIC(void *array, int array_index, int template_index, long long align_subscript,
    int *temp0);
void _XMP_align_array_BLOCK_CYCLIC(void *array, int array_index, int template_index,
    long long align_subscript, int *temp0);
void _XMP_align_array_NOT_ALIGNED(void *array, int array_index);
void _XMP_align_array_GBLOCK(void *array, int array_index, int template_index, long long align_subscript,
    int *temp0);
void _XMP_align_array_noalloc(void *a, int adim, int tdim, long long align_subscript, int *temp0,
    unsigned long long *acc0);
void _XMP_align_array_DUPLICATION(void *array, int array_index, int template_index,
    long long align_subscript);
void _XMP_init_array_addr(void **array_addr, void *init_addr, void *array_desc, ...);
void _XMP_alloc_array_EXTERN(void **array_addr, void *array_desc, ...);
unsigned long long _XMP_get_array_total_elmts(void *array);
int _XMP_lidx_GBLOCK(void *a, int i_dim, int global_idx);

/* shadow */

void _XMP_init_shadow(void *array, ...);
void _XMP_init_shadow_noalloc(void *a, ...);

/* loop */

void xmpc_loop_sched(int ser_init, int ser_cond, int ser_step, int *par_init, int *par_cond, int *par_step,
    void *t_desc, int t_idx, int expand_type, int lwidth, int uwidth, int unbound_flag);
int xmpc_ltog(int local_idx, void *template, int dim, int offset);

/* task */

void _XMP_exec_task_NODES_FINALIZE(void *task_desc);
void _XMP_pop_nodes(void);
int _XMP_exec_task_NODES_PART(void **task_desc, void *ref_nodes, ...);
void _XMP_pop_n_free_nodes(void);
int _XMP_exec_task_TEMPLATE_PART(void **task_desc, void *ref_template, ...);
int _XMP_exec_task_NODES_ENTIRE(void **task_desc, void *ref_nodes);
int _XMP_exec_task_NODES_PART_nocomm(void *ref_nodes, ...);
int _XMP_exec_task_TEMPLATE_PART_nocomm(void *ref_template, ...);
int _XMP_exec_task_GLOBAL_PART(void **task_desc, int ref_lower, int ref_upper, int ref_stride);
int _XMP_exec_task_NODES_ENTIRE_nocomm(void *ref_nodes);

/* reflect and reduce_shadow */

void _XMP_reflect__(void *a);
void _XMP_set_reflect__(void *a, int dim, int lwidth, int uwidth, int is_periodic);
void _XMP_reflect_async__(void *a, int async_id);
void _XMP_reduce_shadow__(void *a);
void _XMP_set_reduce_shadow__(void *a, int dim, int lwidth, int uwidth, int is_periodic);

/* gmove */

void xmpc_gmv_dealloc(void *gp);
void xmpc_gmv_do(void *gmv_desc_leftp, void *gmv_desc_rightp, int mode);
void xmpc_gmv_g_alloc(void **gmv_desc, void *ap);
void xmpc_gmv_g_dim_info(void *gp, int i, int kind, int lb, int len, int st);
void xmpc_gmv_l_alloc(void **gmv_desc, void *local_data, int n);
void xmpc_gmv_l_dim_info(void *gp, int i, int a_lb, int a_len, int kind, int lb, int len, int st);

/* reduction */

void _XMP_reduce_FLMM_NODES_ENTIRE(void *nodes, void *addr, int count, int datatype, int op, int num_locs, ...);
void _XMP_reduce_NODES_ENTIRE(void *nodes, void *addr, int count, int datatype, int op);
void _XMP_reduce_CLAUSE(void *data_addr, int count, int datatype, int op);
int _XMP_init_reduce_comm_TEMPLATE(void *template, ...);
void _XMP_reduce_FLMM_CLAUSE(void *data_addr, int count, int datatype, int op, int num_locs, ...);
void xmp_reduce_loc_execute(int op);
void xmp_reduce_loc_init(int nlocs, long double value, void *value_addr, int datatype);
void xmp_reduce_loc_set(void *buf, int length, size_t s);
int _XMP_init_reduce_comm_NODES(void *nodes, ...);

/* bcast */

void _XMP_bcast_NODES_ENTIRE_NODES(void *bcast_nodes, void *addr, int count, size_t datatype_size,
    void *from_nodes, ...);
void _XMP_bcast_NODES_ENTIRE_OMITTED(void *bcast_nodes, void *addr, int count, size_t datatype_size);

/* barrier */

void _XMP_barrier_EXEC(void);
void _XMP_barrier_NODES_ENTIRE(void *nodes);

/* asynchronous operations */

void _XMP_wait_async__(int async_id);
void xmpc_end_async(int async_id);
void xmpc_init_async(int async_id);
void xmpc_start_async(); /* gmove passes the id, the others nothing */

/* coarrays */

void _XMP_coarray_malloc(void **coarray_desc, void *addr);
void _XMP_coarray_malloc_image_info_1(void);
void _XMP_coarray_rdma_image_set_1(int n1);
void _XMP_coarray_malloc_info_1(long n1, size_t elmt_size);
void _XMP_coarray_malloc_info_2(long n1, long n2, size_t elmt_size);
void _XMP_coarray_rdma_array_set_1(long start1, long length1, long stride1, long elmts1, size_t elmt);
void _XMP_coarray_put(void *remote_coarray, void *local_array, void *local_coarray);
void _XMP_coarray_rdma_array_set_2(long start1, long length1, long stride1, long elmts1, long start2,
    long length2, long stride2, long elmts2, size_t elmt);
void _XMP_coarray_rdma_coarray_set_1(long start1, long length1, long stride1);
void _XMP_coarray_get(void *remote_coarray, void *local_array, void *local_coarray);
void _XMP_coarray_malloc_info_3(long n1, long n2, long n3, size_t elmt_size);
void _XMP_coarray_rdma_coarray_set_2(long start1, long length1, long stride1, long start2, long length2,
    long stride2);
void _XMP_coarray_rdma_array_set_3(long start1, long length1, long stride1, long elmts1, long start2,
    long length2, long stride2, long elmts2, long start3, long length3, long stride3, long elmts3,
    size_t elmt);
void _XMP_coarray_rdma_coarray_set_3(long start1, long length1, long stride1, long start2, long length2,
    long stride2, long start3, long length3, long stride3);
void _XMP_coarray_contiguous_put(int target_rank, void *dst_desc, const void *src_desc, long dst_offset,
    long src_offset, long dst_elmts, long src_elmts);
void _XMP_coarray_contiguous_get(int target_rank, void *dst_desc, const void *src_desc, long dst_offset,
    long src_offset, long dst_elmts, long src_elmts);
void _XMP_coarray_malloc_info_4(long n1, long n2, long n3, long n4, size_t elmt_size);
void _XMP_coarray_rdma_coarray_set_4(long start1, long length1, long stride1, long start2, long length2,
    long stride2, long start3, long length3, long stride3, long start4, long length4, long stride4);
void _XMP_atomic_define_1(void *dst_desc, size_t dst_offset, int image0, int value, void *src_desc,
    size_t src_offset, size_t elmt_size);
void _XMP_atomic_ref_0(void *dst_desc, size_t dst_offset, int *value, void *src_desc, size_t src_offset,
    size_t elmt_size);
void _XMP_atomic_ref_1(void *dst_desc, size_t dst_offset, int image, int *value, void *src_desc,
    size_t src_offset, size_t elmt_size);
void _XMP_coarray_rdma_array_set_4(long start1, long length1, long stride1, long elmts1, long start2,
    long length2, long stride2, long elmts2, long start3, long length3, long stride3, long elmts3,
    long start4, long length4, long stride4, long elmts4, size_t elmt);
void _XMP_atomic_define_0(void *dst_desc, size_t dst_offset, int value, void *src_desc, size_t src_offset,
    size_t elmt_size);
void _XMP_coarray_malloc_info_5(long n1, long n2, long n3, long n4, long n5, size_t elmt_size);
void _XMP_coarray_malloc_info_6(long n1, long n2, long n3, long n4, long n5, long n6, size_t elmt_size);
void _XMP_coarray_rdma_array_set_6(long start1, long length1, long stride1, long elmts1, long start2,
    long length2, long stride2, long elmts2, long start3, long length3, long stride3, long elmts3,
    long start4, long length4, long stride4, long elmts4, long start5, long length5, long stride5,
    long elmts5, long start6, long length6, long stride6, long elmts6, size_t elmt);
void _XMP_coarray_rdma_coarray_set_5(long start1, long length1, long stride1, long start2, long length2,
    long stride2, long start3, long length3, long stride3, long start4, long length4, long stride4,
    long start5, long length5, long stride5);
void _XMP_coarray_rdma_coarray_set_6(long start1, long length1, long stride1, long start2, long length2,
    long stride2, long start3, long length3, long stride3, long start4, long length4, long stride4,
    long start5, long length5, long stride5, long start6, long length6, long stride6);
void _XMP_atomic_define_2(void *dst_desc, size_t dst_offset, int image0, int image1, int value,
    void *src_desc, size_t src_offset, size_t elmt_size);
void _XMP_atomic_define_3(void *dst_desc, size_t dst_offset, int image0, int image1, int image2, int value,
    void *src_desc, size_t src_offset, size_t elmt_size);
void _XMP_atomic_define_4(void *dst_desc, size_t dst_offset, int image0, int image1, int image2, int image3,
    int value, void *src_desc, size_t src_offset, size_t elmt_size);
void _XMP_atomic_define_5(void *dst_desc, size_t dst_offset, int image0, int image1, int image2, int image3,
    int image4, int value, void *src_desc, size_t src_offset, size_t elmt_size);
void _XMP_atomic_define_6(void *dst_desc, size_t dst_offset, int image0, int image1, int image2, int image3,
    int image4, int image5, int value, void *src_desc, size_t src_offset, size_t elmt_size);
void _XMP_atomic_define_7(void *dst_desc, size_t dst_offset, int image0, int image1, int image2, int image3,
    int image4, int image5, int image6, int value, void *src_desc, size_t src_offset, size_t elmt_size);
void _XMP_atomic_ref_2(void *dst_desc, size_t dst_offset, int image0, int image1, int *value, void *src_desc,
    size_t src_offset, size_t elmt_size);
void _XMP_atomic_ref_3(void *dst_desc, size_t dst_offset, int image0, int image1, int image2, int *value,
    void *src_desc, size_t src_offset, size_t elmt_size);
void _XMP_atomic_ref_4(void *dst_desc, size_t dst_offset, int image0, int image1, int image2, int image3,
    int *value, void *src_desc, size_t src_offset, size_t elmt_size);
void _XMP_atomic_ref_5(void *dst_desc, size_t dst_offset, int image0, int image1, int image2, int image3,
    int image4, int *value, void *src_desc, size_t src_offset, size_t elmt_size);
void _XMP_atomic_ref_6(void *dst_desc, size_t dst_offset, int image0, int image1, int image2, int image3,
    int image4, int image5, int *value, void *src_desc, size_t src_offset, size_t elmt_size);
void _XMP_atomic_ref_7(void *dst_desc, size_t dst_offset, int image0, int image1, int image2, int image3,
    int image4, int image5, int image6, int *value, void *src_desc, size_t src_offset, size_t elmt_size);
void _XMP_coarray_malloc_image_info_2(int i1);
void _XMP_coarray_malloc_image_info_3(int i1, int i2);
void _XMP_coarray_malloc_image_info_4(int i1, int i2, int i3);
void _XMP_coarray_malloc_image_info_5(int i1, int i2, int i3, int i4);
void _XMP_coarray_malloc_image_info_6(int i1, int i2, int i3, int i4, int i5);
void _XMP_coarray_malloc_image_info_7(int i1, int i2, int i3, int i4, int i5, int i6);
void _XMP_coarray_malloc_info_7(long n1, long n2, long n3, long n4, long n5, long n6, long n7,
    size_t elmt_size);
void _XMP_coarray_rdma_array_set_5(long start1, long length1, long stride1, long elmts1, long start2,
    long length2, long stride2, long elmts2, long start3, long length3, long stride3, long elmts3,
    long start4, long length4, long stride4, long elmts4, long start5, long length5, long stride5,
    long elmts5, size_t elmt);
void _XMP_coarray_rdma_array_set_7(long start1, long length1, long stride1, long elmts1, long start2,
    long length2, long stride2, long elmts2, long start3, long length3, long stride3, long elmts3,
    long start4, long length4, long stride4, long elmts4, long start5, long length5, long stride5,
    long elmts5, long start6, long length6, long stride6, long elmts6, long start7, long length7,
    long stride7, long elmts7, size_t elmt);
void _XMP_coarray_rdma_coarray_set_7(long start1, long length1, long stride1, long start2, long length2,
    long stride2, long start3, long length3, long stride3, long start4, long length4, long stride4,
    long start5, long length5, long stride5, long start6, long length6, long stride6, long start7,
    long length7, long stride7);
void _XMP_coarray_rdma_image_set_2(int n1, int n2);
void _XMP_coarray_rdma_image_set_3(int n1, int n2, int n3);
void _XMP_coarray_rdma_image_set_4(int n1, int n2, int n3, int n4);
void _XMP_coarray_rdma_image_set_5(int n1, int n2, int n3, int n4, int n5);
void _XMP_coarray_rdma_image_set_6(int n1, int n2, int n3, int n4, int n5, int n6);
void _XMP_coarray_rdma_image_set_7(int n1, int n2, int n3, int n4, int n5, int n6, int n7);

/* lock and unlock */

void _XMP_lock_0(const void *coarray, unsigned int offset);
void _XMP_lock_1(const void *coarray, unsigned int offset, int image1);
void _XMP_lock_2(const void *coarray, unsigned int offset, int image1, int image2);
void _XMP_lock_3(const void *coarray, unsigned int offset, int image1, int image2, int image3);
void _XMP_lock_4(const void *coarray, unsigned int offset, int image1, int image2, int image3, int image4);
void _XMP_lock_5(const void *coarray, unsigned int offset, int image1, int image2, int image3, int image4, int image5);
void _XMP_lock_6(const void *coarray, unsigned int offset, int image1, int image2, int image3, int image4,
    int image5, int image6);
void _XMP_lock_7(const void *coarray, unsigned int offset, int image1, int image2, int image3, int image4,
    int image5, int image6, int image7);
void _XMP_unlock_0(const void *coarray, unsigned int offset);
void _XMP_unlock_1(const void *coarray, unsigned int offset, int image1);
void _XMP_unlock_2(const void *coarray, unsigned int offset, int image1, int image2);
void _XMP_unlock_3(const void *coarray, unsigned int offset, int image1, int image2, int image3);
void _XMP_unlock_4(const void *coarray, unsigned int offset, int image1, int image2, int image3, int image4);
void _XMP_unlock_5(const void *coarray, unsigned int offset, int image1, int image2, int image3, int image4,
    int image5);
void _XMP_unlock_6(const void *coarray, unsigned int offset, int image1, int image2, int image3, int image4,
    int image5, int image6);
void _XMP_unlock_7(const void *coarray, unsigned int offset, int image1, int image2, int image3, int image4,
    int image5, int image6, int image7);
void _XMP_lock_initialize_1(void *start, unsigned int extent1);
void _XMP_lock_initialize_2(void *start, unsigned int extent1, unsigned int extent2);
void _XMP_lock_initialize_3(void *start, unsigned int extent1, unsigned int extent2, unsigned int extent3);
void _XMP_lock_initialize_4(void *start, unsigned int extent1, unsigned int extent2, unsigned int extent3,
    unsigned int extent4);
void _XMP_lock_initialize_5(void *start, unsigned int extent1, unsigned int extent2, unsigned int extent3,
    unsigned int extent4, unsigned int extent5);
void _XMP_lock_initialize_6(void *start, unsigned int extent1, unsigned int extent2, unsigned int extent3,
    unsigned int extent4, unsigned int extent5, unsigned int extent6);
void _XMP_lock_initialize_7(void *start, unsigned int extent1, unsigned int extent2, unsigned int extent3,
    unsigned int extent4, unsigned int extent5, unsigned int extent6, unsigned int extent7);

/* post and wait */

void _XMP_post_1(const void *node_desc, int num1, int tag);
void _XMP_wait_1(const void *node_desc, int num1, int tag);
void _XMP_wait_noargs(void);
void _XMP_wait_node_1(const void *node_desc, int num1);
void _XMP_post_2(const void *node_desc, int num1, int num2, int tag);
void _XMP_post_3(const void *node_desc, int num1, int num2, int num3, int tag);
void _XMP_post_4(const void *node_desc, int num1, int num2, int num3, int num4, int tag);
void _XMP_post_5(const void *node_desc, int num1, int num2, int num3, int num4, int num5, int tag);
void _XMP_post_6(const void *node_desc, int num1, int num2, int num3, int num4, int num5, int num6, int tag);
void _XMP_post_7(const void *node_desc, int num1, int num2, int num3, int num4, int num5, int num6, int num7,
    int tag);
void _XMP_wait_2(const void *node_desc, int num1, int num2, int tag);
void _XMP_wait_3(const void *node_desc, int num1, int num2, int num3, int tag);
void _XMP_wait_4(const void *node_desc, int num1, int num2, int num3, int num4, int tag);
void _XMP_wait_5(const void *node_desc, int num1, int num2, int num3, int num4, int num5, int tag);
void _XMP_wait_6(const void *node_desc, int num1, int num2, int num3, int num4, int num5, int num6, int tag);
void _XMP_wait_7(const void *node_desc, int num1, int num2, int num3, int num4, int num5, int num6, int num7,
    int tag);
void _XMP_wait_node_2(const void *node_desc, int num1, int num2);
void _XMP_wait_node_3(const void *node_desc, int num1, int num2, int num3);
void _XMP_wait_node_4(const void *node_desc, int num1, int num2, int num3, int num4);
void _XMP_wait_node_5(const void *node_desc, int num1, int num2, int num3, int num4, int num5);
void _XMP_wait_node_6(const void *node_desc, int num1, int num2, int num3, int num4, int num5, int num6);
void _XMP_wait_node_7(const void *node_desc, int num1, int num2, int num3, int num4, int num5, int num6,
    int num7);

/* profile */

void _XMP_tlog_finalize(void);
void _XMP_tlog_init(void);

#ifdef __cplusplus
}
#endif

#endif
