/* Coarrays of C: sections put and got, one element to many, contiguous shortcuts, synchronisation, atomics; posts. Images count
   from 0, or from 1 if the environment says so. */
#include "check.h"

static void *_XMP_COARRAY_DESC_x, *_XMP_COARRAY_DESC_y, *_XMP_COARRAY_DESC_flag, *p;
static int (*x)[4], *flag, size, rank;
static double *y;
static int first;

static void init(void)
{
    _XMP_init_nodes_DYNAMIC_GLOBAL(&p, 1, -1, &size, &rank);
    _XMP_coarray_malloc_info_2(3L, 4L, sizeof(int));
    _XMP_coarray_malloc_image_info_1();
    _XMP_coarray_malloc(&_XMP_COARRAY_DESC_x, &x);
    _XMP_coarray_malloc_info_1(5L, sizeof(double));
    _XMP_coarray_malloc_image_info_2(1);
    _XMP_coarray_malloc(&_XMP_COARRAY_DESC_y, &y);
    _XMP_coarray_malloc_info_1(1L, sizeof(int));
    _XMP_coarray_malloc_image_info_1();
    _XMP_coarray_malloc(&_XMP_COARRAY_DESC_flag, &flag);
}

static void finalize(void)
{
    _XMP_finalize_nodes(p);
}

static void transfers(void)
{
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int i, j, local[6] = {0}, one = 40 + rank;
    double reals[2][3] = {{0}};
    for (i = 0; i < 3; i++)
        for (j = 0; j < 4; j++)
            x[i][j] = -1;
    for (i = 0; i < 6; i++)
        local[i] = 100 * rank + i;
    xmp_sync_all(NULL);
    /* x[0:2:2][1:3]:[next] = local[0:6] */
    _XMP_coarray_rdma_coarray_set_2(0L, 2L, 2L, 1L, 3L, 1L);
    _XMP_coarray_rdma_array_set_1(0L, 6L, 1L, 6L, sizeof(int));
    _XMP_coarray_rdma_image_set_1(first + next);
    _XMP_coarray_put(_XMP_COARRAY_DESC_x, local, NULL);
    /* The source may be changed at once. */
    for (i = 0; i < 6; i++)
        local[i] = 0;
    /* x[1][:]:[next] = one */
    _XMP_coarray_rdma_coarray_set_2(1L, 1L, 1L, 0L, 4L, 1L);
    _XMP_coarray_rdma_array_set_1(0L, 1L, 1L, 1L, sizeof(int));
    _XMP_coarray_rdma_image_set_1(first + next);
    _XMP_coarray_put(_XMP_COARRAY_DESC_x, &one, NULL);
    xmp_sync_all(NULL);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 4; j++)
            REQUIRE(x[i][j] == (i == 1 ? 40 + before : j == 0 ? -1 : 100 * before + 3 * (i / 2) + j - 1));
    xmp_sync_all(NULL);
    /* local[5:-1:0] = x[2:-2][3:-1..]:[next], backwards */
    _XMP_coarray_rdma_coarray_set_2(2L, 2L, -2L, 3L, 3L, -1L);
    _XMP_coarray_rdma_array_set_1(0L, 6L, 1L, 6L, sizeof(int));
    _XMP_coarray_rdma_image_set_1(first + next);
    _XMP_coarray_get(_XMP_COARRAY_DESC_x, local, NULL);
    for (i = 0; i < 6; i++)
        REQUIRE(local[i] == 100 * rank + 5 - i);
    /* reals[:][1] = y[0:4:3]:[0][next] (a coshape of two dimensions) */
    for (i = 0; i < 5; i++)
        y[i] = rank + i / 8.0;
    xmp_sync_all(NULL);
    _XMP_coarray_rdma_coarray_set_1(0L, 2L, 3L);
    _XMP_coarray_rdma_array_set_2(0L, 2L, 1L, 2L, 1L, 1L, 1L, 3L, sizeof(double));
    _XMP_coarray_rdma_image_set_2(first, first + next);
    _XMP_coarray_get(_XMP_COARRAY_DESC_y, reals, NULL);
    REQUIRE(reals[0][1] == next && reals[1][1] == next + 3 / 8.0 && reals[0][0] == 0 && reals[1][2] == 0);
    /* y[0:2]:[next] = y[3:2] of this image; the other way around; one to all. */
    xmp_sync_all(NULL);
    _XMP_coarray_contiguous_put(first + next, _XMP_COARRAY_DESC_y, _XMP_COARRAY_DESC_y, 0L, 3L * 8, 2L, 2L);
    xmp_sync_all(NULL);
    REQUIRE(y[0] == before + 3 / 8.0 && y[1] == before + 4 / 8.0 && y[2] == rank + 2 / 8.0);
    xmp_sync_all(NULL);
    _XMP_coarray_contiguous_get(first + next, _XMP_COARRAY_DESC_y, _XMP_COARRAY_DESC_y, 3L * 8, 2L * 8, 1L, 1L);
    REQUIRE(y[3] == next + 2 / 8.0);
    xmp_sync_all(NULL);
    /* Nothing at all. */
    _XMP_coarray_rdma_coarray_set_1(0L, 0L, 1L);
    _XMP_coarray_rdma_array_set_1(0L, 0L, 1L, 1L, sizeof(double));
    _XMP_coarray_rdma_image_set_2(first, first + next);
    _XMP_coarray_put(_XMP_COARRAY_DESC_y, reals, NULL);
}

static void synchronisation(void)
{
    int status = 5, value = -1, i, others[64];
    flag[0] = 0;
    xmp_sync_all(&status);
    REQUIRE(status == 0);
    if (rank == 0)
        for (i = 0; i < size; i++)
            _XMP_atomic_define_1(_XMP_COARRAY_DESC_flag, 0, first + i, 7, NULL, 0, sizeof(int));
    do
        _XMP_atomic_ref_0(_XMP_COARRAY_DESC_flag, 0, &value, NULL, 0, sizeof(int));
    while (value != 7);
    _XMP_atomic_define_0(_XMP_COARRAY_DESC_flag, 0, 8 + rank, NULL, 0, sizeof(int));
    xmp_sync_memory(&status);
    for (i = 0; i < size; i++)
        others[i] = first + i;
    xmp_sync_images(size, others, &status);
    _XMP_atomic_ref_1(_XMP_COARRAY_DESC_flag, 0, first + size - 1, &value, NULL, 0, sizeof(int));
    REQUIRE(value == 8 + size - 1);
    xmp_sync_images_all(&status);
    xmp_sync_image(first + rank, NULL);
}

static void posts(void)
{
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int i;
    for (i = 0; i < 600; i++)
        _XMP_post_1(p, next + 1, i);
    _XMP_post_1(p, before + 1, -3);
    for (i = 599; i >= 0; i--)
        _XMP_wait_1(p, before + 1, i);
    _XMP_wait_node_1(p, next + 1);
    _XMP_post_1(p, next + 1, 1);
    _XMP_wait_noargs();
}

static int xmpc_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    first = getenv("XMP_C_FIRST_IMAGE") ? atoi(getenv("XMP_C_FIRST_IMAGE")) : 0;
    transfers();
    synchronisation();
    posts();
    _XMP_barrier_EXEC();
    return 0;
}
