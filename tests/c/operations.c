/* Reductions and scans by each operation of the header, on each type that has it. */
#include "check.h"
#include <complex.h>
#include <stdbool.h>
#include <stdlib.h>

static int me, n;

/* The combination of 1 to `last` by an operation. */
static uint64_t folded(xmprt_op op, int last)
{
    uint64_t all = 1;
    for (uint64_t k = 2; k <= (uint64_t)last; k++)
        switch (op) {
        case XMPRT_SUM: all += k; break;
        case XMPRT_MIN: break;
        case XMPRT_MAX: all = k; break;
        case XMPRT_PRODUCT: all *= k; break;
        case XMPRT_BIT_AND: all &= k; break;
        case XMPRT_BIT_OR: all |= k; break;
        case XMPRT_BIT_XOR: all ^= k; break;
        case XMPRT_AND: all = all && k; break;
        case XMPRT_OR: all = all || k; break;
        case XMPRT_EQV: all = !all == !k; break;
        default: all = !all != !k; break;
        }
    return all;
}

#define INTEGERS(type)                                                                                              \
    do {                                                                                                            \
        for (int op = XMPRT_SUM; op <= XMPRT_NEQV; op++)                                                            \
            for (int result = 0; result <= n; result += n) {                                                        \
                type x[300], y = (type)me, z = (type)me;                                                            \
                xmprt_request request;                                                                              \
                for (int k = 0; k < 300; k++)                                                                       \
                    x[k] = (type)me;                                                                                \
                DO(xmprt_co_reduce_op(XMPRT_CURRENT, x, 300, XMPRT_TYPE(x[0]), (xmprt_op)op, result));              \
                type expected = (type)folded((xmprt_op)op, n);                                                      \
                for (int k = 0; k < 300 && (result == XMPRT_ALL || result == me); k++)                              \
                    REQUIRE(x[k] == expected);                                                                      \
                DO(xmprt_begin_co_reduce_op(XMPRT_CURRENT, &y, 1, XMPRT_TYPE(y), (xmprt_op)op, &request));          \
                DO(xmprt_co_scan(XMPRT_CURRENT, &z, 1, XMPRT_TYPE(z), (xmprt_op)op));                               \
                DO(xmprt_wait(&request));                                                                           \
                REQUIRE(y == expected && z == (type)folded((xmprt_op)op, me));                                      \
            }                                                                                                       \
    } while (0)

#define PRODUCTS(type)                                                                                              \
    do {                                                                                                            \
        type x[100], factorial = (type)folded(XMPRT_PRODUCT, n);                                                    \
        for (int k = 0; k < 100; k++)                                                                               \
            x[k] = (type)(k % 2 ? me : 2);                                                                          \
        DO(xmprt_co_reduce_op(XMPRT_CURRENT, x, 100, XMPRT_TYPE(x[0]), XMPRT_PRODUCT, XMPRT_ALL));                  \
        for (int k = 0; k < 100; k++)                                                                               \
            REQUIRE(x[k] == (k % 2 ? factorial : (type)(1 << n)));                                                  \
        REFUSED(xmprt_co_reduce_op(XMPRT_CURRENT, x, 1, XMPRT_TYPE(x[0]), XMPRT_BIT_OR, 0), XMPRT_BAD_ARGUMENT,     \
                "by bitwise or");                                                                                   \
    } while (0)

static void numbers(void)
{
    INTEGERS(signed char);
    INTEGERS(short);
    INTEGERS(int);
    INTEGERS(long);
    INTEGERS(long long);
    INTEGERS(unsigned char);
    INTEGERS(unsigned short);
    INTEGERS(unsigned);
    INTEGERS(unsigned long);
    INTEGERS(unsigned long long);
    PRODUCTS(float);
    PRODUCTS(double);
    PRODUCTS(long double);
    PRODUCTS(float complex);
    PRODUCTS(double complex);
    PRODUCTS(long double complex);
    double complex turn = I;
    DO(xmprt_co_reduce_op(XMPRT_CURRENT, &turn, 1, XMPRT_TYPE(turn), XMPRT_PRODUCT, XMPRT_ALL));
    REQUIRE(turn == (n % 4 == 0 ? 1 : n % 4 == 1 ? I : n % 4 == 2 ? -1 : -I));
    long double complex z = me;
    DO(xmprt_co_reduce_op(XMPRT_CURRENT, &z, 1, XMPRT_LONG_DOUBLE_COMPLEX, XMPRT_SUM, XMPRT_ALL));
    REQUIRE(z == n * (n + 1) / 2);
}

static void truth(void)
{
    bool all = me > 0, last = me == n, odd = true, some = false;
    DO(xmprt_co_reduce_op(XMPRT_CURRENT, &all, 1, XMPRT_TYPE(all), XMPRT_AND, XMPRT_ALL));
    DO(xmprt_co_reduce_op(XMPRT_CURRENT, &last, 1, XMPRT_BOOL, XMPRT_AND, XMPRT_ALL));
    DO(xmprt_co_reduce_op(XMPRT_CURRENT, &odd, 1, XMPRT_BOOL, XMPRT_NEQV, XMPRT_ALL));
    DO(xmprt_co_reduce_op(XMPRT_CURRENT, &some, 1, XMPRT_BOOL, XMPRT_OR, XMPRT_ALL));
    REQUIRE(all && last == (n == 1) && odd == (n % 2 == 1) && !some);
}

static void in_a_team(void)
{
    xmprt_team half;
    DO(xmprt_form_team(me % 2 + 1, 0, &half));
    uint32_t bit = UINT32_C(1) << me, seen = bit;
    DO(xmprt_co_reduce_op(half, &seen, 1, XMPRT_TYPE(seen), XMPRT_BIT_OR, 1));
    for (int k = 1; k <= n && xmprt_this_image(half) == 1; k++)
        REQUIRE((seen >> k & 1) == (k % 2 == me % 2));
    size_t count = 100000;
    uint64_t *x = malloc(count * sizeof *x);
    for (size_t k = 0; k < count; k++)
        x[k] = k << me;
    DO(xmprt_co_reduce_op(XMPRT_CURRENT, x, count, XMPRT_TYPE(*x), XMPRT_BIT_XOR, XMPRT_ALL));
    for (size_t k = 0; k < count; k += 999) {
        uint64_t expected = 0;
        for (int image = 1; image <= n; image++)
            expected ^= k << image;
        REQUIRE(x[k] == expected);
    }
    free(x);
}

static void bad_arguments(void)
{
    int x = 5;
    xmprt_request request = {3};
#define REDUCE(data, count, type, op, result) xmprt_co_reduce_op(XMPRT_CURRENT, data, count, type, op, result)
    REFUSED(REDUCE(NULL, 1, XMPRT_INT, XMPRT_PRODUCT, 0), XMPRT_BAD_ARGUMENT, "xmprt_co_reduce_op: data is a null pointer");
    REFUSED(REDUCE(NULL, 1, XMPRT_INT, XMPRT_SUM, 0), XMPRT_BAD_ARGUMENT, "data is a null pointer");
    REFUSED(REDUCE(&x, SIZE_MAX, XMPRT_INT, XMPRT_AND, 0), XMPRT_BAD_ARGUMENT, "more than there is");
    REFUSED(REDUCE(&x, 1, (xmprt_type)0, XMPRT_PRODUCT, 0), XMPRT_BAD_ARGUMENT, "type 0 is not an xmprt_type");
    REFUSED(REDUCE(&x, 1, (xmprt_type)20, XMPRT_SUM, 0), XMPRT_BAD_ARGUMENT, "type 20 is not an xmprt_type");
    REFUSED(REDUCE(&x, 1, XMPRT_INT, (xmprt_op)0, 0), XMPRT_BAD_ARGUMENT, "operator 0 is not an xmprt_op");
    REFUSED(REDUCE(&x, 1, XMPRT_INT, XMPRT_FIRST_MIN, 0), XMPRT_BAD_ARGUMENT, "for xmprt_reduce_located only");
    REFUSED(REDUCE(&x, 1, XMPRT_INT, XMPRT_OR, n + 1), XMPRT_BAD_ARGUMENT, "not in 1:");
    REFUSED(REDUCE(&x, 1, XMPRT_FLOAT_COMPLEX, XMPRT_MIN, 0), XMPRT_BAD_ARGUMENT, "no minimum");
    REFUSED(xmprt_co_reduce_op(XMPRT_TEAM(8), &x, 1, XMPRT_INT, XMPRT_OR, 0), XMPRT_BAD_ARGUMENT, "is not a team");
#define BEGIN(data, type, op, request) xmprt_begin_co_reduce_op(XMPRT_CURRENT, data, 1, type, op, request)
    REFUSED(BEGIN(&x, XMPRT_INT, (xmprt_op)16, &request), XMPRT_BAD_ARGUMENT, "operator 16 is not an xmprt_op");
    REFUSED(BEGIN(NULL, XMPRT_INT, XMPRT_OR, &request), XMPRT_BAD_ARGUMENT, "xmprt_begin_co_reduce_op: data is a null pointer");
    REFUSED(BEGIN(&x, XMPRT_INT, XMPRT_OR, NULL), XMPRT_BAD_ARGUMENT, "request is a null pointer");
    REQUIRE(x == 5 && request.id == 3);
}

/* Images that combine by different operations. */
static void different(void)
{
    if (n == 1)
        return;
    int x = me;
    REFUSED(xmprt_co_reduce_op(XMPRT_CURRENT, &x, 1, XMPRT_INT, me == 1 ? XMPRT_BIT_AND : XMPRT_PRODUCT, XMPRT_ALL),
            XMPRT_BAD_ARGUMENT, "operation");
    END_DIFFERENCE();
    x = me;
    DO(xmprt_co_reduce_op(XMPRT_CURRENT, &x, 1, XMPRT_INT, XMPRT_PRODUCT, XMPRT_ALL));
    REQUIRE(x == (int)folded(XMPRT_PRODUCT, n));
}

int main(void)
{
    me = xmprt_this_image(XMPRT_CURRENT);
    n = xmprt_num_images(XMPRT_CURRENT);
    numbers();
    truth();
    in_a_team();
    bad_arguments();
    different();
    return 0;
}
