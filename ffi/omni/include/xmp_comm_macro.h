/* Reductions and broadcasts without `on`: among the executing nodes. */
#ifndef _XMP_COMM_MACRO
#define _XMP_COMM_MACRO

#define _XMP_M_REDUCE_EXEC(data, count, type, operator) \
    _XMP_reduce_NODES_ENTIRE(_XMP_get_execution_nodes(), data, count, type, operator)

#define _XMP_M_REDUCE_FLMM_EXEC(data, count, type, operator, locations, ...) \
    _XMP_reduce_FLMM_NODES_ENTIRE(_XMP_get_execution_nodes(), data, count, type, operator, locations, __VA_ARGS__)

#define _XMP_M_BCAST_EXEC_OMITTED(data, count, size) \
    _XMP_bcast_NODES_ENTIRE_OMITTED(_XMP_get_execution_nodes(), data, count, size)

#define _XMP_M_BCAST_EXEC_NODES(data, count, size, from, ...) \
    _XMP_bcast_NODES_ENTIRE_NODES(_XMP_get_execution_nodes(), data, count, size, from, __VA_ARGS__)

#endif
