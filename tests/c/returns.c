/* The first image returns 3 from main, or calls exit(3); the others go on without it. */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int me = xmprt_this_image(XMPRT_CURRENT);
    if (me == 1) {
        if (argc > 1 && strcmp(argv[1], "exit") == 0)
            exit(3);
        return 3;
    }
    printf("went on: %d\n", me);
    return 0;
}
