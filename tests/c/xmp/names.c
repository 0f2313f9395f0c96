/* Objects that have the names of other objects with a word after them or before them. */
#include "check.h"

enum { N = 12 };

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp template a_map[N]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute a_map[cyclic] onto p
int a[N], b[N] = {3, 1, 2}, b_values[N], b_map[N], on_i[N], map__a[N];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with a_map[i]
#pragma xmp align b_values[i] with a_map[i]
#pragma xmp align b_map[i] with t[i]
#pragma xmp align on_i[i] with t[i]
#pragma xmp align map__a[i] with t[i]
int c:[*], c_desc[N];
#pragma xmp align c_desc[i] with t[i]

int main(void)
{
    int sum = 0;
    c = xmp_node_num();
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++)
        on_i[i] = map__a[i] = a[i] = b_map[i] = c_desc[i] = i;
#pragma xmp loop on a_map[i] reduction(+: sum)
    for (int i = 0; i < N; i++) {
        b_values[i] = b[i];
        sum += b_values[i];
    }
    REQUIRE(sum == 6);
#pragma xmp loop on t[i] reduction(+: sum)
    for (int i = 0; i < N; i++)
        sum += a[i] + on_i[i] + map__a[i] + b_map[i] + c_desc[i];
    /* What was there before is added once. */
    REQUIRE(sum == 6 + 5 * N * (N - 1) / 2);
    xmp_sync_all(NULL);
    int last = c:[xmp_num_nodes() - 1];
    REQUIRE(last == xmp_num_nodes());
    xmp_sync_all(NULL);
    return 0;
}
