/* The first node returns 3 from main, or calls exit(3); the others go on without it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmp.h>

#pragma xmp nodes p(*)
#pragma xmp template t(0:99)
#pragma xmp distribute t(block) onto p

double a[100];
#pragma xmp align a[i] with t(i)

int value:[*];

int main(int argc, char **argv)
{
    int me = xmp_node_num();
    if (me == 1) {
        if (argc > 1 && strcmp(argv[1], "exit") == 0)
            exit(3);
        return 3;
    }
    printf("went on: %d\n", me);
    return 0;
}
