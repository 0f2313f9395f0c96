/* The part of xmp_translated.h that is no inline code. */
#include "xmp_translated.h"
#include "end_job.h"
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int xmpt_unused;

/* Templates */

static struct xmpt_range own_indices(struct xmpt_template *t, int dim)
{
    int first, end, step, format, width = 0;
    struct xmpt_range range;
    xmpc_loop_sched((int)t->lower[dim], (int)t->upper[dim] + 1, 1, &first, &end, &step, t->desc, dim, 413, 0, 0, 0);
    if (first >= end) {
        range.first = t->upper[dim] + 1;
        range.last = t->upper[dim];
        range.width = range.period = 1;
        return range;
    }
    range.first = xmpc_ltog(first, t->desc, dim, 0);
    range.last = xmpc_ltog(end - 1, t->desc, dim, 0);
    range.width = range.period = range.last - range.first + 1;
    xmp_dist_format(t->desc, dim + 1, &format);
    if (format == XMP_CYCLIC) {
        xmp_dist_blocksize(t->desc, dim + 1, &width);
        if (end - first > width) {
            range.period = xmpc_ltog(first + width, t->desc, dim, 0) - range.first;
            range.width = width;
        }
    }
    return range;
}

/* The template has its shape and its formats; without a shape nothing happens. */
void xmpt_template_fixed(struct xmpt_template *t)
{
    int dim, bound, fixed = 0;
    t->distributed = 1;
    xmp_template_fixed(t->desc, &fixed);
    if (!fixed)
        return;
    for (dim = 0; dim < t->dims; dim++) {
        xmp_template_lbound(t->desc, dim + 1, &bound);
        t->lower[dim] = bound;
        xmp_template_ubound(t->desc, dim + 1, &bound);
        t->upper[dim] = bound;
        t->own[dim] = own_indices(t, dim);
    }
}

/* A loop or another construct is on a template without bounds. */
void xmpt_not_fixed(void)
{
    fprintf(stderr, "node %d: a construct is on a template that is not fixed: `template_fix` has to come before\n",
            xmp_all_node_num());
    end_job(EXIT_FAILURE);
}

/* block(width): as many indices for each node, the last ones with what is left. */
void xmpt_distribute_blocks(struct xmpt_template *t, int dim, int nodes_dim, void *nodes, long width)
{
    int node, lower, upper, count = xmpt_nodes_size(nodes, nodes_dim);
    int *sizes = malloc(sizeof *sizes * (size_t)count);
    long left;
    if (!sizes) {
        fprintf(stderr, "distribute: no memory for the sizes of %d blocks\n", count);
        end_job(EXIT_FAILURE);
    }
    xmp_template_lbound(t->desc, dim + 1, &lower);
    xmp_template_ubound(t->desc, dim + 1, &upper);
    left = (long)upper - lower + 1;
    if (width < 1 || left > width * count) {
        fprintf(stderr, "distribute: dimension %d: block(%ld) on %d nodes has no room for %ld indices; a block has to have at "
                        "least %ld\n", dim + 1, width, count, left, (left + count - 1) / count);
        end_job(EXIT_FAILURE);
    }
    for (node = 0; node < count; node++) {
        sizes[node] = (int)(left < width ? left : width);
        left -= sizes[node];
    }
    _XMP_dist_template_GBLOCK(t->desc, dim, nodes_dim, sizes, 0);
    free(sizes);
}

void xmpt_end_template(struct xmpt_template *t)
{
    _XMP_finalize_template(t->desc);
}

/* Nodes and tasks */

void xmpt_end_nodes(void **nodes)
{
    _XMP_finalize_nodes(*nodes);
}

int xmpt_nodes_size(void *nodes, int dim)
{
    int size = 0;
    xmp_nodes_size(nodes, dim + 1, &size);
    return size;
}

void xmp_get_image_index_(const int *count, const int *numbers, int *images, const intptr_t *nodes);

/* The image, as one of those that execute, of a node of a coarray that is `on` nodes. */
int xmpt_image_of(void *nodes, int cosubscript)
{
    const char *setting = getenv("XMP_C_FIRST_IMAGE");
    const int one = 1, first = setting ? atoi(setting) : 0, number = cosubscript - first + 1;
    const intptr_t desc = (intptr_t)nodes;
    int image = 0;
    xmp_get_image_index_(&one, &number, &image, &desc);
    if (image < 1) {
        fprintf(stderr, "node %d: image index %d of a coarray on nodes: no such node executes\n", xmp_all_node_num(), cosubscript);
        end_job(EXIT_FAILURE);
    }
    return image - 1 + first;
}

/* The number of this image in a dimension of nodes, which count from `lowest`; none if it is not one of them. */
struct xmpt_range xmpt_node(void *nodes, int dim, long lowest)
{
    struct xmpt_range range = {0, -1, 1, 1};
    int index;
    if (xmp_nodes_index(nodes, dim + 1, &index) == 0 && index > 0)
        range.first = range.last = index - 1 + lowest;
    return range;
}

/* `bcast .. from t(..)`: from the first of the executing nodes that has the index. */
void xmpt_bcast(int owns, void *data, int count, size_t size)
{
    enum { type_int = 507, least = 309 };
    int nodes = xmp_num_nodes(), first = owns ? xmp_node_num() : nodes + 1;
    void *executing;
    _XMP_reduce_CLAUSE(&first, 1, type_int, least);
    if (first > nodes) {
        fprintf(stderr, "bcast: none of the executing nodes has the index of the template in `from`\n");
        end_job(EXIT_FAILURE);
    }
    _XMP_init_nodes_STATIC_EXEC(&executing, 1, nodes, &xmpt_unused);
    _XMP_bcast_NODES_ENTIRE_NODES(_XMP_get_execution_nodes(), data, count, size, executing, 0, first, first, 1);
    _XMP_finalize_nodes(executing);
}

/* Reductions */

/* The neutral element of an operator, except on the first of the executing nodes, which keeps what the program had. */
#define FILL(type, value)                                                                            \
    do {                                                                                             \
        type *values = data;                                                                         \
        int i;                                                                                       \
        for (i = 0; i < count; i++)                                                                  \
            values[i] = (type)(value);                                                               \
    } while (0)

void xmpt_identity(void *data, int count, int type, int op)
{
    enum { sum = 300, product = 301, exclusive_or = 306, minus = 316 };
    int neutral = op == product;
    if (_XMP_get_execution_nodes_rank() == 0 || (op != sum && op != product && op != exclusive_or && op != minus))
        return;
    switch (type) {
    case 502: FILL(_Bool, neutral); break;
    case 503: FILL(signed char, neutral); break;
    case 504: FILL(unsigned char, neutral); break;
    case 505: FILL(short, neutral); break;
    case 506: FILL(unsigned short, neutral); break;
    case 507: FILL(int, neutral); break;
    case 508: FILL(unsigned int, neutral); break;
    case 509: FILL(long, neutral); break;
    case 510: FILL(unsigned long, neutral); break;
    case 511: FILL(long long, neutral); break;
    case 512: FILL(unsigned long long, neutral); break;
    case 513: FILL(float, neutral); break;
    case 514: FILL(double, neutral); break;
    case 515: FILL(long double, neutral); break;
    case 519: FILL(float _Complex, neutral); break;
    case 520: FILL(double _Complex, neutral); break;
    default: break; /* The reduction itself refuses the type. */
    }
}
