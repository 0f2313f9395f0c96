/* What the programs in this directory have in common. They make the calls that the Omni XcalableMP compiler makes of
   directives, in the order in which it makes them, and are silent when all is well.

   A program defines what the compiler and its driver define: xmpc_main (the program's main), and init and finalize
   (the descriptors of file scope, which the generated traverse functions call). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmp.h>
#include <xmp_func_decl.h>
#include <xmp_index_macro.h>
#include <xmp_comm_macro.h>
#include <xmprt.h>

/* Codes that generated code passes. */
enum { INT = 507, LONG = 509, FLOAT = 513, DOUBLE = 514, LONG_DOUBLE = 515 };
enum { SUM = 300, PRODUCT = 301, AND = 303, MAX = 308, MIN = 309, FIRSTMAX = 310, LASTMIN = 313, MAXLOC = 317, MINLOC = 318 };
enum { SHADOW_NONE = 400, SHADOW_NORMAL = 401, SHADOW_FULL = 402 };
enum { COLLECTIVE = 400, IN = 401, OUT = 402 };
enum { ALL = 0, INDEX = 1, RANGE = 2 };
enum { EXPAND = 410, MARGIN = 411, PEEL = 412, PLAIN = 413 };

/* Ends the job when something is not so. */
#define REQUIRE(condition)                                                                             \
    do {                                                                                               \
        if (!(condition)) {                                                                            \
            fprintf(stderr, "image %d: %s:%d: %s\n", xmprt_this_image(XMPRT_INITIAL), __FILE__,         \
                    __LINE__, #condition);                                                             \
            xmprt_error_stop(9);                                                                       \
        }                                                                                              \
    } while (0)

static void init(void);
static void finalize(void);
static int xmpc_main(int argc, char **argv);

void xmpc_traverse_init(void);
void xmpc_traverse_finalize(void);

void xmpc_traverse_init(void)
{
    init();
}

void xmpc_traverse_finalize(void)
{
    finalize();
}

int main(int argc, char **argv)
{
    int status;
    xmp_init_all(argc, argv);
    status = xmpc_main(argc, argv);
    xmp_finalize_all();
    return status;
}
