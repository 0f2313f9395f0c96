/* A node fixes templates otherwise than the others, as the argument says: with "alike" all do the same. */
#include <string.h>
#include <xmp.h>
#include "check.h"
#pragma xmp nodes p[*]
#pragma xmp template t[:][:]
#pragma xmp distribute t[block][*] onto p
#pragma xmp template parts[:]
#pragma xmp distribute parts[gblock(*)] onto p
int *a;
#pragma xmp align a[i] with parts[i]

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "alike";
    int me = xmp_node_num(), rows = 16, columns = 8, sum = 0;
    int sizes[3] = {4, 4, 8};
    if (me == 2 && strcmp(what, "bounds") == 0)
        rows = 17;
    if (me == 3 && strcmp(what, "later bounds") == 0)
        columns = 9;
    if (me == 2 && strcmp(what, "blocks") == 0) {
        sizes[0] = 3;
        sizes[1] = 5;
    }
#pragma xmp template_fix t[rows][columns]
    if (me != 2 || strcmp(what, "not at all") != 0) {
#pragma xmp template_fix[gblock(sizes)] parts[16]
    }
    a = (int *)xmp_malloc(xmp_desc_of(a), 16);
#pragma xmp loop on parts[i] reduction(+: sum)
    for (int i = 0; i < 16; i++)
        sum += a[i] = i;
    REQUIRE(sum == 120);
    return 0;
}
