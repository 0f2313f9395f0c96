/* Tasks on nodes and templates, and what communicates within them. */
#include "check.h"
#include <complex.h>
#include <pthread.h>

#pragma xmp nodes p(*)
#pragma xmp template t(1:100)
#pragma xmp distribute t(block) onto p

#pragma xmp template grid[100][3]
#pragma xmp distribute grid[cyclic][*] onto p

static int wide[100];
#pragma xmp align wide[i] with t(i + 1)

/* One node at a time moves elements that are anywhere. */
static int moved_by_one(int node)
{
    int part[10], wrong = 0;
#pragma xmp loop on t(i + 1)
    for (int i = 0; i < 100; i++)
        wide[i] = i;
#pragma xmp barrier
#pragma xmp task on p(node)
    {
#pragma xmp gmove in
        part[:] = wide[90:10];
        for (int k = 0; k < 10; k++)
            wrong += part[k] != 90 + k;
#pragma xmp gmove out
        wide[1:5:20] = part[3:5];
    }
#pragma xmp barrier
#pragma xmp loop on t(i + 1)
    for (int i = 0; i < 100; i++)
        wrong += wide[i] != (i % 20 == 1 ? 93 + i / 20 : i);
#pragma xmp reduction (+: wrong)
    return wrong;
}

static int member(int first, int last)
{
    int me = xmp_all_node_num();
    return me >= first && me <= last;
}

static int leaves_early(int nodes)
{
#pragma xmp task on p(1:nodes)
    {
        if (xmp_num_nodes() == nodes)
            return 1;
    }
    return 0;
}

static void *number_of_nodes(void *count)
{
    *(int *)count = xmp_num_nodes();
    return NULL;
}

/* The same tasks again and again, one in the other and with `*`; from the second round on a thread has called the library. */
static int counted_by_a_thread(int rounds, int nodes)
{
    int entered = 0;
    for (int round = 0; round < rounds; round++) {
        for (int turn = 0; turn < 3; turn++) {
#pragma xmp task on p(1:nodes)
            {
                REQUIRE(xmp_num_nodes() == nodes);
#pragma xmp task on p(nodes)
                {
                    REQUIRE(xmp_all_node_num() == nodes && xmp_num_nodes() == 1);
                    entered++;
                }
                REQUIRE(xmp_num_nodes() == nodes);
            }
#pragma xmp task on p(*)
            REQUIRE(xmp_num_nodes() == 1);
        }
        pthread_t thread;
        int count = 0;
#pragma xmp task on p(1:nodes)
        {
            REQUIRE(pthread_create(&thread, NULL, number_of_nodes, &count) == 0);
            REQUIRE(pthread_join(thread, NULL) == 0 && count == nodes);
        }
    }
    return entered;
}

int main(void)
{
    const int all = xmp_all_num_nodes(), me = xmp_all_node_num(), half = (all + 1) / 2;
    int x, sum, list[3], count = 0;
    double least, where;
    short bits;
    double complex z;

#pragma xmp task on p(1:half)
    {
        count = xmp_num_nodes();
        sum = 1;
#pragma xmp reduction (+: sum)
        REQUIRE(member(1, half) && sum == half && xmp_node_num() == me);
    }
    REQUIRE(count == (member(1, half) ? half : 0));

#pragma xmp task on p(half:all) nocomm
    REQUIRE(member(half, all) && xmp_num_nodes() == all);

    count = 0;
    for (int turn = 0; turn < 3; turn++) {
#pragma xmp task on t(1)
        {
            REQUIRE(me == 1);
            if (turn == 1)
                continue;
            count++;
        }
        REQUIRE(xmp_num_nodes() == all);
    }
    REQUIRE(count == (me == 1 ? 2 : 0));
    REQUIRE(leaves_early(half) == member(1, half));
    REQUIRE(moved_by_one(1) == 0 && moved_by_one(half) == 0 && moved_by_one(all) == 0);
    REQUIRE(counted_by_a_thread(3, half) == (me == half ? 9 : 0));
    REQUIRE(xmp_num_nodes() == all);

#pragma xmp tasks
    {
#pragma xmp task on p(1)
        count = 10;
#pragma xmp task on p(all)
        count = 20;
    }
    REQUIRE(me != all || count == 20);
    REQUIRE(me != 1 || all == 1 || count == 10);

    x = me;
    list[0] = list[1] = list[2] = me;
#pragma xmp bcast (x, list[1:2]) from p(all)
    REQUIRE(x == all && list[0] == me && list[1] == all && list[2] == all);
#pragma xmp bcast (list)
    REQUIRE(list[0] == 1 && list[2] == all);
    x = me;
#pragma xmp bcast (x) from p(half) on p(half:all)
    REQUIRE(x == (member(half, all) ? half : me));
    /* From the node that has an index of a template, and within a task. */
    int owner = 0;
#pragma xmp task on t(60) nocomm
    owner = me;
    x = owner;
#pragma xmp reduction (max: owner)
#pragma xmp bcast (x) from t(60)
    REQUIRE(x == owner);
    x = me;
#pragma xmp task on p(half:all)
    {
        x = me == all ? 7 : 0;
#pragma xmp bcast (x) from grid[all - 1][*]
    }
    REQUIRE(x == (member(half, all) ? 7 : me));
#pragma xmp barrier
#pragma xmp barrier on p(1:half)
#pragma xmp barrier on p

    least = 100 - me;
    where = me / 2.0;
#pragma xmp reduction (firstmin: least /x, where/)
    REQUIRE(least == 100 - all && where == all / 2.0);
    x = me;
    least = me % 2;
#pragma xmp reduction (max: least /x/)
    REQUIRE(least == 1 && x == 1);
    int greatest = me, row[2][2] = {{me, me}, {me, me}};
#pragma xmp reduction (max: greatest /row[1][:]/)
    REQUIRE(greatest == all && row[0][1] == me && row[1][0] == all && row[1][1] == all);
    bits = (short)(1 << me);
#pragma xmp reduction (|: bits)
    REQUIRE(bits == (short)((2 << all) - 2));
    z = me * I;
#pragma xmp reduction (+: z) async(3)
#pragma xmp wait_async (3)
    REQUIRE(cimag(z) == all * (all + 1) / 2 && creal(z) == 0);
    long product = 1;
#pragma xmp loop on t(i) reduction(*: product)
    for (int i = 1; i <= 10; i++)
        product *= i;
    REQUIRE(product == 3628800);
    unsigned flags = 5;
#pragma xmp loop on p(i) reduction(^: flags)
    for (int i = 1; i <= all; i++)
        flags ^= 1u << i;
    REQUIRE(flags == (5 ^ ((2u << all) - 2)));
    if (me > 0)
#pragma xmp barrier
    return 0;
    return 1;
}
