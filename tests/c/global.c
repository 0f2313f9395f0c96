/* The global view: mappings, loops, moved data, tasks, and everything that is refused. */
#include "check.h"
#include <xmprt_global.h>

static int me, n;

/* One dimension in every manner: each element is on one image, where the loop says. */
static void manners(void)
{
    enum { LENGTH = 37 };
    int sizes[] = {0};
    int64_t extents[] = {LENGTH}, blocks[8] = {0};
    xmprt_nodes nodes;
    DO(xmprt_nodes_create(1, sizes, &nodes));
    REQUIRE(xmprt_nodes_size(nodes, 0) == n && xmprt_nodes_size(nodes, -1) == n);
    int is_node, coordinate;
    DO(xmprt_nodes_coordinates(nodes, &is_node, &coordinate));
    REQUIRE(is_node == 1 && coordinate == me - 1);
    for (int k = 0; k < n; k++)
        blocks[k] = k < n - 1 ? 3 : LENGTH - 3 * (n - 1);
    xmprt_format formats[] = {{XMPRT_BLOCK, 0, NULL}, {XMPRT_BLOCK, 40, NULL}, {XMPRT_CYCLIC, 0, NULL},
                              {XMPRT_CYCLIC, 4, NULL}, {XMPRT_GBLOCK, 0, blocks}};
    xmprt_array arrays[5];
    for (int f = 0; f < 5; f++) {
        xmprt_template line;
        DO(xmprt_template_create(1, extents, &line));
        DO(xmprt_template_distribute(line, &formats[f], nodes));
        DO(xmprt_array_create(line, sizeof(int), 1, NULL, &arrays[f]));
        DO(xmprt_global_free(line));
        xmprt_piece pieces[LENGTH];
        size_t count;
        int *here, seen[LENGTH] = {0};
        DO(xmprt_array_stored(arrays[f], (void **)&here, NULL));
        DO(xmprt_loop(arrays[f], 0, xmprt_by(LENGTH - 1, LENGTH, -1), pieces, LENGTH, &count));
        for (size_t p = 0; p < count; p++)
            for (int64_t k = 0; k < pieces[p].count; k++) {
                int64_t index = pieces[p].index + k * pieces[p].index_step;
                int *element = &here[pieces[p].place + k * pieces[p].place_step];
                REQUIRE(element == xmprt_array_element(arrays[f], &index));
                *element = (int)(100 * f + index);
                seen[index] = 1;
            }
        DO(xmprt_reduce_on(nodes, seen, LENGTH, XMPRT_INT, XMPRT_SUM));
        for (int k = 0; k < LENGTH; k++)
            REQUIRE(seen[k] == 1);
    }
    /* From each to each, backwards. */
    for (int from = 0; from < 5; from++)
        for (int to = 0; to < 5; to++) {
            xmprt_range all[] = {xmprt_whole()}, back[] = {xmprt_by(LENGTH - 1, LENGTH, -1)};
            DO(xmprt_gmove(arrays[to], all, arrays[from], back));
            DO(xmprt_gmove(arrays[from], NULL, arrays[to], back));
            for (int64_t k = 0; k < LENGTH; k++) {
                int *element = xmprt_array_element(arrays[to], &k);
                REQUIRE(element == NULL || from == to || *element % 100 == LENGTH - 1 - k);
                if (element != NULL && from != to)
                    *element = (int)(100 * to + k);
            }
        }
    for (int f = 0; f < 5; f++)
        DO(xmprt_global_free(arrays[f]));
    DO(xmprt_global_free(nodes));
}

/* A plane on a grid, with corners, around the array, and back. */
static void plane(void)
{
    int rows = n % 2 == 0 ? 2 : 1, sizes[] = {rows, 0};
    int64_t extents[] = {12, 16}, stored[2];
    xmprt_format formats[] = {{XMPRT_BLOCK, 0, NULL}, {XMPRT_BLOCK, 0, NULL}};
    xmprt_dimension dims[] = {{12, 0, 0, 1, 1}, {16, 1, 0, 1, 1}};
    xmprt_halo around[] = {{1, 1, 1}, {1, 1, 1}};
    xmprt_nodes grid, row;
    xmprt_template field;
    xmprt_array a;
    DO(xmprt_nodes_create(2, sizes, &grid));
    DO(xmprt_template_create(2, NULL, &field));
    DO(xmprt_template_distribute(field, formats, grid));
    DO(xmprt_template_fix(field, extents, NULL));
    DO(xmprt_array_create(field, sizeof(double), 2, dims, &a));
    double *here;
    DO(xmprt_array_stored(a, (void **)&here, stored));
    xmprt_piece y[1], x[1];
    size_t ys, xs;
    DO(xmprt_loop(a, 0, xmprt_whole(), y, 1, &ys));
    DO(xmprt_loop(a, 1, xmprt_whole(), x, 1, &xs));
    for (int64_t i = 0; ys && i < y->count; i++)
        for (int64_t j = 0; xs && j < x->count; j++)
            here[(y->place + i) * stored[1] + x->place + j] = 100.0 * (double)(y->index + i) + (double)(x->index + j);
    DO(xmprt_reflect(a, around, 0));
    for (int64_t i = -1; ys && xs && i <= y->count; i++)
        for (int64_t j = -1; j <= x->count; j++) {
            double expected = 100.0 * (double)((y->index + i + 12) % 12) + (double)((x->index + j + 16) % 16);
            REQUIRE(here[(y->place + i) * stored[1] + x->place + j] == expected);
        }
    /* Every place says 1; owners get 1 more for each copy of an element. */
    for (int64_t k = 0; ys && xs && k < stored[0] * stored[1]; k++)
        here[k] = 1.0;
    DO(xmprt_reduce_shadow(a, around, XMPRT_DOUBLE, XMPRT_SUM));
    double sum = 0.0;
    for (int64_t i = 0; ys && xs && i < y->count; i++)
        for (int64_t j = 0; j < x->count; j++)
            sum += here[(y->place + i) * stored[1] + x->place + j];
    double places = ys && xs ? (double)(stored[0] * stored[1]) : 0.0;
    DO(xmprt_reduce_on(grid, &sum, 1, XMPRT_DOUBLE, XMPRT_SUM));
    DO(xmprt_reduce_on(grid, &places, 1, XMPRT_DOUBLE, XMPRT_SUM));
    REQUIRE(sum == places);

    /* This image's row of the grid, and who has an element. */
    xmprt_range mine[] = {xmprt_own(), xmprt_whole()}, first[] = {xmprt_at(0), xmprt_at(0)};
    DO(xmprt_nodes_section(grid, mine, &row));
    int one = 1;
    DO(xmprt_reduce_on(row, &one, 1, XMPRT_INT, XMPRT_SUM));
    REQUIRE(one == n / rows && one == xmprt_nodes_size(row, -1));
    DO(xmprt_barrier_on(row));
    xmprt_nodes owner;
    DO(xmprt_template_nodes(field, first, &owner));
    int executes = 7;
    DO(xmprt_task_begin(owner, &executes));
    REQUIRE(executes == (me == 1));
    if (executes) {
        REQUIRE(xmprt_num_images(XMPRT_CURRENT) == 1);
        REFUSED(xmprt_task_begin(n > 1 ? grid : 5, &executes), XMPRT_BAD_ARGUMENT, n > 1 ? "not among" : "0x5");
        DO(xmprt_task_end());
    }
    REQUIRE(xmprt_num_images(XMPRT_CURRENT) == n);
    int word = me == n ? 4711 : 0;
    DO(xmprt_broadcast_on(grid, &word, sizeof word, n - 1));
    REQUIRE(word == 4711);
    REFUSED(xmprt_broadcast_on(grid, &word, sizeof word, n), XMPRT_BAD_ARGUMENT, "counted from 0");
}

/* Tasks within tasks; memory that is left. */
static void tasks(void)
{
    int sizes[] = {0}, executes;
    xmprt_nodes all, odd, last;
    DO(xmprt_nodes_create(1, sizes, &all));
    xmprt_range every_other[] = {xmprt_by(0, (n + 1) / 2, 2)};
    DO(xmprt_nodes_section(all, every_other, &odd));
    DO(xmprt_task_begin(odd, &executes));
    REQUIRE(executes == me % 2);
    if (executes) {
        int sum = me, expected = 0, inner;
        for (int k = 1; k <= n; k += 2)
            expected += k;
        DO(xmprt_co_sum(XMPRT_CURRENT, &sum, 1, XMPRT_INT, XMPRT_ALL));
        REQUIRE(sum == expected && xmprt_this_image(XMPRT_CURRENT) == (me + 1) / 2);
        xmprt_range end[] = {xmprt_at((n + 1) / 2 - 1)};
        DO(xmprt_nodes_section(odd, end, &last));
        DO(xmprt_task_begin(last, &inner));
        if (inner) {
            void *block;
            DO(xmprt_allocate(100, &block));
            REFUSED(xmprt_task_end(), XMPRT_BAD_ARGUMENT, "not freed");
            DO(xmprt_free(block));
            DO(xmprt_task_end());
        }
        DO(xmprt_task_end());
    }
    REFUSED(xmprt_task_end(), XMPRT_BAD_ARGUMENT, "xmprt_task_end: no task was entered");
}

static void bad_arguments(void)
{
    int sizes[] = {0}, none[] = {-3}, many[] = {n + 1};
    int64_t extents[] = {10}, short_blocks[8] = {1}, index = 3;
    xmprt_nodes nodes, other = 5;
    xmprt_template line, open;
    xmprt_array a, b;
    REFUSED(xmprt_nodes_create(0, sizes, &other), XMPRT_BAD_ARGUMENT, "0 dimensions, not 1 to 15");
    REFUSED(xmprt_nodes_create(1, none, &other), XMPRT_BAD_ARGUMENT, "a dimension of -3 nodes");
    REFUSED(xmprt_nodes_create(1, many, &other), XMPRT_BAD_ARGUMENT, "nodes");
    REFUSED(xmprt_nodes_create(1, NULL, &other), XMPRT_BAD_ARGUMENT, "sizes is a null pointer");
    REFUSED(xmprt_nodes_create(1, sizes, NULL), XMPRT_BAD_ARGUMENT, "nodes is a null pointer");
    REQUIRE(other == 5);
    DO(xmprt_nodes_create(1, sizes, &nodes));
    xmprt_range outside[] = {xmprt_at(n)}, stuck[] = {xmprt_by(0, 2, 0)};
    REFUSED(xmprt_nodes_section(nodes, outside, &other), XMPRT_BAD_ARGUMENT, "is not within");
    REFUSED(xmprt_nodes_section(nodes, stuck, &other), XMPRT_BAD_ARGUMENT, "with step 0");
    REFUSED(xmprt_nodes_section(9, outside, &other), XMPRT_BAD_ARGUMENT, "0x9 is not an xmprt_nodes");
    REQUIRE(xmprt_nodes_size(nodes, 1) == 0 && strstr(xmprt_message(), "dimension 1 of 1") != NULL);

    xmprt_format block = {XMPRT_BLOCK, 0, NULL}, odd = {7, 0, NULL}, narrow = {XMPRT_BLOCK, -1, NULL};
    xmprt_format gblock = {XMPRT_GBLOCK, 0, short_blocks};
    DO(xmprt_template_create(1, extents, &line));
    DO(xmprt_template_create(1, NULL, &open));
    REFUSED(xmprt_array_create(line, 4, 1, NULL, &a), XMPRT_BAD_ARGUMENT, "template is not fixed: its distribution");
    REFUSED(xmprt_template_distribute(line, &odd, nodes), XMPRT_BAD_ARGUMENT, "7 is not a manner");
    REFUSED(xmprt_template_distribute(line, &narrow, nodes), XMPRT_BAD_ARGUMENT, "width -1");
    REFUSED(xmprt_template_distribute(line, &gblock, nodes), XMPRT_BAD_ARGUMENT, "template");
    REFUSED(xmprt_template_distribute(nodes, &block, nodes), XMPRT_BAD_ARGUMENT, "is not an xmprt_template");
    DO(xmprt_template_distribute(line, &block, nodes));
    REFUSED(xmprt_template_distribute(line, &block, nodes), XMPRT_BAD_ARGUMENT, "template");
    DO(xmprt_template_distribute(open, &block, nodes));
    REFUSED(xmprt_array_create(open, 4, 1, NULL, &a), XMPRT_BAD_ARGUMENT, "its shape is not known yet");
    REFUSED(xmprt_template_fix(line, extents, NULL), XMPRT_BAD_ARGUMENT, "template");

    xmprt_dimension beyond = {11, 0, 0, 0, 0}, strange = {10, -7, 0, 0, 0}, good = {10, 0, 0, 1, 1};
    REFUSED(xmprt_array_create(line, 4, 1, &beyond, &a), XMPRT_BAD_ARGUMENT, "are aligned with 0:10");
    REFUSED(xmprt_array_create(line, 4, 1, &strange, &a), XMPRT_BAD_ARGUMENT, "template dimension -7");
    REFUSED(xmprt_array_create(line, 0, 1, &good, &a), XMPRT_BAD_ARGUMENT, "elements of 0 bytes");
    REFUSED(xmprt_array_create(line, 4, 2, NULL, &a), XMPRT_BAD_ARGUMENT, "2 dimensions given");
    DO(xmprt_array_create(line, 4, 1, &good, &a));
    DO(xmprt_array_create(line, 8, 1, &good, &b));
    xmprt_halo wide = {2, 1, 0};
    REFUSED(xmprt_reflect(a, &wide, 0), XMPRT_BAD_ARGUMENT, "is more than the shadow of 1");
    REFUSED(xmprt_reduce_shadow(a, NULL, XMPRT_DOUBLE, XMPRT_SUM), XMPRT_BAD_ARGUMENT, "elements of 4 bytes");
    REFUSED(xmprt_reduce_shadow(a, NULL, XMPRT_INT, (xmprt_op)4), XMPRT_BAD_ARGUMENT, "not an xmprt_op");
    REFUSED(xmprt_gmove(a, NULL, b, NULL), XMPRT_BAD_ARGUMENT, "gmove");
    xmprt_range five[] = {xmprt_from(0, 5)}, six[] = {xmprt_from(4, 6)}, eleven[] = {xmprt_from(0, 11)};
    REFUSED(xmprt_gmove(a, five, a, six), XMPRT_BAD_ARGUMENT, "shape (5) is assigned from shape (6)");
    REFUSED(xmprt_gmove(a, eleven, a, six), XMPRT_BAD_ARGUMENT, "0:10 is not within 0:9");
    size_t count = 0;
    xmprt_piece piece;
    REFUSED(xmprt_loop(a, 1, xmprt_whole(), &piece, 1, &count), XMPRT_BAD_ARGUMENT, "dimension 1 of 1");
    REFUSED(xmprt_loop(a, 0, eleven[0], &piece, 1, &count), XMPRT_BAD_ARGUMENT, "loop: dimension 1: 0:10");
    DO(xmprt_loop(a, 0, xmprt_from(3, 0), &piece, 1, &count));
    REQUIRE(count == 0);
    if (me == 1) {
        REFUSED(xmprt_loop(a, 0, xmprt_whole(), NULL, 0, &count), XMPRT_BAD_ARGUMENT, "1 pieces, and room for 0");
        REQUIRE(count == 1);
    }
    REQUIRE(xmprt_array_element(a, NULL) == NULL && xmprt_array_element(77, &index) == NULL);
    DO(xmprt_global_free(a));
    REFUSED(xmprt_global_free(a), XMPRT_BAD_ARGUMENT, "or it was freed");
    REFUSED(xmprt_reflect(a, NULL, 0), XMPRT_BAD_ARGUMENT, "is not an xmprt_array");
    REFUSED(xmprt_reduce_on(b, &index, 1, XMPRT_INT64, XMPRT_SUM), XMPRT_BAD_ARGUMENT, "is not an xmprt_nodes");
}

int main(void)
{
    me = xmprt_this_image(XMPRT_INITIAL);
    n = xmprt_num_images(XMPRT_INITIAL);
    manners();
    plane();
    tasks();
    bad_arguments();
    return 0;
}
