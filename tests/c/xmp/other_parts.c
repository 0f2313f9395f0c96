/* Node 2 executes a directive with other parts of the arrays than the others, as the argument says: with "alike" all do the same. */
#include <string.h>
#include <xmp.h>
#include "check.h"
#pragma xmp nodes p[*]
#pragma xmp template t[36]
#pragma xmp template u[36]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute u[cyclic] onto p
int a[36], b[36];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with u[i]
#pragma xmp shadow a[1]

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "alike";
    int is_other = xmp_node_num() == 2, first = 0;
#pragma xmp loop on t[i]
    for (int i = 0; i < 36; i++)
        a[i] = i;
    if (is_other && strcmp(what, "widths") == 0) {
#pragma xmp reflect (a) width(0:1)
    } else {
#pragma xmp reflect (a)
    }
    if (is_other && strcmp(what, "sections") == 0)
        first = 1;
#pragma xmp gmove
    b[first:35] = a[0:35];
    if (is_other && strcmp(what, "in the background") == 0) {
#pragma xmp reflect (a) width(0:1) async(1)
    } else {
#pragma xmp reflect (a) async(1)
    }
#pragma xmp wait_async (1)
#pragma xmp barrier
    if (strcmp(what, "alike") != 0)
        return 0;
#pragma xmp loop on u[i]
    for (int i = 0; i < 35; i++)
        REQUIRE(b[i] == i);
#pragma xmp loop on t[i]
    for (int i = 1; i < 35; i++)
        REQUIRE(a[i - 1] == i - 1 && a[i + 1] == i + 1);
    return 0;
}
