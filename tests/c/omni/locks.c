/* Locks of C: each image adds to a counter of the first image under one lock of an array of them; own locks. */
#include "check.h"

enum { TIMES = 20 };

static void *locks, *counter, *p;
static xmp_lock_t *address;
static int *count, size, rank;

static void init(void)
{
    _XMP_init_nodes_DYNAMIC_GLOBAL(&p, 1, -1, &size, &rank);
    _XMP_coarray_malloc_info_2(2L, 3L, sizeof(xmp_lock_t));
    _XMP_coarray_malloc_image_info_1();
    _XMP_coarray_malloc(&locks, &address);
    _XMP_lock_initialize_2(address, 2, 3);
    _XMP_coarray_malloc_info_1(1L, sizeof(int));
    _XMP_coarray_malloc_image_info_1();
    _XMP_coarray_malloc(&counter, &count);
}

static void finalize(void)
{
    _XMP_finalize_nodes(p);
}

static void set(void)
{
    _XMP_coarray_rdma_coarray_set_1(0L, 1L, 1L);
    _XMP_coarray_rdma_array_set_1(0L, 1L, 1L, 1L, sizeof(int));
    _XMP_coarray_rdma_image_set_1(0);
}

static int xmpc_main(int argc, char **argv)
{
    int i, value;
    (void)argc;
    (void)argv;
    for (i = 0; i < TIMES; i++) {
        /* lock(locks[1][2]:[0]) */
        _XMP_lock_1(locks, 1 * 3 + 2, 0);
        set();
        _XMP_coarray_get(counter, &value, NULL);
        value++;
        set();
        _XMP_coarray_put(counter, &value, NULL);
        xmp_sync_memory(NULL);
        _XMP_unlock_1(locks, 1 * 3 + 2, 0);
        /* lock(locks[0][0]), which no other image asks for */
        _XMP_lock_0(locks, 0);
        _XMP_unlock_0(locks, 0);
    }
    xmp_sync_all(NULL);
    REQUIRE(rank != 0 || *count == TIMES * size);
    _XMP_barrier_EXEC();
    return 0;
}
