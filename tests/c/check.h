/* Checks of the C test programs: silent when all is well. */
#include <stdio.h>
#include <string.h>
#include <xmprt.h>

/* Ends the job when something is not so. */
#define REQUIRE(condition)                                                                             \
    do {                                                                                               \
        if (!(condition)) {                                                                            \
            fprintf(stderr, "image %d: %s:%d: %s (last message: %s)\n", xmprt_this_image(XMPRT_INITIAL), \
                    __FILE__, __LINE__, #condition, xmprt_message());                                  \
            xmprt_error_stop(9);                                                                       \
        }                                                                                              \
    } while (0)

/* A call that must succeed. */
#define DO(call) REQUIRE((call) == XMPRT_OK)

/* Ends a difference that an image of another host may have found: the next statement that synchronises tells all of them. On one host
 * all have learnt of it together. */
#define END_DIFFERENCE()                                                                               \
    do {                                                                                               \
        if (xmprt_num_hosts() > 1)                                                                     \
            REFUSED(xmprt_sync(XMPRT_CURRENT), XMPRT_BAD_ARGUMENT, "");                                \
    } while (0)

/* A call that must be refused with this code, and with a message that has these words. */
#define REFUSED(call, code, words)                                                                     \
    do {                                                                                               \
        REQUIRE((call) == (code));                                                                     \
        REQUIRE(strstr(xmprt_message(), words) != NULL);                                               \
    } while (0)
