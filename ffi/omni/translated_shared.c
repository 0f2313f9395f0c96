/* The start of translated shared libraries, whose program may have no main that the linker finds, as Python's. This object comes
   behind those of the user: its constructor is called after those that register files. It is linked in place of
   translated_start.c. Objects outside of functions stay until the process ends. */
#include <xmprt_translated.h>

void xmp_init_all(int argc, char **argv);

static xmprt_unit *units, **end_of_units = &units;

__attribute__((visibility("hidden"))) void xmprt_unit_register(xmprt_unit *unit)
{
    unit->next = 0;
    *end_of_units = unit;
    end_of_units = &unit->next;
}

/* Libraries of Omni's compiler define these when they are linked. */
__attribute__((weak)) void xmpc_traverse_init(void)
{
}

__attribute__((weak)) void xmpc_traverse_finalize(void)
{
}

__attribute__((constructor)) static void start(void)
{
    xmprt_unit *unit;
    xmp_init_all(0, 0);
    for (unit = units; unit; unit = unit->next)
        unit->start();
}
