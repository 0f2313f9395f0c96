/* Macros that are a part of the grammar: loops, statements without a semicolon, declarations, directives. */
#include "check.h"
#include <stdio.h>
#include <xmp.h>

#define N 40
#define NODES p
#define TEMPLATE t
#define ON(i) TEMPLATE[i]
#define INLINE static inline
#define PURE
#define RESTRICT restrict
#define FORALL(i, n) for (int i = 0; i < (n); i++)
#define WHOLE(i) FORALL(i, N)
#define CHECK(condition)                                                                                               \
    if (!(condition)) {                                                                                                \
        printf("%s in line %d\n", #condition, __LINE__);                                                               \
        return 1;                                                                                                      \
    }
#define UNLESS(condition) if (!(condition))
#define NEXT
#define PARALLEL(i) _Pragma("xmp loop on ON(i)") WHOLE(i)
#define BARRIER _Pragma("xmp barrier")
#define SWAP(type, x, y)                                                                                               \
    do {                                                                                                               \
        type other = x;                                                                                              \
        x = y;                                                                                                         \
        y = other;                                                                                                   \
    } while (0)

#pragma xmp nodes NODES[*]
#pragma xmp template TEMPLATE[N]
#pragma xmp distribute TEMPLATE[cyclic(3)] onto NODES

static int a[N], b[N];
#pragma xmp align a[i] with ON(i)
#pragma xmp align b[i] with ON(i + 0)

INLINE PURE int twice(const int *RESTRICT x)
{
    return 2 * *x;
}

int main(void)
{
    int sum = 0;

#pragma xmp loop (i) on ON(i)
    FORALL(i, N) {
        a[i] = i;
        b[i] = 100 + twice(&a[i]);
    }
#pragma xmp loop on t[i]
    WHOLE(i)
    {
        /* Without the macros, these look like declarations. */
        UNLESS(i % 2) a[i] = -1;
        NEXT a[i] = a[i] < 0 ? i : a[i];
    }
    PARALLEL(i)
        SWAP(int, a[i], b[i]);
    BARRIER
#pragma xmp loop on t[i] reduction(+ : sum)
    WHOLE(i)
        sum += a[i] - b[i];
    CHECK(sum == 100 * N + N * (N - 1) / 2)
    _Pragma("xmp reduction(max : sum)")
    CHECK(__LINE__ == 68)
    return 0;
}
