/* A line of 1,000 elements, spread over all images. Each step replaces an element by the mean of its neighbours. */
#include <stdio.h>
#include <stdlib.h>
#include <xmprt_global.h>

static void check(int status)
{
    if (status != XMPRT_OK) {
        fprintf(stderr, "%s\n", xmprt_message());
        exit(1);
    }
}

int main(void)
{
    int sizes[] = {0};                             /* one dimension: all images */
    xmprt_extent extents[] = {{0, 1000}};
    xmprt_format formats[] = {{XMPRT_BLOCK, 0, NULL}};
    xmprt_dimension dims[] = {{{0, 1000}, 0, 0, 1, 1}}; /* with one element of each neighbour as shadow */
    xmprt_nodes nodes;
    xmprt_template line;
    xmprt_array array;
    xmprt_piece mine;
    size_t pieces;
    void *stored;
    double *u, *mean, sum = 0;

    check(xmprt_nodes_create(0, 1, sizes, &nodes));
    check(xmprt_template_create(1, extents, &line));
    check(xmprt_template_distribute(line, formats, nodes));
    check(xmprt_array_create(line, sizeof(double), 1, dims, &array));
    check(xmprt_array_stored(array, &stored, NULL));
    check(xmprt_loop(array, 0, xmprt_from(1, 998), &mine, 1, &pieces)); /* this image's part of 1..998 */
    u = stored;
    mean = malloc(1000 * sizeof(double));
    for (int64_t k = 0; pieces && k < mine.count; k++)
        u[mine.place + k] = mine.index + k == 500 ? 1000.0 : 0.0;

    for (int step = 0; step < 100; step++) {
        check(xmprt_reflect(array, NULL, 0, NULL));      /* fills the shadow with the neighbours' elements */
        for (int64_t k = 0; pieces && k < mine.count; k++)
            mean[k] = 0.5 * (u[mine.place + k - 1] + u[mine.place + k + 1]);
        for (int64_t k = 0; pieces && k < mine.count; k++)
            u[mine.place + k] = mean[k];
    }

    for (int64_t k = 0; pieces && k < mine.count; k++)
        sum += u[mine.place + k];
    check(xmprt_co_sum(XMPRT_CURRENT, &sum, 1, XMPRT_DOUBLE, XMPRT_ALL));
    if (xmprt_this_image(XMPRT_CURRENT) == 1)
        printf("sum after 100 steps: %.1f\n", sum);
    free(mean);
    check(xmprt_global_free(XMPRT_OBJECT(array)));
    return 0;
}
