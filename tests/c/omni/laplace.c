/* nodes p(*), template t(0:N-1), distribute block, two aligned arrays, one with a shadow; loops, reflect, a reduction
   clause, bcast, barrier. */
#include "check.h"

enum { N = 37 };

static void *_XMP_DESC_p, *_XMP_DESC_t, *_XMP_DESC_a, *_XMP_DESC_b;
static int _XMP_NODES_SIZE_p_0, _XMP_NODES_RANK_p_0;
static double *_XMP_ADDR_a;
static int *_XMP_ADDR_b;
static unsigned long long _XMP_GTOL_acc_a_0, _XMP_GTOL_acc_b_0;
static int _XMP_GTOL_temp0_a_0, _XMP_GTOL_temp0_b_0;

static void init(void)
{
    _XMP_init_nodes_DYNAMIC_GLOBAL(&_XMP_DESC_p, 1, -1, &_XMP_NODES_SIZE_p_0, &_XMP_NODES_RANK_p_0);
    _XMP_init_template_FIXED(&_XMP_DESC_t, 1, 0LL, (long long)N - 1);
    _XMP_init_template_chunk(_XMP_DESC_t, _XMP_DESC_p);
    _XMP_dist_template_BLOCK(_XMP_DESC_t, 0, 0);
    _XMP_init_array_desc(&_XMP_DESC_a, _XMP_DESC_t, 1, DOUBLE, sizeof(double), N);
    _XMP_align_array_BLOCK(_XMP_DESC_a, 0, 0, 0LL, &_XMP_GTOL_temp0_a_0);
    _XMP_init_array_comm(_XMP_DESC_a, 0);
    _XMP_init_array_nodes(_XMP_DESC_a);
    _XMP_init_array_desc(&_XMP_DESC_b, _XMP_DESC_t, 1, INT, sizeof(int), N);
    _XMP_align_array_BLOCK(_XMP_DESC_b, 0, 0, 0LL, &_XMP_GTOL_temp0_b_0);
    _XMP_init_array_comm(_XMP_DESC_b, 0);
    _XMP_init_array_nodes(_XMP_DESC_b);
    _XMP_init_shadow(_XMP_DESC_a, SHADOW_NORMAL, 1, 1);
    _XMP_alloc_array((void **)&_XMP_ADDR_a, _XMP_DESC_a, 1, &_XMP_GTOL_acc_a_0);
    _XMP_alloc_array((void **)&_XMP_ADDR_b, _XMP_DESC_b, 1, &_XMP_GTOL_acc_b_0);
}

static void finalize(void)
{
    _XMP_dealloc_array(_XMP_DESC_a);
    _XMP_finalize_array_desc(_XMP_DESC_a);
    _XMP_dealloc_array(_XMP_DESC_b);
    _XMP_finalize_array_desc(_XMP_DESC_b);
    _XMP_finalize_nodes(_XMP_DESC_p);
    _XMP_finalize_template(_XMP_DESC_t);
}

#define A(i) (*_XMP_M_GET_ADDR_E_1(_XMP_ADDR_a, _XMP_M_CALC_INDEX_BLOCK(i, _XMP_GTOL_temp0_a_0)))
#define B(i) (*_XMP_M_GET_ADDR_E_1(_XMP_ADDR_b, _XMP_M_CALC_INDEX_BLOCK(i, _XMP_GTOL_temp0_b_0)))
#define GLOBAL(l) _XMP_M_LTOG_TEMPLATE_BLOCK(l, 0, N, _XMP_NODES_SIZE_p_0, _XMP_NODES_RANK_p_0)

static int xmpc_main(int argc, char **argv)
{
    int i, from, to, step, sum = 0, all = -1;
    double x = 0;
    (void)argc;
    (void)argv;
    REQUIRE(_XMP_NODES_SIZE_p_0 == xmp_num_nodes());
    REQUIRE(_XMP_NODES_RANK_p_0 == xmp_node_num() - 1 && xmp_node_num() == xmpc_node_num() + 1);

    xmpc_loop_sched(0, N, 1, &from, &to, &step, _XMP_DESC_t, 0, PLAIN, 0, 0, 0);
    for (i = from; i < to; i += step) {
        A(GLOBAL(i)) = GLOBAL(i);
        B(GLOBAL(i)) = -1;
    }
    _XMP_reflect__(_XMP_DESC_a);
    xmpc_loop_sched(1, N - 1, 1, &from, &to, &step, _XMP_DESC_t, 0, PLAIN, 0, 0, 0);
    for (i = from; i < to; i += step) {
        const int g = GLOBAL(i);
        B(g) = (int)(A(g - 1) + A(g + 1));
        REQUIRE(B(g) == 2 * g);
        sum += B(g);
    }
    _XMP_reduce_CLAUSE(&sum, 1, INT, SUM);
    REQUIRE(sum == (N - 2) * (N - 1));

    /* A loop backwards, with a step. */
    sum = 0;
    xmpc_loop_sched(N - 1, 0, -3, &from, &to, &step, _XMP_DESC_t, 0, PLAIN, 0, 0, 0);
    for (i = from; step < 0 ? i > to : i < to; i += step)
        sum += GLOBAL(i);
    _XMP_M_REDUCE_EXEC(&sum, 1, INT, SUM);
    for (i = N - 1; i > 0; i -= 3)
        sum -= i;
    REQUIRE(sum == 0);

    if (xmp_node_num() == 1)
        x = 17.5;
    _XMP_M_BCAST_EXEC_OMITTED(&x, 1, sizeof x);
    REQUIRE(x == 17.5);
    x = xmp_node_num();
    _XMP_M_BCAST_EXEC_NODES(&x, 1, sizeof x, _XMP_DESC_p, 0, xmp_num_nodes(), xmp_num_nodes(), 1);
    REQUIRE(x == xmp_num_nodes());
    REQUIRE(_XMP_get_execution_nodes_rank() == _XMP_NODES_RANK_p_0);
    _XMP_M_REDUCE_EXEC(&all, 1, INT, AND);
    REQUIRE(all == 1 || xmp_num_nodes() == 1);
    _XMP_barrier_EXEC();
    _XMP_barrier_NODES_ENTIRE(_XMP_DESC_p);
    return 0;
}
