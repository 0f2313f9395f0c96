/* What makes no sense, by the name of the case; each ends the job with a message. */
#include "check.h"

static void *p, *t, *a;
static int size, rank, temp;
static unsigned long long stride;
static int *address;

static void init(void)
{
    _XMP_init_nodes_DYNAMIC_GLOBAL(&p, 1, -1, &size, &rank);
    _XMP_init_template_FIXED(&t, 1, 0LL, 9LL);
    _XMP_init_template_chunk(t, p);
    _XMP_dist_template_BLOCK(t, 0, 0);
    _XMP_init_array_desc(&a, t, 1, INT, sizeof(int), 10);
    _XMP_align_array_BLOCK(a, 0, 0, 0LL, &temp);
    _XMP_init_array_comm(a, 0);
    _XMP_init_array_nodes(a);
    _XMP_init_shadow(a, SHADOW_NORMAL, 1, 1);
    _XMP_alloc_array((void **)&address, a, 1, &stride);
}

static void finalize(void)
{
}

static int is(char **argv, const char *name)
{
    return strcmp(argv[1], name) == 0;
}

static int xmpc_main(int argc, char **argv)
{
    void *other = NULL, *inner = NULL, *task = NULL, *left, *right;
    int from, to, step, sizes[64] = {1};
    REQUIRE(argc == 2);
    if (is(argv, "nodes"))
        _XMP_init_nodes_STATIC_GLOBAL(&other, 1, size + 3, &from);
    if (is(argv, "fewer"))
        _XMP_init_nodes_STATIC_GLOBAL(&other, 1, size - 1, &from);
    if (is(argv, "unfixed")) {
        _XMP_init_template_UNFIXED(&other, 1);
        _XMP_init_template_chunk(other, p);
        xmpc_loop_sched(0, 5, 1, &from, &to, &step, other, 0, PLAIN, 0, 0, 0);
    }
    if (is(argv, "cyclic")) {
        _XMP_init_template_UNFIXED(&other, 1);
        _XMP_init_template_chunk(other, p);
        _XMP_dist_template_BLOCK_CYCLIC(other, 0, 0, 0ULL);
    }
    if (is(argv, "outside")) {
        _XMP_init_array_desc(&other, t, 1, INT, sizeof(int), 12);
        _XMP_align_array_BLOCK(other, 0, 0, 0LL, &from);
    }
    if (is(argv, "gblock")) {
        _XMP_init_template_FIXED(&other, 1, 0LL, 9LL);
        _XMP_init_template_chunk(other, p);
        _XMP_dist_template_GBLOCK(other, 0, 0, sizes, &from);
    }
    if (is(argv, "width")) {
        _XMP_set_reflect__(a, 0, 2, 1, 0);
        _XMP_reflect__(a);
    }
    if (is(argv, "shape")) {
        xmpc_gmv_g_alloc(&left, a);
        xmpc_gmv_g_dim_info(left, 0, RANGE, 0, 3, 1);
        xmpc_gmv_g_alloc(&right, a);
        xmpc_gmv_g_dim_info(right, 0, RANGE, 5, 4, 1);
        xmpc_gmv_do(left, right, COLLECTIVE);
    }
    if (is(argv, "task")) {
        if (_XMP_exec_task_NODES_PART(&task, p, 0, 1, 1, 1))
            _XMP_exec_task_NODES_PART(&inner, p, 0, 1, 2, 1);
        _XMP_barrier_EXEC();
    }
    if (is(argv, "coarray")) {
        if (_XMP_exec_task_NODES_PART(&task, p, 0, 1, 1, 1)) {
            _XMP_coarray_malloc_info_1(3L, sizeof(int));
            _XMP_coarray_malloc_image_info_1();
            _XMP_coarray_malloc(&inner, &address);
            _XMP_pop_nodes();
        }
        _XMP_barrier_EXEC();
    }
    if (is(argv, "unlocked") || is(argv, "locked") || is(argv, "beyond")) {
        _XMP_coarray_malloc_info_1(2L, sizeof(xmp_lock_t));
        _XMP_coarray_malloc_image_info_1();
        _XMP_coarray_malloc(&inner, &address);
        if (is(argv, "unlocked"))
            _XMP_unlock_0(inner, 1);
        _XMP_lock_0(inner, is(argv, "beyond") ? 2 : 1);
        _XMP_lock_0(inner, 1);
    }
    if (is(argv, "small")) {
        _XMP_coarray_malloc_info_1(2L, sizeof(int));
        _XMP_coarray_malloc_image_info_1();
        _XMP_coarray_malloc(&inner, &address);
        _XMP_lock_0(inner, 0);
    }
    if (is(argv, "subscript")) {
        int values[3] = {0};
        _XMP_coarray_malloc_info_2(4L, 5L, sizeof(int));
        _XMP_coarray_malloc_image_info_1();
        _XMP_coarray_malloc(&inner, &address);
        /* x[3][3:3] of x[4][5] */
        _XMP_coarray_rdma_coarray_set_2(3L, 1L, 1L, 3L, 3L, 1L);
        _XMP_coarray_rdma_array_set_1(0L, 3L, 1L, 3L, sizeof(int));
        _XMP_coarray_rdma_image_set_1(1);
        _XMP_coarray_put(inner, values, NULL);
    }
    if (is(argv, "mapping")) {
        _XMP_init_array_desc(&other, t, 1, INT, sizeof(int), 8);
        _XMP_align_array_BLOCK(other, 0, 0, 1LL, &from);
        _XMP_init_array_comm(other, 0);
        _XMP_init_array_nodes(other);
        _XMP_init_array_addr(&left, address, other, &stride);
    }
    if (is(argv, "kind"))
        _XMP_reflect__(p);
    if (is(argv, "null"))
        _XMP_barrier_NODES_ENTIRE(NULL);
    if (is(argv, "section")) {
        xmpc_gmv_g_alloc(&left, a);
        xmpc_gmv_g_dim_info(left, 0, RANGE, 5, 9, 1);
        xmpc_gmv_l_alloc(&right, sizes, 1);
        xmpc_gmv_l_dim_info(right, 0, 0, 64, RANGE, 0, 9, 1);
        xmpc_gmv_do(left, right, COLLECTIVE);
    }
    if (is(argv, "free"))
        xmp_free(a);
    if (is(argv, "pop"))
        _XMP_pop_nodes();
    return 0;
}
