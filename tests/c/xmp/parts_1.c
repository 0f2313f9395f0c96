/* A program of two files: this one has the array and no main program. */
#include "parts.h"

#pragma xmp nodes p(*)
#pragma xmp template t(0:SIZE-1)
#pragma xmp distribute t(cyclic(2)) onto p
double shared[SIZE], own_part[SIZE];
#pragma xmp align shared[i] with t(i)
static double hidden[SIZE];
#pragma xmp align hidden[i] with t(i)

double fill(int factor)
{
    double sum = 0;
#pragma xmp loop on t(i) reduction(+: sum)
    for (int i = 0; i < SIZE; i++) {
        hidden[i] = factor * i;
        shared[i] = hidden[i];
        sum += hidden[i];
    }
    return sum;
}
