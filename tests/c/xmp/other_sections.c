/* Node 2 assigns another section than the others. Each node has the elements of both sides, so none sends anything: with "whole" all nodes
 * assign the same. */
#include <string.h>
#include <xmp.h>
#pragma xmp nodes p[*]
#pragma xmp template t[32]
#pragma xmp distribute t[block] onto p
int a[32], b[32];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with t[i]

int main(int argc, char **argv)
{
    int is_other = xmp_node_num() == 2 && (argc < 2 || strcmp(argv[1], "whole") != 0);
#pragma xmp loop on t[i]
    for (int i = 0; i < 32; i++)
        b[i] = i;
    if (is_other) {
#pragma xmp gmove
        a[1:3] = b[1:3];
    } else {
#pragma xmp gmove
        a[0:3] = b[0:3];
    }
#pragma xmp barrier
    return 0;
}
