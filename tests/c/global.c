/* The global view: mappings, loops, moved data, tasks, and everything that is refused. */
#include "check.h"
#include <xmprt_global.h>

static int me, n;

/* One dimension in every manner: each element is on one image, where the loop says. */
static void manners(void)
{
    enum { LENGTH = 37 };
    int sizes[] = {0};
    xmprt_extent extents[] = {{0, LENGTH}};
    int64_t blocks[8] = {0};
    xmprt_nodes nodes;
    DO(xmprt_nodes_create(0, 1, sizes, &nodes));
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
        DO(xmprt_global_free(XMPRT_OBJECT(line)));
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
        DO(xmprt_reduce(seen, LENGTH, XMPRT_INT, XMPRT_SUM, XMPRT_OBJECT(nodes), NULL, NULL));
        for (int k = 0; k < LENGTH; k++)
            REQUIRE(seen[k] == 1);
    }
    /* From each to each, backwards. */
    for (int from = 0; from < 5; from++)
        for (int to = 0; to < 5; to++) {
            xmprt_range all[] = {xmprt_whole()}, back[] = {xmprt_by(LENGTH - 1, LENGTH, -1)};
            DO(xmprt_gmove(arrays[to], all, arrays[from], back, XMPRT_COLLECTIVE, NULL));
            DO(xmprt_gmove(arrays[from], NULL, arrays[to], back, XMPRT_COLLECTIVE, NULL));
            for (int64_t k = 0; k < LENGTH; k++) {
                int *element = xmprt_array_element(arrays[to], &k);
                REQUIRE(element == NULL || from == to || *element % 100 == LENGTH - 1 - k);
                if (element != NULL && from != to)
                    *element = (int)(100 * to + k);
            }
        }
    for (int f = 0; f < 5; f++)
        DO(xmprt_global_free(XMPRT_OBJECT(arrays[f])));
    DO(xmprt_global_free(XMPRT_OBJECT(nodes)));
}

/* A plane on a grid, with corners, around the array, and back. */
static void plane(void)
{
    int rows = n % 2 == 0 ? 2 : 1, sizes[] = {rows, 0};
    xmprt_extent extents[] = {{0, 12}, {0, 16}};
    int64_t stored[2];
    xmprt_format formats[] = {{XMPRT_BLOCK, 0, NULL}, {XMPRT_BLOCK, 0, NULL}};
    xmprt_dimension dims[] = {{{0, 12}, 0, 0, 1, 1}, {{0, 16}, 1, 0, 1, 1}};
    xmprt_halo around[] = {{1, 1, 1}, {1, 1, 1}};
    xmprt_nodes grid, row;
    xmprt_template field;
    xmprt_array a;
    DO(xmprt_nodes_create(0, 2, sizes, &grid));
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
    DO(xmprt_reflect(a, around, 0, NULL));
    for (int64_t i = -1; ys && xs && i <= y->count; i++)
        for (int64_t j = -1; j <= x->count; j++) {
            double expected = 100.0 * (double)((y->index + i + 12) % 12) + (double)((x->index + j + 16) % 16);
            REQUIRE(here[(y->place + i) * stored[1] + x->place + j] == expected);
        }
    /* Every place says 1; owners get 1 more for each copy of an element. */
    for (int64_t k = 0; ys && xs && k < stored[0] * stored[1]; k++)
        here[k] = 1.0;
    DO(xmprt_reduce_shadow(a, around, XMPRT_DOUBLE, XMPRT_SUM, 0, NULL));
    double sum = 0.0;
    for (int64_t i = 0; ys && xs && i < y->count; i++)
        for (int64_t j = 0; j < x->count; j++)
            sum += here[(y->place + i) * stored[1] + x->place + j];
    double places = ys && xs ? (double)(stored[0] * stored[1]) : 0.0;
    DO(xmprt_reduce(&sum, 1, XMPRT_DOUBLE, XMPRT_SUM, XMPRT_OBJECT(grid), NULL, NULL));
    DO(xmprt_reduce(&places, 1, XMPRT_DOUBLE, XMPRT_SUM, XMPRT_OBJECT(grid), NULL, NULL));
    REQUIRE(sum == places);

    /* This image's row of the grid, and who has an element. */
    xmprt_range mine[] = {xmprt_own(), xmprt_whole()}, first[] = {xmprt_at(0), xmprt_at(0)};
    DO(xmprt_nodes_section(grid, mine, 0, NULL, &row));
    int one = 1;
    DO(xmprt_reduce(&one, 1, XMPRT_INT, XMPRT_SUM, XMPRT_OBJECT(row), NULL, NULL));
    REQUIRE(one == n / rows && one == xmprt_nodes_size(row, -1));
    DO(xmprt_barrier(XMPRT_OBJECT(row), NULL));
    xmprt_nodes owner;
    DO(xmprt_template_nodes(field, first, &owner));
    int executes = 7;
    DO(xmprt_task_begin(XMPRT_OBJECT(owner), NULL, &executes));
    REQUIRE(executes == (me == 1));
    if (executes) {
        REQUIRE(xmprt_num_images(XMPRT_CURRENT) == 1);
        REFUSED(xmprt_task_begin(n > 1 ? XMPRT_OBJECT(grid) : xmprt_object_of(5), NULL, &executes), XMPRT_BAD_ARGUMENT, n > 1 ? "not among" : "0x5");
        DO(xmprt_task_end());
    }
    REQUIRE(xmprt_num_images(XMPRT_CURRENT) == n);
    int word = me == n ? 4711 : 0;
    xmprt_range last[] = {xmprt_at(rows - 1), xmprt_at(n / rows - 1)}, beyond[] = {xmprt_at(rows), xmprt_at(0)};
    DO(xmprt_broadcast(&word, sizeof word, XMPRT_OBJECT(grid), last, XMPRT_OBJECT(grid), NULL, NULL));
    REQUIRE(word == 4711);
    REFUSED(xmprt_broadcast(&word, sizeof word, XMPRT_OBJECT(grid), beyond, XMPRT_OBJECT(grid), NULL, NULL), XMPRT_BAD_ARGUMENT, "is not within");
}

/* A line with a shadow of 2: loops that are wider and narrower, a halo on its way while the inner part is executed, and
   what else goes on in the background. */
static void background(void)
{
    enum { LENGTH = 40 };
    int sizes[] = {0};
    xmprt_extent extents[] = {{0, LENGTH}};
    xmprt_format block = {XMPRT_BLOCK, 0, NULL}, cyclic = {XMPRT_CYCLIC, 0, NULL};
    xmprt_dimension shadowed = {{0, LENGTH}, 0, 0, 2, 2};
    xmprt_nodes nodes;
    xmprt_template line, dealt;
    xmprt_array a, b, c;
    DO(xmprt_nodes_create(0, 1, sizes, &nodes));
    DO(xmprt_template_create(1, extents, &line));
    DO(xmprt_template_create(1, extents, &dealt));
    DO(xmprt_template_distribute(line, &block, nodes));
    DO(xmprt_template_distribute(dealt, &cyclic, nodes));
    DO(xmprt_array_create(line, sizeof(int), 1, &shadowed, &a));
    DO(xmprt_array_create(line, sizeof(int), 1, &shadowed, &b));
    DO(xmprt_array_create(dealt, sizeof(int), 1, NULL, &c));
    int *from, *to, seen[LENGTH] = {0};
    DO(xmprt_array_stored(a, (void **)&from, NULL));
    DO(xmprt_array_stored(b, (void **)&to, NULL));
    xmprt_piece own[1], inner, margins[2], wide;
    size_t count;
    DO(xmprt_loop(a, 0, xmprt_whole(), own, 1, &count));
    for (int64_t k = 0; count && k < own->count; k++)
        from[own->place + k] = (int)(own->index + k);

    /* Each sum over five neighbours, once: first inside, then at the borders. */
    xmprt_range loop = xmprt_from(2, LENGTH - 4);
    xmprt_widths narrower = {-2, -2, 0}, wider = {2, 2, 0};
    DO(xmprt_reflect(a, NULL, 0, &(int64_t){7}));
    DO(xmprt_loop_expand(a, 0, loop, narrower, &inner));
    DO(xmprt_loop_margins(a, 0, loop, narrower, margins));
    xmprt_piece parts[] = {inner, margins[0], margins[1]};
    for (int p = 0; p < 3; p++) {
        if (p == 1)
            DO(xmprt_wait_async(7));
        for (int64_t k = 0; k < parts[p].count; k++) {
            int64_t index = parts[p].index + k * parts[p].index_step, place = parts[p].place + k * parts[p].place_step;
            REQUIRE(&from[place] == xmprt_array_element(a, &index));
            to[place] = from[place - 2] + from[place - 1] + from[place] + from[place + 1] + from[place + 2];
            REQUIRE(to[place] == 5 * index);
            seen[index]++;
        }
    }
    DO(xmprt_reduce(seen, LENGTH, XMPRT_INT, XMPRT_SUM, XMPRT_OBJECT(nodes), NULL, &(int64_t){8}));
    DO(xmprt_loop_expand(a, 0, loop, wider, &wide));
    for (int64_t k = 0; k < wide.count; k++)
        REQUIRE(from[wide.place + k] == wide.index + k && wide.index + k >= 2 && wide.index + k < LENGTH - 2);
    int complete = 7, word = me == n ? 4712 : 0;
    do
        DO(xmprt_test_async(8, &complete));
    while (!complete);
    for (int k = 0; k < LENGTH; k++)
        REQUIRE(seen[k] == (k >= 2 && k < LENGTH - 2));

    /* Two operations with one id; what they write lives until they are complete, and what they read may change. */
    DO(xmprt_broadcast(&word, sizeof word, XMPRT_OBJECT(nodes), (xmprt_range[]){xmprt_at(n - 1)}, XMPRT_OBJECT(nodes), NULL, &(int64_t){9}));
    DO(xmprt_gmove(c, NULL, a, NULL, XMPRT_COLLECTIVE, &(int64_t){9}));
    for (int64_t k = 0; count && k < own->count; k++)
        from[own->place + k] = 0;
    DO(xmprt_wait_async(9));
    REQUIRE(word == 4712);
    DO(xmprt_wait_async(9));
    DO(xmprt_wait_async(4711));
    DO(xmprt_test_async(4711, &complete));
    REQUIRE(complete == 1);
    for (int64_t k = 0; k < LENGTH; k++) {
        int *element = xmprt_array_element(c, &k);
        REQUIRE(element == NULL || *element == k);
    }
    xmprt_array gone;
    DO(xmprt_array_create(dealt, sizeof(int), 1, NULL, &gone));
    DO(xmprt_gmove(gone, NULL, c, NULL, XMPRT_COLLECTIVE, &(int64_t){10}));
    DO(xmprt_global_free(XMPRT_OBJECT(gone)));
    DO(xmprt_wait_async(10));

    /* Shadows that go back in the background. */
    int64_t stored;
    DO(xmprt_array_stored(b, (void **)&to, &stored));
    for (int64_t k = 0; k < stored; k++)
        to[k] = 1;
    DO(xmprt_reduce_shadow(b, NULL, XMPRT_INT, XMPRT_SUM, 0, &(int64_t){11}));
    DO(xmprt_wait_async(11));
    int sum = 0, copies = 0;
    for (int64_t k = 0; count && k < own->count; k++)
        sum += to[own->place + k];
    DO(xmprt_loop_expand(b, 0, xmprt_whole(), wider, &wide));
    copies = (int)wide.count;
    DO(xmprt_reduce(&sum, 1, XMPRT_INT, XMPRT_SUM, XMPRT_OBJECT(nodes), NULL, NULL));
    DO(xmprt_reduce(&copies, 1, XMPRT_INT, XMPRT_SUM, XMPRT_OBJECT(nodes), NULL, NULL));
    REQUIRE(sum == copies);

    xmprt_widths widest = {3, 3, 1};
    int stores = count > 0;
    if (stores) {
        REFUSED(xmprt_loop_expand(a, 0, xmprt_whole(), widest, &wide), XMPRT_BAD_ARGUMENT, "the shadow is narrower");
        REFUSED(xmprt_loop_margins(a, 0, xmprt_whole(), widest, margins), XMPRT_BAD_ARGUMENT, "is not stored here");
    }
    REFUSED(xmprt_loop_expand(a, 0, xmprt_from(0, LENGTH + 1), wider, &wide), XMPRT_BAD_ARGUMENT, "0:40");
    REFUSED(xmprt_loop_expand(a, 0, loop, wider, NULL), XMPRT_BAD_ARGUMENT, "piece is a null pointer");
    REFUSED(xmprt_loop_expand(a, 1, loop, wider, &wide), XMPRT_BAD_ARGUMENT, "dimension 1 of 1");
    REFUSED(xmprt_loop_margins(a, 0, loop, wider, NULL), XMPRT_BAD_ARGUMENT, "margins is a null pointer");
    if (n > 1 && n <= LENGTH)
        REFUSED(xmprt_loop_expand(c, 0, loop, wider, &wide), XMPRT_BAD_ARGUMENT, "cannot be widened");
    REFUSED(xmprt_test_async(7, NULL), XMPRT_BAD_ARGUMENT, "complete is a null pointer");
    REFUSED(xmprt_reflect((xmprt_array){nodes.id}, NULL, 0, &(int64_t){7}), XMPRT_BAD_ARGUMENT, "is not an xmprt_array");
    DO(xmprt_wait_async(7));
    DO(xmprt_global_free(XMPRT_OBJECT(a)));
    DO(xmprt_global_free(XMPRT_OBJECT(b)));
    DO(xmprt_global_free(XMPRT_OBJECT(c)));
}

/* One side that takes no part: the odd images get at what all of them have. */
static void onesided(void)
{
    enum { LENGTH = 24 };
    int sizes[] = {0}, executes;
    xmprt_extent extents[] = {{0, LENGTH}};
    xmprt_format block = {XMPRT_BLOCK, 0, NULL}, cyclic = {XMPRT_CYCLIC, 0, NULL};
    xmprt_range every_other[] = {xmprt_by(0, (n + 1) / 2, 2)}, back[] = {xmprt_by(LENGTH - 1, LENGTH, -1)};
    xmprt_nodes all, odd;
    xmprt_template line, dealt;
    xmprt_array a, b;
    DO(xmprt_nodes_create(0, 1, sizes, &all));
    DO(xmprt_nodes_section(all, every_other, 0, NULL, &odd));
    DO(xmprt_template_create(1, extents, &line));
    DO(xmprt_template_create(1, extents, &dealt));
    DO(xmprt_template_distribute(line, &block, all));
    DO(xmprt_template_distribute(dealt, &cyclic, odd));
    DO(xmprt_array_create(line, sizeof(int), 1, NULL, &a));
    DO(xmprt_array_create(dealt, sizeof(int), 1, NULL, &b));
    if (me % 2)
        REFUSED(xmprt_gmove(b, NULL, a, NULL, XMPRT_IN, NULL), XMPRT_BAD_ARGUMENT, "gmove in and out cannot get at it");
    DO(xmprt_array_expose(a));
    for (int64_t k = 0; k < LENGTH; k++) {
        int *element = xmprt_array_element(a, &k);
        if (element != NULL)
            *element = (int)k;
    }
    DO(xmprt_barrier(XMPRT_OBJECT(all), NULL));
    DO(xmprt_task_begin(XMPRT_OBJECT(odd), NULL, &executes));
    if (executes) {
        DO(xmprt_gmove(b, NULL, a, NULL, XMPRT_IN, NULL));
        for (int64_t k = 0; k < LENGTH; k++) {
            int *element = xmprt_array_element(b, &k);
            REQUIRE(element == NULL || *element == k);
        }
        /* No image writes before all have read. */
        DO(xmprt_barrier(XMPRT_OBJECT(odd), NULL));
        DO(xmprt_gmove(a, back, b, NULL, XMPRT_OUT, NULL));
        REFUSED(xmprt_gmove(b, NULL, a, NULL, XMPRT_OUT, NULL), XMPRT_BAD_ARGUMENT, "");
        xmprt_range few[] = {xmprt_from(0, 3)};
        REFUSED(xmprt_gmove(b, few, a, NULL, XMPRT_IN, NULL), XMPRT_BAD_ARGUMENT, "shape (3) is assigned from shape (24)");
        DO(xmprt_task_end());
    }
    DO(xmprt_barrier(XMPRT_OBJECT(all), NULL));
    for (int64_t k = 0; k < LENGTH; k++) {
        int *element = xmprt_array_element(a, &k);
        REQUIRE(element == NULL || *element == LENGTH - 1 - k);
    }
    REFUSED(xmprt_array_expose((xmprt_array){odd.id}), XMPRT_BAD_ARGUMENT, "is not an xmprt_array");
    DO(xmprt_global_free(XMPRT_OBJECT(a)));
    DO(xmprt_global_free(XMPRT_OBJECT(b)));
}

/* Tasks within tasks; memory that is left. */
static void tasks(void)
{
    int sizes[] = {0}, executes;
    xmprt_nodes all, odd, last;
    DO(xmprt_nodes_create(0, 1, sizes, &all));
    xmprt_range every_other[] = {xmprt_by(0, (n + 1) / 2, 2)};
    DO(xmprt_nodes_section(all, every_other, 0, NULL, &odd));
    DO(xmprt_task_begin(XMPRT_OBJECT(odd), NULL, &executes));
    REQUIRE(executes == me % 2);
    if (executes) {
        int sum = me, expected = 0, inner;
        for (int k = 1; k <= n; k += 2)
            expected += k;
        DO(xmprt_co_sum(XMPRT_CURRENT, &sum, 1, XMPRT_INT, XMPRT_ALL));
        REQUIRE(sum == expected && xmprt_this_image(XMPRT_CURRENT) == (me + 1) / 2);
        xmprt_range end[] = {xmprt_at((n + 1) / 2 - 1)};
        DO(xmprt_nodes_section(odd, end, 0, NULL, &last));
        DO(xmprt_task_begin(XMPRT_OBJECT(last), NULL, &inner));
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

/* An array in memory of the program, with values of a whole one; moves to and from variables; reductions by other operators. */
static void described(void)
{
    enum { LENGTH = 21 };
    int sizes[] = {0};
    xmprt_extent extents[] = {{1, LENGTH}};
    xmprt_format cyclic = {XMPRT_CYCLIC, 2, NULL};
    xmprt_dimension dims = {{0, XMPRT_WHOLE}, 0, 1, 0, 0};
    xmprt_nodes nodes;
    xmprt_template line;
    xmprt_array a;
    xmprt_blocks own;
    xmprt_part part;
    DO(xmprt_nodes_create(XMPRT_ALL_IMAGES | XMPRT_FORTRAN, 1, sizes, &nodes));
    DO(xmprt_template_create(1, NULL, &line));
    DO(xmprt_template_blocks(line, &own));
    REQUIRE(own.period == 0);
    DO(xmprt_template_distribute(line, &cyclic, nodes));
    DO(xmprt_template_fix(line, extents, NULL));
    DO(xmprt_template_blocks(line, &own));
    int64_t here = 0, whole[LENGTH], sum = 0;
    for (int64_t index = own.first; index <= own.last; index++)
        here += (index - own.first) % own.period < own.width;
    DO(xmprt_reduce(&here, 1, XMPRT_INT64, XMPRT_SUM, XMPRT_NO_OBJECT, NULL, NULL));
    REQUIRE(here == LENGTH);

    DO(xmprt_array_describe(line, XMPRT_INT64, sizeof(int64_t), 1, &dims, &a));
    int64_t memory[LENGTH] = {0};
    DO(xmprt_array_place(a, memory));
    for (int k = 0; k < LENGTH; k++)
        whole[k] = 100 + k;
    DO(xmprt_array_initialize(a, whole, sizeof whole));
    DO(xmprt_array_part(a, &part));
    REQUIRE(part.part == memory && part.origin[0] == n && xmprt_array_element(a, (int64_t[]){LENGTH}) == NULL);
    for (int64_t k = own.first - 1; k < own.last; k++)
        if ((k + 1 - own.first) % own.period < own.width)
            sum += memory[2 * (k / (n * 2)) + k % 2] - k;
    DO(xmprt_reduce(&sum, 1, XMPRT_INT64, XMPRT_SUM, XMPRT_OBJECT(nodes), NULL, NULL));
    REQUIRE(sum == 100 * LENGTH);

    int64_t got[3] = {0}, seven = 7;
    xmprt_range odd = xmprt_by(1, 3, 2), three = xmprt_from(0, 3);
    DO(xmprt_gmove_to(&(xmprt_memory){got, 1, (int64_t[]){3}, &three}, a, &odd, XMPRT_COLLECTIVE, NULL));
    REQUIRE(got[0] == 101 && got[1] == 103 && got[2] == 105);
    DO(xmprt_gmove_from(a, &odd, &(xmprt_memory){&seven, 0, NULL, NULL}, XMPRT_COLLECTIVE, NULL));
    DO(xmprt_gmove_to(&(xmprt_memory){got, 1, (int64_t[]){3}, &three}, a, &odd, XMPRT_COLLECTIVE, NULL));
    REQUIRE(got[0] == 7 && got[1] == 7 && got[2] == 7);
    REFUSED(xmprt_gmove_to(NULL, a, &odd, XMPRT_COLLECTIVE, NULL), XMPRT_BAD_ARGUMENT, "to is a null pointer");

    double product = 2, extreme = me == 2 ? 50 : me;
    int where = 10 * me, bits = 1 << (me % 8), started = 5;
    DO(xmprt_reduce(&product, 1, XMPRT_DOUBLE, XMPRT_PRODUCT, XMPRT_NO_OBJECT, NULL, NULL));
    REQUIRE(product == (double)(1 << n));
    DO(xmprt_reduce(&bits, 1, XMPRT_INT, XMPRT_BIT_OR, XMPRT_NO_OBJECT, NULL, NULL));
    REQUIRE(bits == (n < 8 ? 2 * ((1 << n) - 1) : 255));
    xmprt_location location = {&where, sizeof where, XMPRT_INT};
    DO(xmprt_reduce_located(&extreme, 1, XMPRT_DOUBLE, XMPRT_FIRST_MAX, 1, &location, XMPRT_NO_OBJECT, NULL));
    REQUIRE(extreme == (n > 1 ? 50 : 1) && where == (n > 1 ? 20 : 10));
    DO(xmprt_neutral(&started, 1, XMPRT_INT, XMPRT_SUM, XMPRT_OBJECT(nodes), NULL));
    REQUIRE(started == (me == 1 ? 5 : 0));
    xmprt_range last = xmprt_at(n);
    int is = 7;
    DO(xmprt_is_on(XMPRT_OBJECT(nodes), &last, &is));
    REQUIRE(is == (me == n));
    REFUSED(xmprt_reduce(&is, 1, XMPRT_INT, (xmprt_op)99, XMPRT_NO_OBJECT, NULL, NULL), XMPRT_BAD_ARGUMENT, "operator 99");
    DO(xmprt_global_free(XMPRT_OBJECT(a)));
}

static void bad_arguments(void)
{
    int sizes[] = {0}, none[] = {-3}, many[] = {n + 1};
    xmprt_extent extents[] = {{0, 10}};
    int64_t short_blocks[8] = {1}, index = 3;
    xmprt_nodes nodes, other = {5};
    xmprt_template line, open;
    xmprt_array a, b;
    REFUSED(xmprt_nodes_create(0, 0, sizes, &other), XMPRT_BAD_ARGUMENT, "0 dimensions, not 1 to 15");
    REFUSED(xmprt_nodes_create(0, 1, none, &other), XMPRT_BAD_ARGUMENT, "a dimension of -3 nodes");
    REFUSED(xmprt_nodes_create(0, 1, many, &other), XMPRT_BAD_ARGUMENT, "nodes");
    REFUSED(xmprt_nodes_create(66, 1, sizes, &other), XMPRT_BAD_ARGUMENT, "flags 66: 64 is no flag of this function");
    REFUSED(xmprt_nodes_create(0, 1, NULL, &other), XMPRT_BAD_ARGUMENT, "sizes is a null pointer");
    REFUSED(xmprt_nodes_create(0, 1, sizes, NULL), XMPRT_BAD_ARGUMENT, "nodes is a null pointer");
    REQUIRE(other.id == 5);
    DO(xmprt_nodes_create(0, 1, sizes, &nodes));
    xmprt_range outside[] = {xmprt_at(n)}, stuck[] = {xmprt_by(0, 2, 0)};
    REFUSED(xmprt_nodes_section(nodes, outside, 0, NULL, &other), XMPRT_BAD_ARGUMENT, "is not within");
    REFUSED(xmprt_nodes_section(nodes, stuck, 0, NULL, &other), XMPRT_BAD_ARGUMENT, "with step 0");
    REFUSED(xmprt_nodes_section((xmprt_nodes){9}, outside, 0, NULL, &other), XMPRT_BAD_ARGUMENT, "0x9 is not an xmprt_nodes");
    REQUIRE(xmprt_nodes_size(nodes, 1) == 0 && strstr(xmprt_message(), "dimension 1 of 1") != NULL);

    xmprt_format block = {XMPRT_BLOCK, 0, NULL}, odd = {7, 0, NULL}, narrow = {XMPRT_BLOCK, -1, NULL};
    xmprt_format gblock = {XMPRT_GBLOCK, 0, short_blocks};
    DO(xmprt_template_create(1, extents, &line));
    DO(xmprt_template_create(1, NULL, &open));
    REFUSED(xmprt_array_create(line, 4, 1, NULL, &a), XMPRT_BAD_ARGUMENT, "template is not fixed: its distribution");
    REFUSED(xmprt_template_distribute(line, &odd, nodes), XMPRT_BAD_ARGUMENT, "7 is not a manner");
    REFUSED(xmprt_template_distribute(line, &narrow, nodes), XMPRT_BAD_ARGUMENT, "width -1");
    REFUSED(xmprt_template_distribute(line, &gblock, nodes), XMPRT_BAD_ARGUMENT, "template");
    REFUSED(xmprt_template_distribute((xmprt_template){nodes.id}, &block, nodes), XMPRT_BAD_ARGUMENT, "is not an xmprt_template");
    DO(xmprt_template_distribute(line, &block, nodes));
    REFUSED(xmprt_template_distribute(line, &block, nodes), XMPRT_BAD_ARGUMENT, "template");
    DO(xmprt_template_distribute(open, &block, nodes));
    REFUSED(xmprt_array_create(open, 4, 1, NULL, &a), XMPRT_BAD_ARGUMENT, "its shape is not known yet");
    REFUSED(xmprt_template_fix(line, extents, NULL), XMPRT_BAD_ARGUMENT, "template");

    xmprt_dimension beyond = {{0, 11}, 0, 0, 0, 0}, strange = {{0, 10}, -7, 0, 0, 0}, good = {{0, 10}, 0, 0, 1, 1};
    REFUSED(xmprt_array_create(line, 4, 1, &beyond, &a), XMPRT_BAD_ARGUMENT, "are aligned with 0:10");
    REFUSED(xmprt_array_create(line, 4, 1, &strange, &a), XMPRT_BAD_ARGUMENT, "template dimension -7");
    REFUSED(xmprt_array_create(line, 0, 1, &good, &a), XMPRT_BAD_ARGUMENT, "elements of 0 bytes");
    REFUSED(xmprt_array_create(line, 4, 2, NULL, &a), XMPRT_BAD_ARGUMENT, "2 dimensions for 1 dimension");
    DO(xmprt_array_create(line, 4, 1, &good, &a));
    DO(xmprt_array_create(line, 8, 1, &good, &b));
    xmprt_halo wide = {2, 1, 0};
    REFUSED(xmprt_reflect(a, &wide, 0, NULL), XMPRT_BAD_ARGUMENT, "is more than the shadow of 1");
    REFUSED(xmprt_reduce_shadow(a, NULL, XMPRT_DOUBLE, XMPRT_SUM, 0, NULL), XMPRT_BAD_ARGUMENT, "elements of 4 bytes");
    REFUSED(xmprt_reduce_shadow(a, NULL, XMPRT_INT, (xmprt_op)99, 0, NULL), XMPRT_BAD_ARGUMENT, "not an xmprt_op");
    REFUSED(xmprt_gmove(a, NULL, b, NULL, XMPRT_COLLECTIVE, NULL), XMPRT_BAD_ARGUMENT, "gmove");
    xmprt_range five[] = {xmprt_from(0, 5)}, six[] = {xmprt_from(4, 6)}, eleven[] = {xmprt_from(0, 11)};
    REFUSED(xmprt_gmove(a, five, a, six, XMPRT_COLLECTIVE, NULL), XMPRT_BAD_ARGUMENT, "shape (5) is assigned from shape (6); "
            "the left side is [0:4] of the array [0:9], and the right side is [4:9] of the array [0:9]");
    REFUSED(xmprt_gmove(a, eleven, a, six, XMPRT_COLLECTIVE, NULL), XMPRT_BAD_ARGUMENT, "0:10 is not within 0:9; "
            "the left side is [0:10] of the array [0:9], and the right side is [4:9] of the array [0:9]");
    xmprt_range reversed[] = {xmprt_by(9, 4, -3)};
    REFUSED(xmprt_gmove(a, reversed, a, NULL, XMPRT_COLLECTIVE, NULL), XMPRT_BAD_ARGUMENT,
            "the left side is [9:0:-3] of the array [0:9], and the right side is the array [0:9]");
    size_t count = 0;
    xmprt_piece piece;
    REFUSED(xmprt_loop(a, 1, xmprt_whole(), &piece, 1, &count), XMPRT_BAD_ARGUMENT, "dimension 1 of 1");
    REFUSED(xmprt_loop(a, 0, eleven[0], &piece, 1, &count), XMPRT_BAD_ARGUMENT, "loop: dimension 1: 0:10");
    DO(xmprt_loop(a, 0, xmprt_from(3, 0), &piece, 1, &count));
    REQUIRE(count == 0);
    if (me == 1) {
        REFUSED(xmprt_loop(a, 0, xmprt_whole(), NULL, 0, &count), XMPRT_BAD_ARGUMENT, "1 piece, and room for 0");
        REQUIRE(count == 1);
    }
    REQUIRE(xmprt_array_element(a, NULL) == NULL && xmprt_array_element((xmprt_array){77}, &index) == NULL);
    DO(xmprt_global_free(XMPRT_OBJECT(a)));
    REFUSED(xmprt_global_free(XMPRT_OBJECT(a)), XMPRT_BAD_ARGUMENT, "or it was freed");
    REFUSED(xmprt_reflect(a, NULL, 0, NULL), XMPRT_BAD_ARGUMENT, "is not an xmprt_array");
    REFUSED(xmprt_reduce(&index, 1, XMPRT_INT64, XMPRT_SUM, XMPRT_OBJECT(b), NULL, NULL), XMPRT_BAD_ARGUMENT, "is not an xmprt_nodes");
}

int main(void)
{
    me = xmprt_this_image(XMPRT_INITIAL);
    n = xmprt_num_images(XMPRT_INITIAL);
    manners();
    plane();
    background();
    onesided();
    tasks();
    described();
    bad_arguments();
    return 0;
}
