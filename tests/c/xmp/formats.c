/* All formats of `distribute`, loops with all kinds of bounds over them, and gmove between them. */
#include "check.h"

#define N 53

#pragma xmp nodes p[*]

#pragma xmp template tb[N]
#pragma xmp distribute tb[block] onto p
#pragma xmp template tw(0:N-1)
#pragma xmp distribute tw(block(60)) onto p
#pragma xmp template tc(1:N)
#pragma xmp distribute tc(cyclic) onto p
#pragma xmp template tk[N]
#pragma xmp distribute tk[cyclic(3)] onto p
#pragma xmp template tg[:]
#pragma xmp distribute tg[gblock(*)] onto p

int b[N], wide[N], c[N], k[N];
#pragma xmp align b[i] with tb[i]
#pragma xmp align wide[i] with tw(i)
#pragma xmp align c[i] with tc(i+1)
#pragma xmp align k[i] with tk[i]

static int seen[N];

static void all_seen(int first, int end, int step)
{
    int count = 0;
#pragma xmp reduction(+: seen)
    for (int i = 0; i < N; i++) {
        int expected = i >= first && i < end && (i - first) % step == 0;
        REQUIRE(seen[i] == expected);
        count += seen[i];
        seen[i] = 0;
    }
    REQUIRE(count > 0);
}

static void loops(int first, int end, int step)
{
    int i;
#pragma xmp loop on tb[i]
    for (i = first; i < end; i += step)
        seen[i]++;
    all_seen(first, end, step);
#pragma xmp loop on tw(i)
    for (i = first; i <= end - 1; i = i + step)
        seen[i]++;
    all_seen(first, end, step);
#pragma xmp loop on tc(i + 1)
    for (int i = first; i < end; i += step)
        seen[i]++;
    all_seen(first, end, step);
#pragma xmp loop (i) on tk[i]
    for (i = first; i != end; i++)
        seen[i]++;
    all_seen(first, end, 1);
#pragma xmp loop on tk[i]
    for (i = first; i < end; i += step)
        seen[i]++;
    all_seen(first, end, step);
    int last = first + (end - 1 - first) / step * step;
    int before = N;
#pragma xmp loop on tk[i]
    for (i = last; i >= first; i -= step) {
        seen[i]++;
        REQUIRE(i < before);
        before = i;
    }
    all_seen(first, end, step);
#pragma xmp loop on tc(i)
    for (i = last + 1; i > first; i -= step)
        seen[i - 1]++;
    all_seen(first, end, step);
#pragma xmp loop on tb[i]
    for (i = last; first <= i; i += -step)
        seen[i]++;
    all_seen(first, end, step);
}

static void moves(int nodes)
{
    int *map = malloc(sizeof(int) * nodes), left = N, local[N], one;
    for (int node = 0; node < nodes; node++) {
        map[node] = node + 1 < nodes ? left / 3 : left;
        left -= map[node];
    }
#pragma xmp template_fix [gblock(map)] tg[N]
    int g[N];
#pragma xmp align g[i] with tg[i]
#pragma xmp loop on tk[i]
    for (int i = 0; i < N; i++)
        k[i] = 7 * i;
#pragma xmp gmove
    c[:] = k[:];
#pragma xmp gmove
    g[:] = c[0:N];
#pragma xmp gmove
    b[1:N-1] = g[0:N-1];
#pragma xmp gmove
    b[0] = -7;
#pragma xmp gmove
    wide[0:N/2:2] = b[1:N/2];
#pragma xmp gmove
    local[:] = c[:];
#pragma xmp gmove
    one = g[N - 1];
    REQUIRE(one == 7 * (N - 1));
    for (int i = 0; i < N; i++)
        REQUIRE(local[i] == 7 * i);
#pragma xmp loop on tc(i + 1)
    for (int i = 0; i < N; i++)
        REQUIRE(c[i] == 7 * i);
#pragma xmp loop on tg[i]
    for (int i = 0; i < N; i++)
        REQUIRE(g[i] == 7 * i);
#pragma xmp loop on tb[i]
    for (int i = 0; i < N; i++)
        REQUIRE(b[i] == 7 * i - 7);
#pragma xmp loop on tw(i)
    for (int i = 0; i < N - 1; i += 2)
        REQUIRE(wide[i] == 7 * (i / 2));
#pragma xmp array on tk[:]
    k[:] = 3;
#pragma xmp array on tb[:]
    b[2:5:3] = b[2:5:3] + 1;
#pragma xmp loop on tk[i]
    for (int i = 0; i < N; i++)
        REQUIRE(k[i] == 3);
#pragma xmp loop on tb[i]
    for (int i = 0; i < N; i++)
        REQUIRE(b[i] == 7 * i - 7 + (i >= 2 && i < 17 && i % 3 == 2));
    free(map);
}

/* Sections of local arrays need no directive; the right side is read first. */
static void sections(void)
{
    int x[10], y[3][10], from = 1;
    for (int i = 0; i < 10; i++)
        x[i] = i;
    y[:][:] = 5;
    y[1][:] = x[:] + 1;
    y[2][0:5:2] = y[1][5:5];
    x[from:9] = x[0:9];
    x[0] = -1;
    for (int i = 0; i < 10; i++) {
        REQUIRE(x[i] == i - 1 && y[0][i] == 5 && y[1][i] == i + 1);
        REQUIRE(y[2][i] == (i % 2 ? 5 : 6 + i / 2));
    }
}

int main(void)
{
    sections();
    int sum = 0;
#pragma xmp loop on tk[i] reduction(+: sum)
    for (int i = 1, end = N; i < end; i++)
        sum += i;
    REQUIRE(sum == N * (N - 1) / 2);
    loops(0, N, 1);
    loops(3, N - 5, 1);
    loops(2, N - 1, 5);
    loops(N - 1, N, 2);
    moves(xmp_num_nodes());
    return 0;
}
