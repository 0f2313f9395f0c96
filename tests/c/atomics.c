/* Atomic operations on variables of 4 and 8 bytes, of this image and of others. */
#include "check.h"

static int me, n;

/* Every operation, on one variable of the last image in turn. */
#define OPERATIONS(type, width)                                                                        \
    static void operations##width(void)                                                                \
    {                                                                                                  \
        type *x, old, value;                                                                           \
        DO(xmprt_allocate(3 * sizeof *x, (void **)&x));                                                \
        for (int turn = 1; turn <= n; turn++) {                                                        \
            if (turn == me) {                                                                          \
                DO(xmprt_atomic_store##width(XMPRT_CURRENT, n, &x[1], 12));                            \
                DO(xmprt_atomic_load##width(XMPRT_INITIAL, n, &x[1], &value));                         \
                REQUIRE(value == 12);                                                                  \
                DO(xmprt_atomic_add##width(XMPRT_CURRENT, n, &x[1], -22, &old));                       \
                REQUIRE(old == 12);                                                                    \
                DO(xmprt_atomic_swap##width(XMPRT_CURRENT, n, &x[1], 14, &old));                       \
                REQUIRE(old == -10);                                                                   \
                DO(xmprt_atomic_and##width(XMPRT_CURRENT, n, &x[1], 7, &old));                         \
                REQUIRE(old == 14);                                                                    \
                DO(xmprt_atomic_or##width(XMPRT_CURRENT, n, &x[1], 9, &old));                          \
                REQUIRE(old == 6);                                                                     \
                DO(xmprt_atomic_xor##width(XMPRT_CURRENT, n, &x[1], 3, &old));                         \
                REQUIRE(old == 15);                                                                    \
                DO(xmprt_atomic_compare_swap##width(XMPRT_CURRENT, n, &x[1], 11, 100, &old));          \
                REQUIRE(old == 12);                                                                    \
                DO(xmprt_atomic_compare_swap##width(XMPRT_CURRENT, n, &x[1], 12, -100, NULL));         \
                DO(xmprt_atomic_add##width(XMPRT_CURRENT, n, &x[1], 1, NULL));                         \
                DO(xmprt_atomic_load##width(XMPRT_CURRENT, n, &x[1], &value));                         \
                REQUIRE(value == -99);                                                                 \
            }                                                                                          \
            DO(xmprt_sync(XMPRT_CURRENT));                                                             \
        }                                                                                              \
        REQUIRE(x[0] == 0 && x[2] == 0 && x[1] == (me == n ? -99 : 0));                                \
        DO(xmprt_free(x));                                                                             \
    }

OPERATIONS(int32_t, 32)
OPERATIONS(int64_t, 64)

/* Tickets of one counter: each number is drawn once. */
static void tickets(void)
{
    enum { EACH = 200 };
    int64_t *counter, ticket, last = -1, sum = 0;
    int32_t *locks, spent = 0;
    DO(xmprt_allocate(sizeof *counter, (void **)&counter));
    DO(xmprt_allocate(sizeof *locks, (void **)&locks));
    for (int k = 0; k < EACH; k++) {
        DO(xmprt_atomic_add64(XMPRT_CURRENT, 1, counter, 1, &ticket));
        REQUIRE(ticket > last);
        last = ticket;
        sum += ticket;
        /* A spin lock of the program's own. */
        int32_t held;
        do
            DO(xmprt_atomic_compare_swap32(XMPRT_CURRENT, n, locks, 0, me, &held));
        while (held != 0);
        spent++;
        DO(xmprt_atomic_store32(XMPRT_CURRENT, n, locks, 0));
    }
    REQUIRE(spent == EACH);
    DO(xmprt_co_sum(XMPRT_CURRENT, &sum, 1, XMPRT_INT64, XMPRT_ALL));
    REQUIRE(sum == (int64_t)n * EACH * (n * EACH - 1) / 2);
    DO(xmprt_free(counter));
    DO(xmprt_free(locks));
}

/* Variables of a team, by indices of it. */
static void of_a_team(void)
{
    xmprt_team half;
    DO(xmprt_form_team(me % 2 + 1, 0, &half));
    int64_t *all, *mine, value;
    DO(xmprt_allocate(sizeof *all, (void **)&all));
    DO(xmprt_atomic_add64(half, 1, all, 1, NULL));
    DO(xmprt_change_team(half));
    int images = xmprt_num_images(XMPRT_CURRENT);
    DO(xmprt_allocate(sizeof *mine, (void **)&mine));
    for (int k = 1; k <= images; k++) {
        DO(xmprt_atomic_add64(XMPRT_CURRENT, k, mine, k, NULL));
        DO(xmprt_atomic_add64(XMPRT_INITIAL, 2 * k - me % 2, mine, k, NULL));
    }
    DO(xmprt_sync(XMPRT_CURRENT));
    int own = xmprt_this_image(XMPRT_CURRENT);
    DO(xmprt_atomic_load64(XMPRT_CURRENT, own, mine, &value));
    REQUIRE(value == 2 * own * images);
    DO(xmprt_atomic_load64(XMPRT_CURRENT, 1, all, &value));
    REQUIRE(value == images);
    for (int k = 1; k <= n; k++)
        if (k % 2 != me % 2)
            REFUSED(xmprt_atomic_load64(XMPRT_INITIAL, k, mine, &value), XMPRT_BAD_ARGUMENT, "does not have this memory");
    DO(xmprt_end_team());
    REFUSED(xmprt_atomic_load64(XMPRT_CURRENT, me, mine, &value), XMPRT_BAD_ARGUMENT, "not in memory that images share");
    DO(xmprt_free(all));
}

/* What was freed is refused, and what is allocated in its place is not. */
static void freed(void)
{
    int64_t *x, value;
    for (int k = 0; k < 20; k++) {
        DO(xmprt_allocate(sizeof *x * (k % 6), (void **)&x));
        for (int again = 0; again < 2; again++) {
            if (k % 6 > 0)
                DO(xmprt_atomic_add64(XMPRT_CURRENT, n, &x[k % 6 - 1], 1, NULL));
            REFUSED(xmprt_atomic_add64(XMPRT_CURRENT, n, &x[k % 6], 1, NULL), XMPRT_BAD_ARGUMENT,
                    k % 6 ? "not in memory that images share" : "bytes 0 to 7 are not within the block of 0 bytes");
        }
        DO(xmprt_sync(XMPRT_CURRENT));
        DO(xmprt_free(x));
        REFUSED(xmprt_atomic_load64(XMPRT_CURRENT, me, x, &value), XMPRT_BAD_ARGUMENT, "not in memory that images share");
    }
}

static void bad_arguments(void)
{
    int64_t *x, here = 5, old = 7;
    int32_t *y, old32 = 7;
    DO(xmprt_allocate(64, (void **)&x));
    DO(xmprt_allocate(64, (void **)&y));
    /* Twice, because the second time the memory was accessed before. */
    for (int k = 0; k < 2; k++) {
        REFUSED(xmprt_atomic_add64(XMPRT_CURRENT, 0, x, 1, &old), XMPRT_BAD_ARGUMENT, "xmprt_atomic_add64: image index 0");
        REFUSED(xmprt_atomic_swap64(XMPRT_CURRENT, n + 1, x, 1, &old), XMPRT_BAD_ARGUMENT, "not in 1:");
        REFUSED(xmprt_atomic_swap64(XMPRT_INITIAL, -1, x, 1, &old), XMPRT_BAD_ARGUMENT, "image index -1");
        REFUSED(xmprt_atomic_and64(XMPRT_TEAM(9), 1, x, 1, &old), XMPRT_BAD_ARGUMENT, "xmprt_atomic_and64: 0x9 is not a team");
        REFUSED(xmprt_atomic_or64(XMPRT_CURRENT, 1, &here, 1, &old), XMPRT_BAD_ARGUMENT, "not in memory that images share");
        REFUSED(xmprt_atomic_xor64(XMPRT_CURRENT, 1, NULL, 1, &old), XMPRT_BAD_ARGUMENT, "not in memory that images share");
        REFUSED(xmprt_atomic_store64(XMPRT_CURRENT, 1, (int64_t *)(y + 16), 1), XMPRT_BAD_ARGUMENT, "0) is not in memory that images share");
        REFUSED(xmprt_atomic_load64(XMPRT_CURRENT, 1, x, NULL), XMPRT_BAD_ARGUMENT, "value is a null pointer");
        REFUSED(xmprt_atomic_load32(XMPRT_CURRENT, 1, y, NULL), XMPRT_BAD_ARGUMENT, "value is a null pointer");
        int64_t *between = (int64_t *)((char *)x + 4);
        REFUSED(xmprt_atomic_compare_swap64(XMPRT_CURRENT, 1, between, 1, 2, &old), XMPRT_BAD_ARGUMENT, "not aligned to 8 bytes");
        int32_t *odd = (int32_t *)((char *)y + 2);
        REFUSED(xmprt_atomic_add32(XMPRT_CURRENT, 1, odd, 1, &old32), XMPRT_BAD_ARGUMENT, "not aligned to 4 bytes");
        REFUSED(xmprt_atomic_load32(XMPRT_CURRENT, n + 1, y, &old32), XMPRT_BAD_ARGUMENT, "not in 1:");
        REFUSED(xmprt_atomic_compare_swap32(XMPRT_CURRENT, 0, y, 1, 2, &old32), XMPRT_BAD_ARGUMENT, "image index 0");
        REFUSED(xmprt_atomic_store32(XMPRT_CURRENT, 0, y, 1), XMPRT_BAD_ARGUMENT, "image index 0");
        REFUSED(xmprt_atomic_swap32(XMPRT_INITIAL, n + 1, y, 1, &old32), XMPRT_BAD_ARGUMENT, "not in 1:");
        REFUSED(xmprt_atomic_and32(XMPRT_TEAM(9), 1, y, 1, &old32), XMPRT_BAD_ARGUMENT, "xmprt_atomic_and32: 0x9 is not a team");
        REFUSED(xmprt_atomic_or32(XMPRT_CURRENT, 1, &old32, 1, &old32), XMPRT_BAD_ARGUMENT, "not in memory that images share");
        REFUSED(xmprt_atomic_xor32(XMPRT_CURRENT, 1, NULL, 1, &old32), XMPRT_BAD_ARGUMENT, "not in memory that images share");
        DO(xmprt_atomic_add64(XMPRT_CURRENT, me, x, 1, NULL));
        DO(xmprt_atomic_add32(XMPRT_CURRENT, me, y, 1, NULL));
    }
    REQUIRE(old == 7 && old32 == 7 && here == 5 && x[0] == 2 && x[1] == 0 && y[0] == 2 && y[1] == 0);
    DO(xmprt_free(x));
    DO(xmprt_free(y));
}

int main(void)
{
    me = xmprt_this_image(XMPRT_CURRENT);
    n = xmprt_num_images(XMPRT_CURRENT);
    operations32();
    operations64();
    tickets();
    of_a_team();
    freed();
    bad_arguments();
    return 0;
}
