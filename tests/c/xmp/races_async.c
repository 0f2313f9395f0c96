/* Nodes begin an operation, and access elements of it before they wait for it: the first argument says what they do. With "later" as the
   second argument that comes after the wait. The comments mark the statements. What an operation sends has its values of the beginning. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma xmp nodes p[2]
#pragma xmp template t[8]
#pragma xmp distribute t[block] onto p

int a[8], c[8], d[8];
#pragma xmp align a[i] with t[i]
#pragma xmp align c[i] with t[i]
#pragma xmp align d[i] with t[i]
#pragma xmp shadow a[1]

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    int is_later = argc > 2 && !strcmp(argv[2], "later"), sum = 0;
#pragma xmp loop on t[i]
    for (int i = 0; i < 8; i++)
        a[i] = c[i] = d[i] = i;
#pragma xmp barrier
    if (!strcmp(way, "gmove") || !strcmp(way, "sent")) {
#pragma xmp gmove async(1) /* begin gmove */
        c[0:4] = d[4:4];
    } else {
#pragma xmp reflect (a) async(1) /* begin reflect */
    }
    if (is_later) {
#pragma xmp wait_async(1)
    }
    if (!strcmp(way, "gmove")) {
#pragma xmp loop on t[i]
        for (int i = 2; i < 3; i++)
            c[i] = 7; /* gmove */
    } else if (!strcmp(way, "sent")) {
#pragma xmp loop on t[i]
        for (int i = 4; i < 8; i++)
            d[i] = 7;
    } else if (!strcmp(way, "shadow")) {
#pragma xmp loop on t[i]
        for (int i = 3; i < 4; i++)
            sum += a[i + 1]; /* shadow */
    } else if (!strcmp(way, "given")) {
#pragma xmp loop on t[i]
        for (int i = 3; i < 5; i++)
            a[i] = 8;
    } else if (!strcmp(way, "inside")) {
#pragma xmp loop on t[i]
        for (int i = 1; i < 3; i++)
            a[i] += a[i]; /* inside */
    }
#pragma xmp wait_async(1)
    if (!is_later && !strcmp(way, "given")) {
#pragma xmp loop on t[i]
        for (int i = 3; i < 4; i++)
            if (a[i + 1] != 4)
                abort();
#pragma xmp loop on t[i]
        for (int i = 4; i < 5; i++)
            if (a[i - 1] != 3)
                abort();
    } else if (!is_later && !strcmp(way, "sent")) {
#pragma xmp loop on t[i]
        for (int i = 0; i < 4; i++)
            if (c[i] != i + 4)
                abort();
    }
#pragma xmp barrier
#pragma xmp task on p[0]
    printf("done%s\n", sum < 0 ? "!" : "");
    return 0;
}
