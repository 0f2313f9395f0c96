/* Node 2 leaves out the last barrier of the program. */
#include <xmp.h>
#pragma xmp nodes p[*]

int main(void)
{
#pragma xmp barrier
    if (xmp_node_num() != 2) {
#pragma xmp barrier
    }
    return 0;
}
