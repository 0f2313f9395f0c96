/* Each image names itself as the source image, which the end of the program finds: by exit(3), or by a return from main. */
#include "check.h"
#include <stdlib.h>

static void finish(void)
{
    exit(3); /* exit */
}

int main(int argc, char **argv)
{
    int x = 1;
    xmprt_co_broadcast(XMPRT_CURRENT, &x, sizeof x, xmprt_this_image(XMPRT_CURRENT));
    if (argc > 1 && strcmp(argv[1], "exit") == 0)
        finish(); /* finish */
    return 3;
}
