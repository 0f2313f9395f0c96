/* Node 1 puts sections and elements of a coarray, then node 2 accesses one of the elements. With "sync", "images" or "post" as the
   argument the nodes synchronise in between. The comments mark the statements. */
#include <stdio.h>
#include <string.h>
#include <xmp.h>

#pragma xmp nodes p[2]

int x[4][6]:[*];
int y[4][6];

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int me = xmpc_this_image(), status;
    xmp_sync_all(NULL);
    if (me == 0)
        x[1:2][2:2]:[1] = y[1:2][2:2]; /* first */
    if (!strcmp(how, "sync"))
        xmp_sync_all(&status);
    if (!strcmp(how, "images"))
        xmp_sync_image(1 - me, &status);
    if (!strcmp(how, "post")) {
        if (me == 0) {
#pragma xmp post(p[1], 1)
        } else {
#pragma xmp wait(p[0], 1)
        }
    }
    if (me == 1)
        x[2][3] = 8; /* second */
    xmp_sync_all(NULL);
    if (me == 0)
        printf("done\n");
    return 0;
}
