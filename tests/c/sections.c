/* Copies beside contiguous ones: strided and indexed, in the background, and by the address of another image's memory. */
#include "check.h"
#include <stdlib.h>

enum { ROWS = 12, COLUMNS = 10 };

static int me, n, left, right;
static int (*a)[COLUMNS];

static void clear(void)
{
    DO(xmprt_sync(XMPRT_CURRENT));
    memset(a, 0, sizeof(int[ROWS][COLUMNS]));
    DO(xmprt_sync(XMPRT_CURRENT));
}

/* A column, and every other element of a block in the opposite order. */
static void strided(void)
{
    int column[ROWS], back[6][3];
    const size_t rows = ROWS, block[] = {6, 3};
    const ptrdiff_t along = sizeof(int[COLUMNS]), next = sizeof(int);
    for (int k = 0; k < ROWS; k++)
        column[k] = 100 * me + k;
    DO(xmprt_put_strided(XMPRT_CURRENT, right, &a[0][4], &along, column, &next, &rows, 1, sizeof(int)));
    DO(xmprt_sync(XMPRT_CURRENT));
    for (int k = 0; k < ROWS; k++)
        REQUIRE(a[k][4] == 100 * left + k && a[k][3] == 0 && a[k][5] == 0);
    const ptrdiff_t there[] = {-2 * along, 2 * next}, here[] = {3 * next, next};
    clear();
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            a[i][j] = 1000 * me + 10 * i + j;
    DO(xmprt_sync(XMPRT_CURRENT));
    DO(xmprt_get_strided(XMPRT_INITIAL, left, back, here, &a[ROWS - 1][2], there, block, 2, sizeof(int)));
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 3; j++)
            REQUIRE(back[i][j] == 1000 * left + 10 * (ROWS - 1 - 2 * i) + 2 + 2 * j);
    /* One element; none; a number for many. */
    int one = -me;
    DO(xmprt_sync(XMPRT_CURRENT));
    DO(xmprt_put_strided(XMPRT_CURRENT, right, &a[3][3], NULL, &one, NULL, NULL, 0, sizeof one));
    const size_t none[] = {0, 3};
    DO(xmprt_put_strided(XMPRT_CURRENT, right, &a[0][0], there, NULL, here, none, 2, sizeof one));
    const ptrdiff_t same = 0;
    DO(xmprt_put_strided(XMPRT_CURRENT, right, &a[0][9], &along, &one, &same, &rows, 1, sizeof one));
    DO(xmprt_sync(XMPRT_CURRENT));
    REQUIRE(a[3][3] == -left && a[0][0] == 1000 * me);
    for (int k = 0; k < ROWS; k++)
        REQUIRE(a[k][9] == -left && a[k][8] == 1000 * me + 10 * k + 8);
    clear();
}

static void indexed(void)
{
    const ptrdiff_t offsets[] = {4 * sizeof(int), 0, 97 * sizeof(int), 13 * sizeof(int)};
    int values[] = {me, 2 * me, 3 * me, 4 * me}, got[4];
    DO(xmprt_put_indexed(XMPRT_CURRENT, right, a, offsets, values, 4, sizeof(int)));
    DO(xmprt_sync(XMPRT_CURRENT));
    REQUIRE(a[0][4] == left && a[0][0] == 2 * left && a[9][7] == 3 * left && a[1][3] == 4 * left && a[0][1] == 0);
    DO(xmprt_get_indexed(XMPRT_INITIAL, left, got, a, offsets, 4, sizeof(int)));
    int before = (left + n - 2) % n + 1;
    for (int k = 0; k < 4; k++)
        REQUIRE(got[k] == (k + 1) * before);
    DO(xmprt_put_indexed(XMPRT_CURRENT, right, a, NULL, NULL, 0, sizeof(int)));
    clear();
}

static void in_the_background(void)
{
    static int many[20000];
    int (*big)[20000];
    DO(xmprt_allocate(2 * sizeof *big, (void **)&big));
    for (int round = 1; round <= 20; round++) {
        xmprt_request requests[4] = {{0}, {0}, {0}, {0}};
        int small = 7 * me + round, got = 0, complete = 0;
        for (int k = 0; k < 20000; k++)
            many[k] = me + round + k;
        DO(xmprt_begin_put(XMPRT_CURRENT, right, big[0], many, sizeof many, &requests[0]));
        DO(xmprt_begin_put(XMPRT_CURRENT, left, &big[1][5], &small, sizeof small, &requests[1]));
        /* Both may be changed at once. */
        many[0] = many[19999] = small = -1;
        DO(xmprt_begin_get(XMPRT_CURRENT, me, &got, &big[1][4], sizeof got, &requests[2]));
        REQUIRE(requests[2].id == 0 && got == round - 1);
        while (!complete)
            DO(xmprt_test(&requests[1], &complete));
        REQUIRE(requests[1].id == 0);
        DO(xmprt_wait_all(requests, 4));
        REQUIRE(requests[0].id == 0);
        /* The put is there: an atomic operation of this image tells the other one. */
        DO(xmprt_atomic_add32(XMPRT_CURRENT, right, &big[1][7], 1, NULL));
        DO(xmprt_wait_until32(&big[1][7], XMPRT_EQUAL, round));
        DO(xmprt_sync(XMPRT_CURRENT));
        for (int k = 0; k < 20000; k++)
            REQUIRE(big[0][k] == left + round + k);
        REQUIRE(big[1][5] == 7 * right + round);
        big[1][4] = round;
        DO(xmprt_sync(XMPRT_CURRENT));
    }
    DO(xmprt_free(big));
}

static void by_address(void)
{
    int on_this_host = 0;
    a[0][0] = me;
    DO(xmprt_sync(XMPRT_CURRENT));
    REQUIRE(xmprt_address(XMPRT_CURRENT, me, &a[2][1]) == &a[2][1]);
    REQUIRE(xmprt_num_hosts() >= 1 && xmprt_num_hosts() <= n);
    for (int k = 1; k <= n; k++) {
        int *there = xmprt_address(XMPRT_CURRENT, k, &a[0][0]);
        int here = xmprt_host_of(XMPRT_CURRENT, k) == xmprt_host_of(XMPRT_INITIAL, me);
        REQUIRE((there != NULL) == here);
        on_this_host += here;
        if (here)
            REQUIRE(*there == k);
    }
    REQUIRE(on_this_host >= 1);
    REQUIRE(xmprt_host_of(XMPRT_CURRENT, n + 1) == 0 && strstr(xmprt_message(), "not in 1:") != NULL);
    REQUIRE(xmprt_host_of(XMPRT_CURRENT, n) == xmprt_num_hosts());
    clear();
}

static void bad_arguments(void)
{
    const size_t extents[] = {2, 2};
    const ptrdiff_t strides[] = {8, 4}, far[] = {1 << 30, 4};
    int x = 5, y[4] = {1, 2, 3, 4}, complete = 7;
    xmprt_request request = {3};
#define STRIDED(image, to, to_strides, from, from_strides, extents, ndims, size) \
    xmprt_put_strided(XMPRT_CURRENT, image, to, to_strides, from, from_strides, extents, ndims, size)
    REFUSED(STRIDED(0, a, strides, y, strides, extents, 2, 4), XMPRT_BAD_ARGUMENT, "xmprt_put_strided: image index 0");
    REFUSED(STRIDED(1, a, NULL, y, strides, extents, 2, 4), XMPRT_BAD_ARGUMENT, "to_strides is a null pointer");
    REFUSED(STRIDED(1, a, strides, y, NULL, extents, 2, 4), XMPRT_BAD_ARGUMENT, "from_strides is a null pointer");
    REFUSED(STRIDED(1, a, strides, y, strides, NULL, 2, 4), XMPRT_BAD_ARGUMENT, "extents is a null pointer");
    REFUSED(STRIDED(1, a, strides, NULL, strides, extents, 2, 4), XMPRT_BAD_ARGUMENT, "from is a null pointer");
    REFUSED(STRIDED(1, y, strides, y, strides, extents, 2, 4), XMPRT_BAD_ARGUMENT, "not in memory that images share");
    REFUSED(STRIDED(1, a, far, y, strides, extents, 2, 4), XMPRT_BAD_ARGUMENT,
            "element [1][1] (offset 1073741828) is not within the block");
    const ptrdiff_t back[] = {-8, 4};
    REFUSED(xmprt_get_strided(XMPRT_CURRENT, 1, y, strides, a, back, extents, 2, 4), XMPRT_BAD_ARGUMENT,
            "element [1][0] (offset -8) is not within the block");
    REFUSED(STRIDED(1, a, strides, y, strides, extents, 16, 4), XMPRT_BAD_ARGUMENT, "ndims is 16");
    REFUSED(STRIDED(1, a, strides, y, strides, extents, -1, 4), XMPRT_BAD_ARGUMENT, "ndims is -1");
    const ptrdiff_t same[] = {0, 4};
    REFUSED(STRIDED(1, a, same, y, strides, extents, 2, 4), XMPRT_BAD_ARGUMENT, "xmprt_put_strided");
    REFUSED(xmprt_get_strided(XMPRT_CURRENT, n + 1, y, strides, a, strides, extents, 2, 4), XMPRT_BAD_ARGUMENT, "not in 1:");
    REFUSED(xmprt_get_strided(XMPRT_CURRENT, 1, NULL, strides, a, strides, extents, 2, 4), XMPRT_BAD_ARGUMENT, "to is a null pointer");
    REFUSED(xmprt_get_strided(XMPRT_TEAM(4), 1, y, strides, a, strides, extents, 2, 4), XMPRT_BAD_ARGUMENT, "is not a team");
    REFUSED(xmprt_put_indexed(XMPRT_CURRENT, 1, a, NULL, y, 2, 4), XMPRT_BAD_ARGUMENT, "offsets is a null pointer");
    REFUSED(xmprt_put_indexed(XMPRT_CURRENT, 1, a, far, y, 2, 4), XMPRT_BAD_ARGUMENT,
            "element 0 (offset 1073741824) is not within the block");
    REFUSED(xmprt_put_indexed(XMPRT_CURRENT, 1, a, strides, NULL, 2, 4), XMPRT_BAD_ARGUMENT, "from is a null pointer");
    const ptrdiff_t twice[] = {4, 4};
    REFUSED(xmprt_put_indexed(XMPRT_CURRENT, 1, a, twice, y, 2, 4), XMPRT_BAD_ARGUMENT, "xmprt_put_indexed");
    /* Elements that overlap are found with XMP_CHECK=1. */
    const char *checks = getenv("XMP_CHECK");
    const ptrdiff_t several_twice[] = {8, 0, 8}, halves[] = {0, 2};
    if (checks && strcmp(checks, "1") == 0) {
        REFUSED(xmprt_put_indexed(XMPRT_CURRENT, 1, a, several_twice, y, 3, 4), XMPRT_BAD_ARGUMENT, "offsets 8 and 8, where they overlap");
        REFUSED(xmprt_put_indexed(XMPRT_CURRENT, 1, a, halves, y, 2, 4), XMPRT_BAD_ARGUMENT, "offsets 0 and 2");
        DO(xmprt_get_indexed(XMPRT_CURRENT, 1, &x, a, halves, 1, 4));
        REQUIRE(x == 0);
        x = 5;
    }
    REFUSED(xmprt_get_indexed(XMPRT_CURRENT, 0, y, a, strides, 2, 4), XMPRT_BAD_ARGUMENT, "image index 0");
    REFUSED(xmprt_get_indexed(XMPRT_CURRENT, 1, NULL, a, strides, 2, 4), XMPRT_BAD_ARGUMENT, "to is a null pointer");
    REFUSED(xmprt_begin_put(XMPRT_CURRENT, 1, a, &x, 4, NULL), XMPRT_BAD_ARGUMENT, "xmprt_begin_put: request is a null pointer");
    REFUSED(xmprt_begin_put(XMPRT_CURRENT, 0, a, &x, 4, &request), XMPRT_BAD_ARGUMENT, "xmprt_begin_put: image index 0");
    REFUSED(xmprt_begin_put(XMPRT_CURRENT, 1, a, NULL, 4, &request), XMPRT_BAD_ARGUMENT, "from is a null pointer");
    REFUSED(xmprt_begin_get(XMPRT_CURRENT, 1, &x, a, 4, NULL), XMPRT_BAD_ARGUMENT, "xmprt_begin_get: request is a null pointer");
    REFUSED(xmprt_begin_get(XMPRT_CURRENT, 1, &x, &x, 4, &request), XMPRT_BAD_ARGUMENT, "not in memory that images share");
    REFUSED(xmprt_wait_all(NULL, 1), XMPRT_BAD_ARGUMENT, "xmprt_wait_all: requests is a null pointer");
    DO(xmprt_wait_all(NULL, 0));
    xmprt_request several[] = {{0}, {5}, {0}};
    REFUSED(xmprt_wait_all(several, 3), XMPRT_BAD_ARGUMENT, "0x5 is not a request");
    several[0].id = (int64_t)0x7ea4 << 48 | 1000000;
    REFUSED(xmprt_test(several, &complete), XMPRT_BAD_ARGUMENT, "is not a request");
    REQUIRE(xmprt_address(XMPRT_CURRENT, 0, a) == NULL && strstr(xmprt_message(), "xmprt_address: image index 0") != NULL);
    REQUIRE(xmprt_address(XMPRT_CURRENT, 1, &x) == NULL && strstr(xmprt_message(), "not in memory that images share") != NULL);
    REQUIRE(request.id == 3 && x == 5 && y[0] == 1 && y[3] == 4 && complete == 7);
    DO(xmprt_sync(XMPRT_CURRENT));
    for (int k = 0; k < ROWS * COLUMNS; k++)
        REQUIRE(a[0][k] == 0);
    DO(xmprt_sync_memory());
}

int main(void)
{
    me = xmprt_this_image(XMPRT_CURRENT);
    n = xmprt_num_images(XMPRT_CURRENT);
    left = (me + n - 2) % n + 1, right = me % n + 1;
    DO(xmprt_allocate(sizeof(int[ROWS][COLUMNS]), (void **)&a));
    strided();
    indexed();
    in_the_background();
    by_address();
    bad_arguments();
    DO(xmprt_free(a));
    return 0;
}
