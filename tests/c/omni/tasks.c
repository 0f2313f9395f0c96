/* Tasks: entered by those whom they concern, cached, nested, on nodes and on templates; node numbers within. */
#include "check.h"

static void *_XMP_DESC_p, *_XMP_DESC_t;
static int size, rank;

static void init(void)
{
    _XMP_init_nodes_DYNAMIC_GLOBAL(&_XMP_DESC_p, 1, -1, &size, &rank);
    _XMP_init_template_FIXED(&_XMP_DESC_t, 1, 0LL, 10LL * size - 1);
    _XMP_init_template_chunk(_XMP_DESC_t, _XMP_DESC_p);
    _XMP_dist_template_BLOCK(_XMP_DESC_t, 0, 0);
}

static void finalize(void)
{
    _XMP_finalize_template(_XMP_DESC_t);
    _XMP_finalize_nodes(_XMP_DESC_p);
}

/* The number of images in a task. */
static int count(void)
{
    int one = 1;
    _XMP_M_REDUCE_EXEC(&one, 1, INT, SUM);
    return one;
}

static int xmpc_main(int argc, char **argv)
{
    void *task = NULL, *inner = NULL, *lines = NULL, *whole = NULL;
    int i, sum;
    (void)argc;
    (void)argv;
    /* Each image executes alone once, and no other image waits for it. */
    for (i = 1; i <= size; i++)
        if (_XMP_exec_task_NODES_PART(&task, _XMP_DESC_p, 0, i, i, 1)) {
            REQUIRE(i == rank + 1);
            REQUIRE(xmp_num_nodes() == 1 && xmp_node_num() == 1 && xmpc_this_image() == 0);
            REQUIRE(xmp_all_node_num() == i && xmp_all_num_nodes() == size);
            REQUIRE(count() == 1);
            _XMP_pop_nodes();
        }
    /* Again and again, of every other one. */
    for (i = 0; i < 100; i++)
        if (_XMP_exec_task_NODES_PART(&task, _XMP_DESC_p, 0, 1, size, 2)) {
            REQUIRE(rank % 2 == 0);
            REQUIRE(xmp_num_nodes() == (size + 1) / 2 && xmp_node_num() == rank / 2 + 1);
            sum = rank;
            _XMP_reduce_NODES_ENTIRE(_XMP_get_execution_nodes(), &sum, 1, INT, MAX);
            REQUIRE(sum == (size - 1) / 2 * 2);
            if (_XMP_exec_task_NODES_PART(&inner, _XMP_DESC_p, 0, 1, 1, 1)) {
                REQUIRE(rank == 0 && count() == 1);
                _XMP_pop_nodes();
            }
            _XMP_pop_nodes();
        }
    REQUIRE(count() == size);
    /* The task that was left last is entered again, by the same reference, or another one follows; both also within a
       task, whose executing nodes are others each time. */
    for (i = 0; i < 40; i++) {
        int first = i / 4 % size + 1, again;
        if (!_XMP_exec_task_NODES_PART(&task, _XMP_DESC_p, 0, first, size, 1)) {
            REQUIRE(rank < first - 1);
            continue;
        }
        REQUIRE(rank >= first - 1 && count() == size - first + 1);
        for (again = 0; again < 3; again++) {
            if (_XMP_exec_task_NODES_PART(&inner, _XMP_DESC_p, 0, first, first, 1)) {
                REQUIRE(rank == first - 1 && xmp_num_nodes() == 1 && count() == 1);
                _XMP_pop_nodes();
            }
            REQUIRE(xmp_num_nodes() == size - first + 1);
        }
        _XMP_pop_nodes();
    }
    REQUIRE(count() == size);
    /* Each with itself: `*` is one's own number. */
    REQUIRE(_XMP_exec_task_NODES_PART(&lines, _XMP_DESC_p, 1));
    REQUIRE(xmp_num_nodes() == 1);
    _XMP_pop_nodes();
    REQUIRE(_XMP_exec_task_NODES_ENTIRE(&whole, _XMP_DESC_p));
    REQUIRE(xmp_num_nodes() == size);
    _XMP_pop_nodes();
    _XMP_exec_task_NODES_FINALIZE(task);
    _XMP_exec_task_NODES_FINALIZE(inner);
    _XMP_exec_task_NODES_FINALIZE(lines);
    _XMP_exec_task_NODES_FINALIZE(whole);
    task = NULL;
    /* Who has t(5:14): the first two. */
    sum = size < 2 ? size : 2;
    if (_XMP_exec_task_TEMPLATE_PART(&task, _XMP_DESC_t, 0, 5LL, size > 1 ? 14LL : 9LL, 1LL)) {
        REQUIRE(rank < 2 && count() == sum);
        _XMP_pop_nodes();
    } else
        REQUIRE(rank >= 2);
    _XMP_exec_task_NODES_FINALIZE(task);
    REQUIRE(_XMP_exec_task_TEMPLATE_PART_nocomm(_XMP_DESC_t, 0, 0LL, 9LL, 1LL) == (rank == 0));
    REQUIRE(_XMP_exec_task_NODES_PART_nocomm(_XMP_DESC_p, 0, size, size, 1) == (rank == size - 1));
    REQUIRE(_XMP_exec_task_NODES_ENTIRE_nocomm(_XMP_DESC_p));
    task = NULL;
    if (_XMP_exec_task_GLOBAL_PART(&task, size, size, 1)) {
        REQUIRE(rank == size - 1);
        _XMP_pop_nodes();
    }
    _XMP_exec_task_NODES_FINALIZE(task);
    REQUIRE(count() == size);
    _XMP_barrier_EXEC();
    return 0;
}
