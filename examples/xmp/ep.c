/*
 * The NAS benchmark EP in XcalableMP: pairs of Gaussian random numbers, counted by their size. Nodes communicate only at the end.
 *
 *     xmpcc -O3 ep.c -o ep -lm && xmprun -n 4 ./ep
 *
 * EXPONENT is the logarithm of the number of pairs: 24 (class S), 25 (W) or 28 (A), set with -D. A C compiler that knows nothing
 * of XcalableMP compiles the same file to a serial program.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#ifndef EXPONENT
#define EXPONENT 24
#endif

/* Pairs are made in batches of 2**16. Each batch has its own place in the sequence of random numbers. */
#define BATCH (1L << 16)
#define BATCHES (1L << (EXPONENT - 16))
#define RINGS 10

/* An index space of batches, each node a block of them. No array is distributed: a template can divide the work alone. */
#pragma xmp nodes p(*)
#pragma xmp template batches(0:BATCHES-1)
#pragma xmp distribute batches(block) onto p

/* The generator of the benchmark: x <- 5**13 x mod 2**46. The product may overflow, its lower bits are right. */
static const uint64_t multiplier = 1220703125, mask = (UINT64_C(1) << 46) - 1;

static double uniform(uint64_t *x)
{
    *x = *x * multiplier & mask;
    return ldexp((double)*x, -46);
}

/* The state after `count` numbers from the start. */
static uint64_t state_behind(uint64_t count)
{
    uint64_t state = 271828183, factor = multiplier;
    for (; count > 0; count >>= 1) {
        if (count & 1)
            state = state * factor & mask;
        factor = factor * factor & mask;
    }
    return state;
}

/* The known sums of the classes. */
static int is_right(double x, double y)
{
    double right_x, right_y;
    switch (EXPONENT) {
    case 24: right_x = -3.247834652034740e+3, right_y = -6.958407078382297e+3; break;
    case 25: right_x = -2.863319731645753e+3, right_y = -6.320053679109499e+3; break;
    case 28: right_x = -4.295875165629892e+3, right_y = -1.580732573678431e+4; break;
    default: return 0;
    }
    return fabs((x - right_x) / right_x) < 1e-8 && fabs((y - right_y) / right_y) < 1e-8;
}

int main(void)
{
    double x = 0, y = 0;
    long in_ring[RINGS] = {0}, pairs = 0;

    /* Each node makes its batches. The clause adds up the variables of all nodes after the loop: also arrays, whole. */
#pragma xmp loop (batch) on batches(batch) reduction(+: x, y, in_ring)
    for (long batch = 0; batch < BATCHES; batch++) {
        uint64_t state = state_behind(2 * (uint64_t)(batch * BATCH));
        for (long pair = 0; pair < BATCH; pair++) {
            double u = 2 * uniform(&state) - 1, v = 2 * uniform(&state) - 1, square = u * u + v * v;
            if (square <= 1) {
                double length = sqrt(-2 * log(square) / square);
                u *= length;
                v *= length;
                in_ring[(int)fmax(fabs(u), fabs(v))]++;
                x += u;
                y += v;
            }
        }
    }

    for (int ring = 0; ring < RINGS; ring++)
        pairs += in_ring[ring];
    int right = is_right(x, y);
#pragma xmp task on p(1)
    printf("2**%d pairs, %ld of them Gaussian; sums %.12e %.12e: %s\n", EXPONENT, pairs, x, y, right ? "PASS" : "FAIL");
    return right ? 0 : 1;
}
