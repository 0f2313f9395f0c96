/* Coarrays: sections and elements put and got, also in expressions; posts, atomic procedures and locks. */
#include "check.h"

#define M 4

#pragma xmp nodes p[*]

int x[6][M]:[*], flag:[*] = 5;
static double y[10]:[*];
int counts[restrict 2][3]:[*];
/* Parameters of prototypes are other variables. */
int unused(int flag, double y[restrict], int (*x)[M]);
xmp_lock_t locks[2]:[*], own:[*];

/* Cosubscripts are numbers of nodes: the last image, and images in pairs. */
#pragma xmp nodes last[1] = p[xmp_all_num_nodes() - 1]
#pragma xmp nodes each[*] = p[0:xmp_all_num_nodes()]
int of_last:[*], of_each[2]:[*];
#pragma xmp coarray on last :: of_last
#pragma xmp coarray on each :: of_each

/* Names that the translator could want for variables of its own. */
int v[3]:[*], in:[*];
#pragma xmp template s[8]
#pragma xmp template k0[8]
#pragma xmp distribute s[block] onto p
#pragma xmp distribute k0[block] onto p
int n[8], l[8];
#pragma xmp align n[i] with s[i]
#pragma xmp align l[i] with k0[i]

static void short_names(int all, int me, int next)
{
    for (int i = 0; i < 3; i++)
        v[i] = 10 * me + i;
    in = me;
    xmp_sync_all(NULL);
    int sum = in:[next] + v[2]:[next] * 2;
    REQUIRE(sum == next + 2 * (10 * next + 2));
#pragma xmp loop on s[i]
    for (int i = 0; i < 8; i++)
        n[i] = i;
#pragma xmp array on s[0:7]
    n[0:7] = n[0:7] + n[0:7];
#pragma xmp gmove
    l[:] = n[:];
    sum = all;
#pragma xmp loop on k0[i] reduction(+: sum)
    for (int i = 0; i < 8; i++)
        sum += l[i];
    REQUIRE(sum == 2 * 21 + 7 + all);
}

static int twice(int value)
{
    return 2 * value;
}

int main(void)
{
    const int all = xmp_all_num_nodes(), me = xmpc_all_node_num(), next = (me + 1) % all, before = (me + all - 1) % all;
    int local[M], square[3][M], *where = local;
    REQUIRE(flag == 5 && sizeof(x) == 6 * M * sizeof(int) && sizeof flag == sizeof(int));
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < M; i++)
            x[j][i] = 100 * me + 10 * j + i;
    for (int i = 0; i < 10; i++)
        y[i] = me + i / 16.0;
    xmp_sync_all(NULL);

    local[:] = x[2][:]:[next];
    for (int i = 0; i < M; i++)
        REQUIRE(local[i] == 100 * next + 20 + i);
    square[0:3][1:2] = x[0:3:2][0:2]:[before];
    REQUIRE(square[2][1] == 100 * before + 40 && square[1][2] == 100 * before + 21);
    where[0:2] = x[5][2:2]:[next];
    REQUIRE(local[0] == 100 * next + 52 && local[1] == 100 * next + 53);
    REQUIRE(twice(x[1][1]:[next]) + x[0][0]:[before] == 2 * (100 * next + 11) + 100 * before);
    short_names(all, me, next);
    double of_next = y[3]:[next];
    REQUIRE(of_next == next + 3 / 16.0);
    xmp_sync_all(NULL);

    for (int i = 0; i < M; i++)
        local[i] = 7000 + i;
    x[0][:]:[next] = local[:];
    x[1][0:2]:[next] = local[2:2];
    x[3][:]:[next] = -1;
    flag:[next] = me + twice(5);
    y[1:3]:[next] = y[4:3];
    y[9]:[next] = y[8] + x[5][3]:[before];
    xmp_sync_all(NULL);
    REQUIRE(x[0][3] == 7003 && x[1][1] == 7003 && x[1][2] == 100 * me + 12 && x[3][2] == -1);
    REQUIRE(flag == before + 10);
    REQUIRE(y[1] == before + 4 / 16.0 && y[3] == before + 6 / 16.0 && y[4] == me + 4 / 16.0);
    REQUIRE(y[9] == before + 8 / 16.0 + 100 * ((before + all - 1) % all) + 53);

    xmp_sync_all(NULL);
    flag:[next] = -3;
#pragma xmp post (p[next], 4)
#pragma xmp wait (p[before], 4)
    REQUIRE(flag == -3);
#pragma xmp post (p[next], 5)
#pragma xmp wait (p[before])
#pragma xmp post (p[before], 6)
#pragma xmp wait

    /* Atomic procedures and locks. */
    int value = -1, sum;
    xmp_atomic_define(counts[1][2]:[next], 10 * me + local[1]);
    xmp_sync_all(NULL);
    xmp_atomic_ref(&value, counts[1][2]);
    REQUIRE(value == 10 * before + 7001);
    xmp_atomic_ref(&value, counts[1][2]:[next]);
    REQUIRE(value == 10 * me + 7001);
    xmp_atomic_define(counts[0][me % 3], value + 1);
    REQUIRE(counts[0][me % 3] == value + 1);
    counts[1][0] = 0;
    xmp_sync_all(NULL);
    for (int i = 0; i < 20; i++) {
#pragma xmp lock (locks[1]:[0])
        sum = counts[1][0]:[0];
        counts[1][0]:[0] = sum + 1;
        xmp_sync_memory(NULL);
#pragma xmp unlock (locks[1]:[0])
    }
    xmp_sync_all(NULL);
    REQUIRE(me > 0 || counts[1][0] == 20 * all);
#pragma xmp lock (own)
#pragma xmp unlock (own)

    /* What becomes of locks, told by clauses. */
    int got = -1, status = -1;
#pragma xmp lock (locks[0]:[me]) acquired_lock(got) stat(status)
    REQUIRE(got == 1 && status == XMP_STAT_SUCCESS);
#pragma xmp lock (locks[0]) stat(status)
    REQUIRE(status == XMP_STAT_LOCKED);
    xmp_sync_all(NULL);
    if (all > 1) {
#pragma xmp lock (locks[0]:[next]) acquired_lock(got)
        REQUIRE(got == 0);
#pragma xmp unlock (locks[0]:[next]) stat(status)
        REQUIRE(status == XMP_STAT_LOCKED_OTHER_IMAGE);
    }
    xmp_sync_all(NULL);
#pragma xmp unlock (locks[0]) stat(status)
    REQUIRE(status == XMP_STAT_SUCCESS);
#pragma xmp unlock (locks[0]:[me]) stat(status)
    REQUIRE(status == XMP_STAT_UNLOCKED);

    /* In tasks of one node each, the images of all nodes synchronise. */
    const int peer = me ^ 1;
    of_each[0]:[next] = 50 + me;
#pragma xmp task on p[me]
    {
#pragma xmp image (each)
        xmp_sync_all(&status);
        REQUIRE(status == XMP_STAT_SUCCESS && of_each[0] == 50 + before);
#pragma xmp image (p)
        xmp_sync_images_all(NULL);
    }
    if (peer < all)
        of_each[0]:[peer] = 70 + me;
#pragma xmp task on p[me]
    {
        if (peer < all)
#pragma xmp image (each)
            xmp_sync_image(peer, NULL);
        REQUIRE(of_each[0] == (peer < all ? 70 + peer : 50 + before));
    }
    xmp_sync_all(NULL);
    of_last = me;
    xmp_sync_all(NULL);
    if (me == 0)
        of_last:[0] = 99;
    of_each[1]:[next] = me;
    xmp_sync_all(NULL);
    REQUIRE(of_last == (me == all - 1 ? 99 : me) && of_last:[0] == 99 && of_each[1] == before);
    return 0;
}
