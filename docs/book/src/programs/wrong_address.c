#include <stdio.h>
#include <xmprt.h>

int main(void)
{
    int there = 0, here = 1; /* `there` is an ordinary variable: other images cannot access it */
    if (xmprt_put(XMPRT_CURRENT, 1, &there, &here, sizeof here) != XMPRT_OK)
        printf("%s\n", xmprt_message());
    return 0;
}
