/* The main program; it has a hidden array of the same name as the other file. */
#include "check.h"
#include "parts.h"

#pragma xmp nodes p(*)
#pragma xmp template t(0:SIZE-1)
#pragma xmp distribute t(cyclic(2)) onto p
extern double shared[SIZE];
#pragma xmp align shared[i] with t(i)
static int hidden[SIZE];
#pragma xmp align hidden[i] with t(i)

int main(void)
{
#pragma xmp loop on t(i)
    for (int i = 0; i < SIZE; i++)
        hidden[i] = -i;
    REQUIRE(fill(3) == 3 * SIZE * (SIZE - 1) / 2);
#pragma xmp loop on t(i)
    for (int i = 0; i < SIZE; i++)
        REQUIRE(shared[i] == 3 * i && hidden[i] == -i);
    return 0;
}
