/* Two dimensions of nodes; block, cyclic, cyclic(2) and gblock; shadows, periodic reflects in one step and one after the
   other, asynchronous ones, reduce_shadow; gmove between all of them; pointers of xmp_malloc; inquiry. */
#include "check.h"

enum { N = 12 };

static void *p, *tb, *tc, *tw, *tg, *tu, *a, *b, *c, *d, *g, *m;
static int p0, p1, r0, r1;
static int *addr_a, *addr_b, *addr_c, *addr_d, *addr_g, *addr_m;
static unsigned long long acc_a[2], acc_b[2], acc_c, acc_d, acc_g, acc_m;
static int temp_a[2], temp_b[2], temp_c, temp_d, temp_g, temp_m;
static int gorigin, morigin;
static int sizes[64];
static void *line;
static int line_size, line_rank;

#define A(i, j) (*_XMP_M_GET_ADDR_E_2(addr_a, (i)-temp_a[0], (j)-temp_a[1], acc_a[0]))
#define B(i, j) (*_XMP_M_GET_ADDR_E_2(addr_b, (i)-temp_b[0], (j)-temp_b[1], acc_b[0]))
#define C(i) (addr_c[_XMP_M_CALC_INDEX_CYCLIC(i, temp_c)])
#define D(i) (addr_d[_XMP_M_CALC_INDEX_BLOCK_CYCLIC(i, p0, 2)])
#define G(i) (addr_g[(i)-temp_g])
#define M(i) (addr_m[(i)-temp_m])

static void align2(void **array, int *temp)
{
    /* a[i][j] with t[i][j]: the dimensions of templates count from the one that runs fastest. */
    _XMP_init_array_desc(array, tb, 2, INT, sizeof(int), N, N);
    _XMP_align_array_BLOCK(*array, 0, 1, 0LL, &temp[0]);
    _XMP_align_array_BLOCK(*array, 1, 0, 0LL, &temp[1]);
    _XMP_init_array_comm(*array, 0, 0);
    _XMP_init_array_nodes(*array);
}

static void init(void)
{
    int k, all = xmp_all_num_nodes();
    /* p[*][all is even ? 2 : 1]: the last dimension first. */
    _XMP_init_nodes_DYNAMIC_GLOBAL(&p, 2, all % 2 ? 1 : 2, -1, &p1, &r0, &r1);
    p0 = all % 2 ? 1 : 2;
    _XMP_init_template_FIXED(&tb, 2, 0LL, N - 1LL, 0LL, N - 1LL);
    _XMP_init_template_chunk(tb, p);
    _XMP_dist_template_BLOCK(tb, 0, 0);
    _XMP_dist_template_BLOCK(tb, 1, 1);
    align2(&a, temp_a);
    _XMP_init_shadow(a, SHADOW_NORMAL, 1, 1, SHADOW_NORMAL, 1, 1);
    _XMP_alloc_array((void **)&addr_a, a, 1, &acc_a[1], &acc_a[0]);
    align2(&b, temp_b);
    _XMP_init_shadow(b, SHADOW_NORMAL, 1, 1, SHADOW_NORMAL, 1, 1);
    _XMP_alloc_array((void **)&addr_b, b, 1, &acc_b[1], &acc_b[0]);
    /* One dimension, over the first dimension of p: copies along the other one. */
    _XMP_init_template_FIXED(&tc, 1, 0LL, N - 1LL);
    _XMP_init_template_chunk(tc, p);
    _XMP_dist_template_CYCLIC(tc, 0, 0);
    _XMP_init_array_desc(&c, tc, 1, INT, sizeof(int), N);
    _XMP_align_array_CYCLIC(c, 0, 0, 0LL, &temp_c);
    _XMP_init_array_comm(c, 0);
    _XMP_init_array_nodes(c);
    _XMP_alloc_array((void **)&addr_c, c, 1, &acc_c);
    _XMP_init_template_FIXED(&tw, 1, 0LL, N - 1LL);
    _XMP_init_template_chunk(tw, p);
    _XMP_dist_template_BLOCK_CYCLIC(tw, 0, 0, 2ULL);
    _XMP_init_array_desc(&d, tw, 1, INT, sizeof(int), N);
    _XMP_align_array_BLOCK_CYCLIC(d, 0, 0, 0LL, &temp_d);
    _XMP_init_array_comm(d, 0);
    _XMP_init_array_nodes(d);
    _XMP_alloc_array((void **)&addr_d, d, 1, &acc_d);
    /* Over a row of all: the first has all that the others have not. */
    _XMP_init_nodes_DYNAMIC_GLOBAL(&line, 1, -1, &line_size, &line_rank);
    for (k = 1; k < all; k++)
        sizes[k] = 1;
    sizes[0] = N - (all - 1);
    _XMP_init_template_FIXED(&tg, 1, 0LL, N - 1LL);
    _XMP_init_template_chunk(tg, line);
    _XMP_dist_template_GBLOCK(tg, 0, 0, sizes, &gorigin);
    _XMP_init_array_desc(&g, tg, 1, INT, sizeof(int), N);
    _XMP_align_array_GBLOCK(g, 0, 0, 0LL, &temp_g);
    _XMP_init_array_comm(g, 0);
    _XMP_init_array_nodes(g);
    _XMP_alloc_array((void **)&addr_g, g, 1, &acc_g);
    /* A pointer, whose template is fixed later. */
    _XMP_init_template_UNFIXED(&tu, 1);
    _XMP_init_template_chunk(tu, line);
    _XMP_dist_template_GBLOCK(tu, 0, 0, NULL, &morigin);
    _XMP_init_array_desc(&m, tu, 1, INT, sizeof(int), 1);
    _XMP_align_array_noalloc(m, 0, 0, 0LL, &temp_m, &acc_m);
    _XMP_init_shadow_noalloc(m, SHADOW_NORMAL, 1, 0);
}

static void finalize(void)
{
    void *arrays[] = {a, b, c, d, g}, *templates[] = {tb, tc, tw, tg, tu};
    int i;
    for (i = 0; i < 5; i++) {
        _XMP_dealloc_array(arrays[i]);
        _XMP_finalize_array_desc(arrays[i]);
    }
    _XMP_finalize_array_desc(m);
    for (i = 0; i < 5; i++)
        _XMP_finalize_template(templates[i]);
    _XMP_finalize_nodes(line);
    _XMP_finalize_nodes(p);
}

/* The bounds of this image's loop over a template dimension, as global numbers. */
static void own(void *t, int dim, int *from, int *to)
{
    int step;
    xmpc_loop_sched(0, N, 1, from, to, &step, t, dim, PLAIN, 0, 0, 0);
}

static int wrapped(int i)
{
    return (i + N) % N;
}

static void shadows(void)
{
    int i, j, i0, i1, j0, j1, t, neighbours;
    own(tb, 1, &i0, &i1);
    own(tb, 0, &j0, &j1);
    for (t = 0; t < 3; t++) {
        for (i = i0; i < i1; i++)
            for (j = j0; j < j1; j++)
                A(xmpc_ltog(i, tb, 1, 0), xmpc_ltog(j, tb, 0, 0)) =
                    1000 * (t + 1) + 20 * xmpc_ltog(i, tb, 1, 0) + xmpc_ltog(j, tb, 0, 0);
        if (t == 0) {
            _XMP_set_reflect__(a, 0, 1, 1, 1);
            _XMP_set_reflect__(a, 1, 1, 1, 1);
            _XMP_reflect__(a);
        } else if (t == 1) {
            _XMP_set_reflect__(a, 0, 1, 1, 1);
            _XMP_set_reflect__(a, 1, 0, 0, 0);
            _XMP_reflect__(a);
            _XMP_set_reflect__(a, 0, 0, 0, 0);
            _XMP_set_reflect__(a, 1, 1, 1, 1);
            _XMP_reflect__(a);
        } else {
            _XMP_set_reflect__(a, 0, 1, 1, 1);
            _XMP_set_reflect__(a, 1, 1, 1, 1);
            _XMP_reflect_async__(a, 17);
            _XMP_wait_async__(17);
            xmpc_end_async(17);
        }
        for (i = i0; i < i1; i++)
            for (j = j0; j < j1; j++) {
                const int gi = xmpc_ltog(i, tb, 1, 0), gj = xmpc_ltog(j, tb, 0, 0);
                int di, dj;
                for (di = -1; di <= 1; di++)
                    for (dj = -1; dj <= 1; dj++)
                        REQUIRE(A(gi + di, gj + dj) == 1000 * (t + 1) + 20 * wrapped(gi + di) + wrapped(gj + dj));
            }
    }
    /* What neighbours along one dimension have as shadow is added to who has the element. */
    for (i = i0; i < i1; i++)
        for (j = j0; j < j1; j++)
            A(xmpc_ltog(i, tb, 1, 0), xmpc_ltog(j, tb, 0, 0)) = 1;
    _XMP_reflect__(a);
    _XMP_reduce_shadow__(a);
    for (i = i0; i < i1; i++)
        for (j = j0; j < j1; j++) {
            const int gi = xmpc_ltog(i, tb, 1, 0), gj = xmpc_ltog(j, tb, 0, 0);
            neighbours = (gi > 0 && i == i0) + (gi < N - 1 && i == i1 - 1) + (gj > 0 && j == j0)
                         + (gj < N - 1 && j == j1 - 1);
            REQUIRE(A(gi, gj) == 1 + neighbours);
        }
    /* An id that nothing has. */
    _XMP_wait_async__(99);
    REQUIRE(xmp_test_async(98) == 1);
}

/* to[t0:n] = from[f0:n] of arrays of one dimension. */
static void move(void *to, int t0, void *from, int f0, int n, int mode)
{
    void *left, *right;
    xmpc_gmv_g_alloc(&left, to);
    xmpc_gmv_g_dim_info(left, 0, RANGE, t0, n, 1);
    xmpc_gmv_g_alloc(&right, from);
    xmpc_gmv_g_dim_info(right, 0, RANGE, f0, n, 1);
    xmpc_gmv_do(left, right, mode);
    xmpc_gmv_dealloc(left);
    xmpc_gmv_dealloc(right);
}

static void moves(void)
{
    void *left, *right;
    int i, j, i0, i1, j0, j1, local[N], scalar = -1;
    own(tg, 0, &i0, &i1);
    for (i = i0; i < i1; i++)
        G(xmpc_ltog(i, tg, 0, 0)) = 100 + xmpc_ltog(i, tg, 0, 0);
    /* gblock -> cyclic -> cyclic(2), shifted, -> gblock */
    move(c, 0, g, 0, N, COLLECTIVE);
    own(tc, 0, &i0, &i1);
    for (i = i0; i < i1; i++)
        REQUIRE(C(xmpc_ltog(i, tc, 0, 0)) == 100 + xmpc_ltog(i, tc, 0, 0));
    move(d, 2, c, 0, N - 2, COLLECTIVE);
    xmpc_init_async(5);
    move(g, 0, d, 2, N - 2, COLLECTIVE);
    xmpc_start_async();
    _XMP_wait_async__(5);
    xmpc_end_async(5);
    own(tg, 0, &i0, &i1);
    for (i = i0; i < i1; i++)
        REQUIRE(G(xmpc_ltog(i, tg, 0, 0)) == 100 + xmpc_ltog(i, tg, 0, 0));
    /* One side only. */
    move(c, 0, g, 1, N - 1, IN);
    own(tc, 0, &i0, &i1);
    for (i = i0; i < i1; i++)
        if (xmpc_ltog(i, tc, 0, 0) < N - 1)
            REQUIRE(C(xmpc_ltog(i, tc, 0, 0)) == 101 + xmpc_ltog(i, tc, 0, 0));
    move(g, 0, c, 0, N - 1, OUT);
    own(tg, 0, &i0, &i1);
    for (i = i0; i < i1; i++)
        if (xmpc_ltog(i, tg, 0, 0) < N - 1)
            REQUIRE(G(xmpc_ltog(i, tg, 0, 0)) == 101 + xmpc_ltog(i, tg, 0, 0));
    /* The same by an id: when that was waited for, all have done it. Others begin and end meanwhile. */
    xmpc_init_async(6);
    move(d, 0, c, 0, N - 1, IN);
    xmpc_start_async(1); /* as after a gmove */
    _XMP_barrier_EXEC();
    _XMP_reflect_async__(a, 7);
    _XMP_wait_async__(7);
    _XMP_wait_async__(6);
    own(tw, 0, &i0, &i1);
    for (i = i0; i < i1; i++)
        if (xmpc_ltog(i, tw, 0, 0) < N - 1)
            REQUIRE(D(xmpc_ltog(i, tw, 0, 0)) == 101 + xmpc_ltog(i, tw, 0, 0));
    xmpc_init_async(6);
    move(c, 1, d, 0, N - 1, OUT);
    xmpc_start_async();
    while (!xmp_test_async(6))
        ;
    own(tc, 0, &i0, &i1);
    for (i = i0; i < i1; i++)
        if (xmpc_ltog(i, tc, 0, 0) > 0)
            REQUIRE(C(xmpc_ltog(i, tc, 0, 0)) == 100 + xmpc_ltog(i, tc, 0, 0));
    /* b[:][3] = local[:], local[4:4] = g[0:4] (a section of a local array that is called an index), scalar = g[5] */
    for (i = 0; i < N; i++)
        local[i] = 7 * i;
    xmpc_gmv_g_alloc(&left, b);
    xmpc_gmv_g_dim_info(left, 0, ALL, 0, 0, 0);
    xmpc_gmv_g_dim_info(left, 1, INDEX, 3, 1, 1);
    xmpc_gmv_l_alloc(&right, local, 1);
    xmpc_gmv_l_dim_info(right, 0, 0, N, ALL, 0, 0, 0);
    xmpc_gmv_do(left, right, COLLECTIVE);
    xmpc_gmv_dealloc(left);
    xmpc_gmv_dealloc(right);
    own(tb, 1, &i0, &i1);
    own(tb, 0, &j0, &j1);
    for (i = i0; i < i1; i++)
        for (j = j0; j < j1; j++)
            if (xmpc_ltog(j, tb, 0, 0) == 3)
                REQUIRE(B(xmpc_ltog(i, tb, 1, 0), 3) == 7 * xmpc_ltog(i, tb, 1, 0));
    xmpc_gmv_l_alloc(&left, local, 1);
    xmpc_gmv_l_dim_info(left, 0, 0, N, INDEX, 4, 4, 1);
    xmpc_gmv_g_alloc(&right, g);
    xmpc_gmv_g_dim_info(right, 0, RANGE, 0, 4, 1);
    xmpc_gmv_do(left, right, COLLECTIVE);
    xmpc_gmv_dealloc(left);
    xmpc_gmv_g_dim_info(right, 0, INDEX, 5, 1, 1);
    xmpc_gmv_l_alloc(&left, &scalar, 0);
    xmpc_gmv_do(left, right, COLLECTIVE);
    xmpc_gmv_dealloc(left);
    xmpc_gmv_dealloc(right);
    for (i = 0; i < N; i++)
        REQUIRE(local[i] == (i < 4 || i >= 8 ? 7 * i : 101 + i - 4));
    REQUIRE(scalar == 106);
}

static void pointers(void)
{
    int i, i0, i1;
    _XMP_set_template_size(tu, 1, 0LL, N - 1LL);
    _XMP_dist_template_GBLOCK(tu, 0, 0, sizes, &morigin);
    addr_m = xmp_malloc(_XMP_desc_of(m), N);
    own(tu, 0, &i0, &i1);
    for (i = i0; i < i1; i++)
        M(morigin + i) = morigin + i;
    _XMP_reflect__(m);
    if (line_rank > 0)
        REQUIRE(M(morigin - 1) == morigin - 1);
    REQUIRE(_XMP_lidx_GBLOCK(m, 0, morigin) == 1);
    xmp_free(_XMP_desc_of(m));
}

static void inquiries(void)
{
    int value, map[64], lower, upper, step, i;
    void *of, *part, *task;
    REQUIRE(xmp_desc_kind(p, &value) == 0 && value == XMP_DESC_NODES);
    REQUIRE(xmp_desc_kind(tb, &value) == 0 && value == XMP_DESC_TEMPLATE);
    REQUIRE(xmp_desc_kind(a, &value) == 0 && value == XMP_DESC_ARRAY);
    REQUIRE(xmp_desc_kind(NULL, &value) == -1);
    REQUIRE(xmp_nodes_ndims(p, &value) == 0 && value == 2);
    REQUIRE(xmp_nodes_size(p, 2, &value) == 0 && value == p1);
    REQUIRE(xmp_nodes_index(p, 1, &value) == 0 && value == r0 + 1);
    REQUIRE(xmpc_nodes_index(p, 1, &value) == 0 && value == r0);
    REQUIRE(xmp_nodes_attr(p, &value) == 0 && value == XMP_ENTIRE_NODES);
    REQUIRE(xmp_array_ndims(a, &value) == 0 && value == 2);
    REQUIRE(xmp_array_lbound(a, 1, &value) == 0 && value == 0);
    REQUIRE(xmp_array_ubound(a, 1, &value) == 0 && value == N - 1);
    REQUIRE(xmp_array_gsize(a, 2) == N);
    REQUIRE(xmp_array_lshadow(a, 1, &value) == 0 && value == 1);
    REQUIRE(xmp_align_axis(a, 1, &value) == 0 && value == 2);
    REQUIRE(xmp_align_offset(a, 1, &value) == 0 && value == 0);
    REQUIRE(xmp_align_template(a, &of) == 0 && of == tb);
    REQUIRE(xmp_dist_nodes(tb, &of) == 0 && of == p);
    REQUIRE(xmp_dist_format(tw, 1, &value) == 0 && value == XMP_CYCLIC);
    REQUIRE(xmp_dist_blocksize(tw, 1, &value) == 0 && value == 2);
    REQUIRE(xmp_dist_axis(tb, 2, &value) == 0 && value == 2);
    REQUIRE(xmp_template_fixed(tb, &value) == 0 && value == 1);
    REQUIRE(xmp_template_ubound(tb, 1, &value) == 0 && value == N - 1);
    REQUIRE(xmp_dist_gblockmap(tg, 1, map) == 0);
    for (i = 0; i < line_size; i++)
        REQUIRE(map[i] == sizes[i]);
    REQUIRE(xmp_array_gtol(g, 1, 0, &value) == 0 && value == 0);
    REQUIRE(xmp_array_lead_dim(a, map) == 0 && xmp_array_lda(a, &value) == 0 && value == map[0]);
    /* No answer: nothing is written. */
    value = 77;
    REQUIRE(xmp_dist_gblockmap(tb, 1, &value) == -1);
    REQUIRE(xmp_nodes_size(p, 3, &value) == -1 && xmp_array_lbound(a, 0, &value) == -1);
    REQUIRE(xmp_array_gtol(g, 1, N, &value) == -1 && xmp_array_lda(g, &value) == -1);
    REQUIRE(xmp_nodes_ndims(a, &value) == -1 && xmp_nodes_equiv(p, &of, map, map, map) == -1);
    REQUIRE(value == 77);
    REQUIRE(xmp_array_laddr(a, &of) == 0 && of == addr_a);
    /* nodes q(*)=p(1,*) and p(*,:): the line of this image. */
    _XMP_init_nodes_STATIC_NODES_NAMED(&part, 1, line, 0, 1, 1, 1, 1, &value);
    REQUIRE(xmp_nodes_equiv(part, &of, &lower, &upper, &step) == 0);
    REQUIRE(of == line && lower == 1 && upper == 1 && step == 1);
    REQUIRE(xmp_nodes_attr(part, &value) == 0 && value == XMP_EQUIVALENCE_NODES);
    _XMP_finalize_nodes(part);
    /* gblock on a template whose bounds are said later. */
    _XMP_init_template_UNFIXED(&part, 1);
    _XMP_init_template_chunk(part, line);
    value = -1;
    _XMP_dist_template_GBLOCK(part, 0, 0, sizes, &value);
    REQUIRE(xmp_template_fixed(part, &lower) == 0 && lower == 0 && value == -1);
    REQUIRE(xmp_template_lbound(part, 1, &lower) == -1 && lower == 0);
    _XMP_set_template_size(part, 1, 100LL, 100LL + N - 1);
    for (upper = 100, i = 0; i < line_rank; i++)
        upper += sizes[i];
    REQUIRE(xmp_template_fixed(part, &lower) == 0 && lower == 1 && value == upper);
    _XMP_finalize_template(part);
    _XMP_init_nodes_DYNAMIC_NODES_NAMED(&part, 1, p, 1, 0, 1, p1, 1, &value, &i);
    REQUIRE(value == p1 && i == r1);
    task = NULL;
    REQUIRE(_XMP_exec_task_NODES_ENTIRE(&task, part));
    REQUIRE(xmp_num_nodes() == p1);
    _XMP_pop_nodes();
    _XMP_finalize_nodes(part);
    /* A reduction along one dimension of the nodes. */
    value = 1;
    if (_XMP_init_reduce_comm_NODES(p, 0, 1)) {
        _XMP_reduce_CLAUSE(&value, 1, INT, SUM);
        _XMP_pop_n_free_nodes();
    }
    REQUIRE(value == p0);
    value = 1;
    if (_XMP_init_reduce_comm_TEMPLATE(tb, 1, 0)) {
        _XMP_reduce_CLAUSE(&value, 1, INT, SUM);
        _XMP_pop_n_free_nodes();
    }
    REQUIRE(value == p1);
}

/* Greatest value with its place, the first and the last of several. */
static void locations(void)
{
    double x = xmp_node_num() / 2;
    int i = xmp_node_num(), all = xmp_num_nodes(), pair[2];
    _XMP_reduce_FLMM_CLAUSE(&x, 1, DOUBLE, FIRSTMAX, 1, &i, INT);
    REQUIRE(x == all / 2 && i == (all < 2 ? 1 : all / 2 * 2));
    x = 1;
    i = xmp_node_num();
    _XMP_M_REDUCE_FLMM_EXEC(&x, 1, DOUBLE, LASTMIN, 1, &i, INT);
    REQUIRE(x == 1 && i == all);
    x = -xmp_node_num();
    pair[0] = xmp_node_num();
    pair[1] = 2 * xmp_node_num();
    xmp_reduce_loc_init(1, (long double)x, &x, DOUBLE);
    xmp_reduce_loc_set(pair, 2, sizeof(int));
    xmp_reduce_loc_execute(MINLOC);
    REQUIRE(x == -all && pair[0] == all && pair[1] == 2 * all);
}

/* A factor that is no double. */
static void products(void)
{
    long double x = xmp_node_num() == 1 ? 0x1p63L - 1 : 2, expected = 0x1p63L - 1;
    for (int k = 1; k < xmp_num_nodes(); k++)
        expected *= 2;
    _XMP_reduce_CLAUSE(&x, 1, LONG_DOUBLE, PRODUCT);
    REQUIRE(x == expected);
}

static int xmpc_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    if (xmp_all_num_nodes() > N)
        return 0;
    shadows();
    moves();
    pointers();
    inquiries();
    locations();
    products();
    _XMP_barrier_EXEC();
    return 0;
}
