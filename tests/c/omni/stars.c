/* nodes p(*,*): the argument is the size of the first dimension, which the environment gives. */
#include "check.h"

static void *p;
static int columns, rows, column, row;

static void init(void)
{
    _XMP_init_nodes_DYNAMIC_GLOBAL(&p, 2, -1, &columns, -1, &rows, &column, &row);
}

static void finalize(void)
{
    _XMP_finalize_nodes(p);
}

static int xmpc_main(int argc, char **argv)
{
    REQUIRE(argc == 2 && columns == atoi(argv[1]));
    REQUIRE(columns * rows == xmp_num_nodes());
    REQUIRE(column + columns * row == xmpc_node_num());
    return 0;
}
