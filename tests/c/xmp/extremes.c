/* The first image wants another extreme than the others, or has variables of other types: the argument says in which way. */
#include <stdio.h>
#include <string.h>
#include <xmp.h>
#pragma xmp nodes p[*]

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    int me = xmpc_node_num(), is_first = me == 0, i = me, x = me;
    double s = me;
    long j = me;
    float f = me, g = me;
    unsigned u = (unsigned)me;
    if (is_first && strcmp(way, "least") == 0) {
#pragma xmp reduction(firstmin : s / i /)
    } else if (is_first && strcmp(way, "last") == 0) {
#pragma xmp reduction(lastmax : s / i /)
    } else if (is_first && strcmp(way, "types") == 0) {
#pragma xmp reduction(firstmax : f / j /)
    } else if (is_first && strcmp(way, "value") == 0) {
#pragma xmp reduction(firstmax : j / i /)
    } else if (is_first && strcmp(way, "unsigned") == 0) {
#pragma xmp reduction(firstmax : s / u /)
    } else if (is_first && strcmp(way, "location") == 0) {
#pragma xmp reduction(firstmax : s / g /)
    } else if (strcmp(way, "alike") == 0 && is_first) {
#pragma xmp reduction(firstmax : s / x /)
    } else {
#pragma xmp reduction(firstmax : s / i /)
    }
#pragma xmp barrier
    if (strcmp(way, "alike") != 0)
        printf("%d: %g %d %ld %g %u %g\n", me, s, i, j, f, u, g);
    return 0;
}
