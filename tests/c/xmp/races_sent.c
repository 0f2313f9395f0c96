/* Node 1 begins a reflect, and node 0 puts to an element that it sends. With "barrier" as the argument the nodes synchronise in between,
   before node 1 waits for the reflect. The comments mark the statements. */
#include <stdio.h>
#include <string.h>

#pragma xmp nodes p[2]
#pragma xmp template t[8]
#pragma xmp distribute t[block] onto p

int a[8], b[8];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with t[i]
#pragma xmp shadow a[1]

int main(int argc, char **argv)
{
    int synchronise = argc > 1 && !strcmp(argv[1], "barrier");
#pragma xmp loop on t[i]
    for (int i = 0; i < 8; i++)
        a[i] = b[i] = i;
#pragma xmp barrier
#pragma xmp reflect (a) async(1) /* begin */
    if (synchronise) {
#pragma xmp barrier
    }
#pragma xmp task on p[0]
    {
#pragma xmp gmove out /* put */
        a[4:1] = b[0:1];
    }
#pragma xmp wait_async(1)
#pragma xmp barrier
#pragma xmp task on p[0]
    printf("done\n");
    return 0;
}
