/* The second image names another root than the others for a broadcast in the background. */
#include <stdio.h>
#include <xmp.h>
#pragma xmp nodes p[*]

int main(void)
{
    int me = xmpc_node_num(), x = me;
    if (me != 1) {
#pragma xmp bcast(x) from p[0] async(3)
    } else {
#pragma xmp bcast(x) from p[1] async(3)
    }
#pragma xmp wait_async(3)
#pragma xmp barrier
    printf("%d: %d\n", me, x);
    return 0;
}
