/* The inquiries of XcalableMP for the sequential programs: one node. Fortran calls functions of its own names. */
#include <stddef.h>
#include <time.h>
#include <xmp.h>

int xmp_node_num(void)
{
    return 1;
}

int xmp_num_nodes(void)
{
    return 1;
}

double xmp_wtime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int xmp_node_num_(void)
{
    return 1;
}

int xmp_num_nodes_(void)
{
    return 1;
}
