/* Atomic operations on variables of floating point. */
#include "check.h"

static int me, n;

#define OPERATIONS(type)                                                                                              \
    static void operations_##type(void)                                                                               \
    {                                                                                                                 \
        enum { EACH = 100 };                                                                                          \
        type *x, old = 9, value = 9;                                                                                  \
        DO(xmprt_allocate(3 * sizeof *x, (void **)&x));                                                               \
        for (int turn = 1; turn <= n; turn++) {                                                                       \
            if (turn == me) {                                                                                         \
                DO(xmprt_atomic_store_##type(XMPRT_CURRENT, n, &x[1], (type)2.5));                                    \
                DO(xmprt_atomic_load_##type(XMPRT_INITIAL, n, &x[1], &value));                                        \
                REQUIRE(value == (type)2.5);                                                                          \
                DO(xmprt_atomic_add_##type(XMPRT_CURRENT, n, &x[1], (type)-4, &old));                                 \
                REQUIRE(old == (type)2.5);                                                                            \
                DO(xmprt_atomic_swap_##type(XMPRT_CURRENT, n, &x[1], (type)0.25, &old));                              \
                REQUIRE(old == (type)-1.5);                                                                           \
                DO(xmprt_atomic_swap_##type(XMPRT_CURRENT, n, &x[1], 0, NULL));                                       \
            }                                                                                                         \
            DO(xmprt_sync(XMPRT_CURRENT));                                                                            \
        }                                                                                                             \
        /* All at the same time. */                                                                                   \
        for (int k = 0; k < EACH; k++)                                                                                \
            DO(xmprt_atomic_add_##type(XMPRT_CURRENT, 1 + k % n, &x[1], (type)0.5, k % 2 ? &old : NULL));             \
        DO(xmprt_sync(XMPRT_CURRENT));                                                                                \
        type mine = x[1];                                                                                             \
        DO(xmprt_co_sum(XMPRT_CURRENT, &mine, 1, XMPRT_TYPE(mine), XMPRT_ALL));                                       \
        REQUIRE(mine == (type)(0.5 * EACH * n) && x[0] == 0 && x[2] == 0);                                            \
        type *odd = (type *)((char *)x + 2), here = 1;                                                                \
        for (int again = 0; again < 2; again++) {                                                                     \
            REFUSED(xmprt_atomic_add_##type(XMPRT_CURRENT, n + 1, x, 1, &old), XMPRT_BAD_ARGUMENT,                    \
                    "xmprt_atomic_add_" #type ": image index");                                                       \
            REFUSED(xmprt_atomic_add_##type(XMPRT_CURRENT, 1, &here, 1, &old), XMPRT_BAD_ARGUMENT, "is not in memory"); \
            REFUSED(xmprt_atomic_add_##type(XMPRT_CURRENT, 1, odd, 1, &old), XMPRT_BAD_ARGUMENT, "not aligned to");   \
            REFUSED(xmprt_atomic_store_##type(XMPRT_TEAM(9), 1, x, 1), XMPRT_BAD_ARGUMENT, "is not a team");          \
            REFUSED(xmprt_atomic_swap_##type(XMPRT_CURRENT, 0, x, 1, &old), XMPRT_BAD_ARGUMENT, "image index 0");     \
            REFUSED(xmprt_atomic_load_##type(XMPRT_CURRENT, 1, x, NULL), XMPRT_BAD_ARGUMENT, "value is a null pointer"); \
            DO(xmprt_atomic_load_##type(XMPRT_CURRENT, me, x, &value));                                               \
        }                                                                                                             \
        REQUIRE(value == 0 && here == 1);                                                                             \
        DO(xmprt_free(x));                                                                                            \
    }

OPERATIONS(float)
OPERATIONS(double)

int main(void)
{
    me = xmprt_this_image(XMPRT_CURRENT);
    n = xmprt_num_images(XMPRT_CURRENT);
    operations_float();
    operations_double();
    return 0;
}
