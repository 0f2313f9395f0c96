/* Node 2 leaves out the last barrier: of the executing nodes ("program") or of all nodes by name ("nodes"). */
#include <string.h>
#include <xmp.h>
#pragma xmp nodes p[*]

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "program";
    int is_other = xmp_node_num() == 2;
#pragma xmp barrier
    if (strcmp(which, "nobody") == 0) {
        if (is_other) {
#pragma xmp barrier on p
        } else {
#pragma xmp barrier
        }
    }
    if (strcmp(which, "program") == 0 && !is_other) {
#pragma xmp barrier
    }
    if (strcmp(which, "nodes") == 0 && !is_other) {
#pragma xmp barrier on p[:]
    }
    return 0;
}
