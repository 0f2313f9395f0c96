/* Checks of programs with directives: what differs is said, and the program ends with status 1. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <xmp.h>

#define REQUIRE(condition)                                                                           \
    do {                                                                                             \
        if (!(condition)) {                                                                          \
            fprintf(stderr, "%s:%d: node %d of %d: not so: %s\n", __FILE__, __LINE__,                \
                    xmp_all_node_num(), xmp_all_num_nodes(), #condition);                            \
            exit(1);                                                                                 \
        }                                                                                            \
    } while (0)

#endif
