/* Coarrays in C: each image puts its number into its right neighbour. */
#include <stdio.h>
#include <xmp.h>

int from_left:[*];

int main(void)
{
    int me = xmpc_this_image(), images = xmp_num_images();
    xmp_sync_all(NULL);
    from_left:[(me + 1) % images] = me;
    xmp_sync_all(NULL);
    if (me == 0)
        printf("image 0 of %d has got %d\n", images, from_left);
    return 0;
}
