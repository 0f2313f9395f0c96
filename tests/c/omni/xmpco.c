/* The object interface XMPCO_*: static coarrays, procedures with coarrays, put and get of sections, registered memory. */
#include "check.h"
#include <xmpco.h>

enum { ROWS = 4, COLS = 6 };

static void init(void) {}
static void finalize(void) {}

static int me, images, next, before;

static CoarrayInfo_t *grid, *flag;
static double (*g)[ROWS];
static int *f;

static void statics(void)
{
    static const char *const names[] = {"grid", "flag"};
    XMPCO_count_size(ROWS * COLS, sizeof(double));
    XMPCO_count_size(1, sizeof(int));
    XMPCO_malloc_pool();
    grid = XMPCO_malloc_staticCoarray((char **)&g, ROWS * COLS, sizeof(double), 4, names[0]);
    flag = XMPCO_malloc_staticCoarray((char **)&f, 1, sizeof(int), 4, names[1]);
    _XMPCO_set_corank(grid, 2);
    _XMPCO_set_codim_withSize(grid, 0, 1, 2);
    _XMPCO_set_codim_withBounds(grid, 1, 0, 0);
    XMPCO_sync_all_auto();
    REQUIRE(xmp_coarray_allocated_bytes() == ROWS * COLS * sizeof(double) + sizeof(int));
}

static void transfers(void)
{
    double local[COLS][ROWS], line[COLS], value = 1000 + me;
    int skip[2] = {sizeof(double), ROWS * sizeof(double)}, count[2] = {ROWS, COLS}, every[1] = {2 * sizeof(double)};
    int row[1] = {ROWS * sizeof(double)}, one[1] = {COLS}, two[1] = {2}, sub[2], i, j, got;
    for (j = 0; j < COLS; j++)
        for (i = 0; i < ROWS; i++) {
            local[j][i] = 100 * me + 10 * i + j;
            g[j][i] = -1;
        }
    XMPCO_sync_all();
    XMPCO_PUT_arrayStmt(grid, (char *)g, sizeof(double), next, (char *)local, 2, skip, skip, count, 0);
    XMPCO_sync_all();
    for (j = 0; j < COLS; j++)
        for (i = 0; i < ROWS; i++) REQUIRE(g[j][i] == 100 * before + 10 * i + j);
    XMPCO_sync_all();
    XMPCO_PUT_scalarStmt(grid, (char *)&g[2][3], sizeof(double), next, (char *)&value, 1);
    XMPCO_PUT_spread(grid, (char *)&g[5][0], sizeof(double), next, (char *)&value, 1, every, two, 0);
    XMPCO_sync_all();
    REQUIRE(g[2][3] == 1000 + before && g[5][0] == 1000 + before && g[5][2] == 1000 + before);
    REQUIRE(g[5][1] == 100 * before + 10 + 5);
    value = 0;
    XMPCO_GET_scalarExpr(grid, (char *)&g[2][3], sizeof(double), next, (char *)&value);
    REQUIRE(value == 1000 + me);
    XMPCO_GET_arrayExpr(grid, (char *)&g[0][1], sizeof(double), next, (char *)line, 1, row, one);
    for (j = 0; j < COLS; j++) REQUIRE(line[j] == (100 * me + 10 + j));
    memset(line, 0, sizeof line);
    XMPCO_GET_arrayStmt(grid, (char *)&g[0][1], sizeof(double), next, (char *)line, 1, row, every, two);
    REQUIRE(line[0] == 100 * me + 10 && line[1] == 0 && line[2] == 100 * me + 11 && line[3] == 0);
    XMPCO_sync_all();
    /* Complete, and atomic. */
    *f = 0;
    XMPCO_sync_all();
    XMPCO_PUT_scalarStmt(flag, (char *)f, sizeof(int), next, (char *)&me, 1);
    XMPCO_sync_all();
    XMPCO_GET_scalarExpr(flag, (char *)f, sizeof(int), me, (char *)&got);
    REQUIRE(got == before);
    XMPCO_this_image_coarray(grid, 2, sub);
    REQUIRE(sub[0] == (me - 1) % 2 + 1 && sub[1] == (me - 1) / 2);
    REQUIRE(XMPCO_this_image_coarray_dim(grid, 2, 2) == sub[1]);
    XMPCO_sync_all();
}

/* Allocates three; frees the first. The others are freed by the epilog. */
static void procedure(int depth)
{
    ResourceSet_t *set = NULL;
    CoarrayInfo_t *c[3], *found;
    char *a[3];
    int k, got;
    size_t at_start = xmp_coarray_allocated_bytes();
    XMPCO_prolog(&set, 9, "procedure");
    REQUIRE(set != NULL);
    for (k = 0; k < 3; k++) {
        c[k] = XMPCO_malloc_coarray(&a[k], 100 * (k + 1), sizeof(int), set);
        _XMPCO_set_varname(c[k], 1, "a");
        ((int *)a[k])[7] = 10 * me + k;
    }
    if (depth > 1) procedure(depth - 1);
    XMPCO_sync_all();
    for (k = 0; k < 3; k++) {
        XMPCO_GET_scalarExpr(c[k], a[k] + 7 * sizeof(int), sizeof(int), next, (char *)&got);
        REQUIRE(got == 10 * next + k);
    }
    found = XMPCO_find_descptr(a[1] + 50, 1, "d");
    REQUIRE(found != NULL);
    XMPCO_GET_scalarExpr(found, a[1] + 7 * sizeof(int), sizeof(int), next, (char *)&got);
    REQUIRE(got == 10 * next + 1);
    XMPCO_free_coarray(c[0]);
    REQUIRE(xmp_coarray_garbage_bytes() == 400);
    REQUIRE(XMPCO_find_descptr(a[0], 1, "d") == NULL);
    XMPCO_epilog(&set);
    REQUIRE(set == NULL);
    REQUIRE(xmp_coarray_allocated_bytes() == at_start && xmp_coarray_garbage_bytes() == 0);
}

static void registered(void)
{
    static long fixed[5];
    CoarrayInfo_t *of_fixed = XMPCO_regmem_staticCoarray(fixed, 5, sizeof(long), 5, "fixed"), *of_block;
    int *block, k;
    long got;
    for (k = 0; k < 5; k++) fixed[k] = 10 * me + k;
    XMPCO_sync_all();
    XMPCO_GET_scalarExpr(of_fixed, (char *)&fixed[3], sizeof(long), next, (char *)&got);
    REQUIRE(got == 10 * next + 3);
    for (k = 1; k < 4; k++) {
        int source = me, two[1] = {2 * sizeof(int)}, count[1] = {10 * k};
        block = calloc(20 * (size_t)k, sizeof(int));
        of_block = XMPCO_regmem_coarray(block, 20 * k, sizeof(int), NULL);
        XMPCO_PUT_spread(of_block, (char *)block, sizeof(int), next, (char *)&source, 1, two, count, 0);
        XMPCO_sync_all();
        REQUIRE(block[0] == before && block[20 * k - 2] == before && block[1] == 0);
        XMPCO_deregmem_coarray(of_block);
        free(block);
    }
}

static int xmpc_main(int argc, char **argv)
{
    int n;
    (void)argc;
    (void)argv;
    me = xmprt_this_image(XMPRT_INITIAL);
    images = xmprt_num_images(XMPRT_INITIAL);
    next = me % images + 1;
    before = (me + images - 2) % images + 1;
    statics();
    transfers();
    for (n = 1; n < 4; n++) procedure(n);
    registered();
    _XMP_barrier_EXEC();
    return 0;
}
