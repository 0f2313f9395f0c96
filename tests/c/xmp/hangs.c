/* Images that wait for one another for ever, in directives of XcalableMP: the argument names the mistake. A comment
   names each line that the test expects in the message. */
#include <string.h>
#include <xmp.h>

#pragma xmp nodes p[*]
#pragma xmp template t[40]
#pragma xmp distribute t[block] onto p
double a[40];
double b[40];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with t[i]
#pragma xmp shadow a[1:1]

static void wait_for_post(void)
{
#pragma xmp wait /* wait */
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    const int me = xmpc_all_node_num(), all = xmp_all_num_nodes();
    int x = me;
    if (!strcmp(how, "barrier")) {
        if (me == 0)
            wait_for_post();
#pragma xmp barrier /* barrier */
    } else if (!strcmp(how, "bcast")) {
        if (me == 0)
            wait_for_post();
#pragma xmp bcast (x) from p[0] /* bcast */
    } else if (!strcmp(how, "reduction")) {
        if (me == 0)
            wait_for_post();
#pragma xmp reduction (+: x) /* reduction */
    } else if (!strcmp(how, "reflect")) {
        if (me == 0)
            wait_for_post();
#pragma xmp reflect (a) /* reflect */
    } else if (!strcmp(how, "reflect async")) {
        if (me == 0) {
#pragma xmp barrier /* instead of reflect async */
        }
#pragma xmp reflect (a) async(1)
#pragma xmp wait_async (1) /* wait_async */
#pragma xmp barrier /* after wait_async */
    } else if (!strcmp(how, "bcast async")) {
        if (me == 0)
            wait_for_post();
#pragma xmp bcast (x) from p[0] async(1)
#pragma xmp wait_async (1) /* bcast async */
    } else if (!strcmp(how, "gmove")) {
        if (me == 0)
            wait_for_post();
#pragma xmp gmove /* gmove */
        b[0:39] = a[1:39];
    } else if (!strcmp(how, "wait for a node")) {
        if (me == 0) {
#pragma xmp wait (p[1], 4) /* wait for a node */
        }
        xmp_sync_all(NULL); /* xmp_sync_all */
    } else if (!strcmp(how, "sync image")) {
        if (me == 0)
            xmp_sync_image(2, NULL); /* xmp_sync_image */
#pragma xmp barrier /* others of sync image */
    } else if (!strcmp(how, "loop")) {
        if (me == 0)
            wait_for_post();
#pragma xmp loop on t[i] reduction(+: x)
        for (int i = 0; i < 40; i++)
            x += i; /* loop */
    } else if (!strcmp(how, "task")) {
        if (me == 0)
            wait_for_post();
#pragma xmp task on p[0:all]
        {
#pragma xmp barrier /* barrier in a task */
        }
    }
    return x < 0;
}
