/* Memory that images share: of all and of teams, with copies between them. */
#include "check.h"

static int me, n;

static void ring(void)
{
    int right = me % n + 1, left = (me + n - 2) % n + 1;
    long *a;
    DO(xmprt_allocate(100 * sizeof *a, (void **)&a));
    for (int k = 0; k < 100; k++)
        REQUIRE(a[k] == 0);
    a[0] = me;
    DO(xmprt_sync(XMPRT_CURRENT));
    long values[2] = {10 * me, 11 * me}, got = 0;
    DO(xmprt_put(XMPRT_CURRENT, right, &a[98], values, sizeof values));
    DO(xmprt_get(XMPRT_CURRENT, left, &got, &a[0], sizeof got));
    REQUIRE(got == left);
    if (n > 1) {
        int both[2] = {left, right};
        DO(xmprt_sync_images(XMPRT_CURRENT, both, left == right ? 1 : 2));
    }
    REQUIRE(a[98] == 10 * left && a[99] == 11 * left && a[97] == 0);
    DO(xmprt_sync_images(XMPRT_CURRENT, NULL, 0));
    /* From one place of a block to another, on this image. */
    DO(xmprt_put(XMPRT_CURRENT, me, &a[1], &a[0], 8));
    REQUIRE(a[1] == me);
    DO(xmprt_free(a));
}

static void of_a_team(void)
{
    int number = me % 2 + 1, other = 3 - number;
    int *all, *mine;
    DO(xmprt_allocate(sizeof *all, (void **)&all));
    *all = 100 + me;
    DO(xmprt_sync(XMPRT_CURRENT));
    xmprt_team half;
    DO(xmprt_form_team(number, 0, &half));
    DO(xmprt_change_team(half));
    int images = xmprt_num_images(XMPRT_CURRENT);
    /* The teams need not make the same. */
    DO(xmprt_allocate(4096 * number, (void **)&mine));
    *mine = me;
    DO(xmprt_sync(XMPRT_CURRENT));
    for (int k = 1; k <= images; k++) {
        int got;
        DO(xmprt_get(XMPRT_CURRENT, k, &got, mine, sizeof got));
        REQUIRE(got == 2 * k - me % 2);
        DO(xmprt_get(XMPRT_INITIAL, 2 * k - me % 2, &got, mine, sizeof got));
        REQUIRE(got == 2 * k - me % 2);
    }
    for (int k = 1; k <= n; k++) {
        int got;
        DO(xmprt_get(XMPRT_INITIAL, k, &got, all, sizeof got));
        REQUIRE(got == 100 + k);
        if (k % 2 != me % 2) {
            REFUSED(xmprt_get(XMPRT_PARENT, k, &got, mine, 4), XMPRT_BAD_ARGUMENT, "does not have this memory");
            REFUSED(xmprt_sibling_put(other, 1, mine, &got, 4), XMPRT_BAD_ARGUMENT, "does not have this memory");
        }
    }
    REFUSED(xmprt_get(XMPRT_CURRENT, 1, &images, mine, 4096 * number + 1), XMPRT_BAD_ARGUMENT,
            number == 1 ? "on image 1 of the current team (number 1)" : "on image 1 of the current team (number 2)");
    if (n > 1) {
        int got;
        DO(xmprt_sibling_get(other, 1, &got, all, sizeof got));
        REQUIRE(got == 100 + (other == 2 ? 1 : 2));
        REFUSED(xmprt_sibling_get(other, n + 1, &got, all, 4), XMPRT_BAD_ARGUMENT, "not in 1:");
        REFUSED(xmprt_sibling_get(other, n + 1, &got, all, 4), XMPRT_BAD_ARGUMENT,
                other == 2 ? "the images of the sibling team (number 2)" : "the images of the sibling team (number 1)");
    }
    int got;
    REFUSED(xmprt_sibling_get(5, 1, &got, all, 4), XMPRT_BAD_ARGUMENT, "not formed together");
    REFUSED(xmprt_free(all), XMPRT_BAD_ARGUMENT, "cannot be freed in team");
    DO(xmprt_end_team());
    REFUSED(xmprt_get(XMPRT_CURRENT, me, &got, mine, 4), XMPRT_BAD_ARGUMENT, "not in memory that images share");
    REFUSED(xmprt_free(mine), XMPRT_BAD_ARGUMENT, "not the start of a block");
    DO(xmprt_free(all));
}

static void where(void)
{
    char *block, here = 1;
    DO(xmprt_allocate(100, (void **)&block));
    REQUIRE(xmprt_is_shared(block, 100) == 1 && xmprt_is_shared(block + 99, 1) == 1 && xmprt_is_shared(block, 0) == 1);
    REQUIRE(xmprt_is_shared(block + 99, 2) == 0 && xmprt_is_shared(block, SIZE_MAX) == 0);
    REQUIRE(xmprt_is_shared(&here, 1) == 0 && xmprt_is_shared(NULL, 0) == 0);
    DO(xmprt_free(block));
    REQUIRE(xmprt_is_shared(block, 1) == 0);
}

static void bad_arguments(void)
{
    char *block, here = 1;
    REFUSED(xmprt_allocate(8, NULL), XMPRT_BAD_ARGUMENT, "block is a null pointer");
    void *none = &here;
    REFUSED(xmprt_allocate((size_t)1 << 60, &none), XMPRT_NO_MEMORY, "out of memory");
    REQUIRE(none == &here);
    if (n > 1) {
        REFUSED(xmprt_allocate(64 * me, &none), XMPRT_BAD_ARGUMENT, "image 1 allocates 64 bytes, image 2 128 bytes");
        int twice[2] = {1, 1}, far = n + 1;
        REFUSED(xmprt_sync_images(XMPRT_CURRENT, twice, 2), XMPRT_BAD_ARGUMENT, "more than once");
        REFUSED(xmprt_sync_images(XMPRT_CURRENT, &far, 1), XMPRT_BAD_ARGUMENT, "not in 1:");
        REFUSED(xmprt_sync_images(XMPRT_CURRENT, NULL, 1), XMPRT_BAD_ARGUMENT, "null pointer");
    }
    DO(xmprt_allocate(64, (void **)&block));
    REFUSED(xmprt_put(XMPRT_CURRENT, 0, block, &here, 1), XMPRT_BAD_ARGUMENT, "xmprt_put: image index 0");
    REFUSED(xmprt_put(XMPRT_CURRENT, n + 1, block, &here, 1), XMPRT_BAD_ARGUMENT, "not in 1:");
    REFUSED(xmprt_put((xmprt_team){7}, 1, block, &here, 1), XMPRT_BAD_ARGUMENT, "not a team");
    REFUSED(xmprt_put(XMPRT_CURRENT, 1, &here, &here, 1), XMPRT_BAD_ARGUMENT, "not in memory that images share");
    REFUSED(xmprt_put(XMPRT_CURRENT, 1, block + 60, &here, 5), XMPRT_BAD_ARGUMENT,
            "bytes 60 to 64 are not within the block of 64 bytes into which to points, on image 1");
    REFUSED(xmprt_put(XMPRT_CURRENT, 1, block, &here, SIZE_MAX), XMPRT_BAD_ARGUMENT, "not within");
    REFUSED(xmprt_put(XMPRT_CURRENT, 1, block, NULL, 1), XMPRT_BAD_ARGUMENT, "from is a null pointer");
    REFUSED(xmprt_get(XMPRT_CURRENT, 1, NULL, block, 1), XMPRT_BAD_ARGUMENT, "to is a null pointer");
    REFUSED(xmprt_get(XMPRT_CURRENT, 1, &here, NULL, 1), XMPRT_BAD_ARGUMENT,
            "from is a null pointer, which is not in memory that images share");
    REFUSED(xmprt_get(XMPRT_CURRENT, 1, &here, &here, 1), XMPRT_BAD_ARGUMENT,
            "not in memory that images share: pass this image's own address within a block of xmprt_allocate or a coarray");
    char *there = xmprt_address(XMPRT_CURRENT, me % n + 1, block);
    if (n > 1 && there != NULL) {
        char words[60];
        snprintf(words, sizeof words, "is in the memory of image %d: pass", me % n + 1);
        REFUSED(xmprt_put(XMPRT_CURRENT, me % n + 1, there, &here, 1), XMPRT_BAD_ARGUMENT, words);
    }
    REQUIRE(here == 1 && block[0] == 0 && block[60] == 0);
    REFUSED(xmprt_free(block + 1), XMPRT_BAD_ARGUMENT, "not the start of a block");
    DO(xmprt_free(NULL));
    REFUSED(xmprt_free(&here), XMPRT_BAD_ARGUMENT, "not the start of a block");
    DO(xmprt_sync(XMPRT_CURRENT));
    DO(xmprt_free(block));
    REFUSED(xmprt_free(block), XMPRT_BAD_ARGUMENT, "not the start of a block");
}

/* The last part of a loop may be empty: at the end of the block, or nowhere. */
static void nothing_to_copy(void)
{
    int here[2] = {7, 8}, *block;
    int64_t *signal;
    const ptrdiff_t stride = 4;
    const size_t none = 0;
    DO(xmprt_allocate(64, (void **)&block));
    DO(xmprt_allocate(sizeof *signal, (void **)&signal));
    for (int k = 0; k < 2; k++) {
        xmprt_request request = {3};
        int *at = k ? block + 16 : NULL, *mine = k ? here : NULL;
        DO(xmprt_put(XMPRT_CURRENT, n, at, mine, 0));
        DO(xmprt_get(XMPRT_CURRENT, n, mine, at, 0));
        DO(xmprt_begin_put(XMPRT_CURRENT, n, at, mine, 0, &request));
        DO(xmprt_wait(&request));
        DO(xmprt_put_strided(XMPRT_CURRENT, n, at, &stride, mine, &stride, &none, 1, 4));
        DO(xmprt_get_strided(XMPRT_CURRENT, n, mine, &stride, at, &stride, &none, 1, 4));
        DO(xmprt_put_indexed(XMPRT_CURRENT, n, at, NULL, mine, 0, 4));
        DO(xmprt_put_signal(XMPRT_CURRENT, me, at, mine, 0, signal, XMPRT_SIGNAL_ADD, 1));
        DO(xmprt_wait_until64(signal, XMPRT_EQUAL, k + 1));
        REFUSED(xmprt_put(XMPRT_CURRENT, n + 1, at, mine, 0), XMPRT_BAD_ARGUMENT, "not in 1:");
        REFUSED(xmprt_put(XMPRT_TEAM(9), 1, at, mine, 0), XMPRT_BAD_ARGUMENT, "is not a team");
    }
    REQUIRE(here[0] == 7 && block[15] == 0);
    /* What begins in a block ends in it. */
    REFUSED(xmprt_put(XMPRT_CURRENT, n, block + 15, here, 8), XMPRT_BAD_ARGUMENT, "bytes 60 to 67");
    DO(xmprt_free(signal));
    DO(xmprt_free(block));
}

int main(void)
{
    me = xmprt_this_image(XMPRT_CURRENT);
    n = xmprt_num_images(XMPRT_CURRENT);
    for (int k = 0; k < 50; k++) {
        ring();
        of_a_team();
    }
    where();
    bad_arguments();
    nothing_to_copy();
    return 0;
}
