/* Directives that one node comes late to, for tests of traces: node 2, and node 1 to the broadcast. The comments name the
 * statements. */
#include "check.h"
#include <time.h>

#pragma xmp nodes p(*)
#pragma xmp nodes q(2) = p(1:2)
#pragma xmp template t(0:29)
#pragma xmp distribute t(block) onto p
static int u[30], v[30];
#pragma xmp align u[i] with t(i)
#pragma xmp align v[i] with t(i)
#pragma xmp shadow u[1]

/* Has a node sleep for 0.2 s. */
static void rest(int node)
{
    const struct timespec span = {.tv_nsec = 200 * 1000 * 1000};
    if (xmp_node_num() == node)
        nanosleep(&span, NULL);
}

int main(void)
{
    int x = 1, i;
#pragma xmp loop on t(i)
    for (i = 0; i < 30; i++)
        u[i] = i;
#pragma xmp barrier
    rest(2);
#pragma xmp barrier /* barrier */
    rest(2);
#pragma xmp barrier on q /* part */
    rest(2);
#pragma xmp reflect (u) /* reflect */
    rest(2);
#pragma xmp reduction (+: x) /* reduction */
    REQUIRE(x == xmp_num_nodes());
    rest(1);
#pragma xmp bcast (x) /* bcast */
    rest(2);
#pragma xmp gmove /* gmove */
    v[0:30] = u[0:30];
#pragma xmp barrier
    if (xmp_node_num() == 2) {
        rest(2);
#pragma xmp post (p(1), 1) /* post */
    }
    if (xmp_node_num() == 1) {
#pragma xmp wait (p(2), 1) /* wait */
    }
    return 0;
}
