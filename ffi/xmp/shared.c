/* The start of translated shared libraries, whose program may have no main that the linker finds, as Python's. This object comes
   after those of the user: its constructor is called after those that register files. It is linked instead of start.c. Objects
   outside of functions stay until the process ends. */
#include "initial.h"
#include <xmprt_translated.h>

static xmprt_unit *units, **end_of_units = &units;

__attribute__((visibility("hidden"))) void xmprt_unit_register(xmprt_unit *unit)
{
    unit->next = 0;
    *end_of_units = unit;
    end_of_units = &unit->next;
}

__attribute__((constructor)) static void xmprt_start(void)
{
    xmprt_unit *unit;
    xmprt_started();
    for (unit = units; unit; unit = unit->next)
        unit->start();
}
