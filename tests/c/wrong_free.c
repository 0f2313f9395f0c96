/* A block of xmprt_allocate is given to a function of the C library. */
#include "check.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    void *block;
    DO(xmprt_allocate(64, &block));
    DO(xmprt_sync(XMPRT_CURRENT));
    if (argc > 1 && strcmp(argv[1], "free") == 0)
        free(block);
    else
        block = realloc(block, 128);
    REQUIRE(block == NULL && !"the end of the job");
}
