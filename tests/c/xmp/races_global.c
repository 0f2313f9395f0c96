/* A distributed array: node 1 defines elements that node 0 gets by gmove in; or node 0 puts elements by gmove out that node 1 gives in a
   reflect or a gmove, or adds to in reduce_shadow. With "barrier" as the second argument the nodes synchronise in between. The comments
   mark the statements. */
#include <stdio.h>
#include <string.h>

#pragma xmp nodes p[2]
#pragma xmp template t[8]
#pragma xmp distribute t[block] onto p

int a[8], b[8], c[8];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with t[i]
#pragma xmp align c[i] with t[i]
#pragma xmp shadow a[1]

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    int synchronise = argc > 2 && !strcmp(argv[2], "barrier");
    if (!strcmp(way, "in")) {
#pragma xmp loop on t[i]
        for (int i = 0; i < 8; i++)
            a[i] = i; /* first in */
        if (synchronise) {
#pragma xmp barrier
        }
#pragma xmp task on p[0]
        {
#pragma xmp gmove in /* second in */
            b[0:4] = a[4:4];
        }
    } else {
#pragma xmp task on p[0]
        {
#pragma xmp gmove out /* first out */
            a[4:4] = b[0:4];
        }
        if (synchronise) {
#pragma xmp barrier
        }
        if (!strcmp(way, "reflect")) {
#pragma xmp reflect (a) /* second reflect */
        } else if (!strcmp(way, "gmove")) {
#pragma xmp gmove /* second gmove */
            c[:] = a[:];
        } else if (!strcmp(way, "shadow")) {
#pragma xmp reduce_shadow (a) /* second shadow */
        }
    }
#pragma xmp barrier
#pragma xmp task on p[0]
    printf("done\n");
    return 0;
}
