/* Sections of distributed arrays in assignments to and from coarrays: rows of a block, elements with a step, shadows, pointers. */
#include "check.h"


#define N 840
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
static int h[N][6], v[6][N];
#pragma xmp align h[i][*] with t[i]
#pragma xmp align v[*][i] with t[i]
#pragma xmp shadow h[1][0]
static int *q;
#pragma xmp align q[i] with t[i]
static int edge[6]:[*], column[2][6]:[*];

int main(void)
{
    int me = xmpc_node_num(), nodes = xmp_num_nodes(), block = (N + nodes - 1) / nodes;
    int first = me * block, right = (me + 1) % nodes, left = (me + nodes - 1) % nodes;
    q = xmp_malloc(xmp_desc_of(q), N);
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < 6; j++) {
            h[i][j] = 100 * i + j;
            v[j][i] = -100 * i - j;
        }
        q[i] = 7 * i;
    }
    xmp_sync_all(NULL);
    edge[0:6]:[right] = h[first + 1][:];
    xmp_sync_all(NULL);
    for (int j = 0; j < 6; j++)
        REQUIRE(edge[j] == 100 * (left * block + 1) + j);
    xmp_sync_all(NULL);
    edge[1:3]:[right] = h[first][0:3:2];
    column[0][0:2]:[right] = q[first:2];
    column[1][0:3]:[right] = v[1:3][first + 1];
    xmp_sync_all(NULL);
    for (int j = 0; j < 3; j++) {
        REQUIRE(edge[1 + j] == 100 * left * block + 2 * j);
        REQUIRE(column[1][j] == -100 * (left * block + 1) - (1 + j));
    }
    REQUIRE(column[0][0] == 7 * left * block && column[0][1] == 7 * (left * block + 1));
    xmp_sync_all(NULL);
    for (int j = 0; j < 6; j++)
        edge[j] = 1000 * me + j;
    xmp_sync_all(NULL);
    h[first][0:4] = edge[2:4]:[left];
    q[first:2] = edge[0:2]:[right];
    v[0:6][first] = edge[:]:[right];
    for (int j = 0; j < 6; j++) {
        REQUIRE(h[first][j] == (j < 4 ? 1000 * left + 2 + j : 100 * first + j));
        REQUIRE(v[j][first] == 1000 * right + j);
    }
    REQUIRE(q[first] == 1000 * right && q[first + 1] == 1000 * right + 1);
    xmp_sync_all(NULL);
    return 0;
}
