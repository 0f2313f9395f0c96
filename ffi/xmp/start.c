/* The start of translated programs: xmpcc and xmpf90 link them with --wrap=main. That of shared libraries is in shared.c. */
#include "initial.h"
#include <xmprt_translated.h>

static xmprt_unit *units, **end_of_units = &units;

void xmprt_unit_register(xmprt_unit *unit)
{
    unit->next = 0;
    *end_of_units = unit;
    end_of_units = &unit->next;
}

/* Not 0 of an image that has ended: a main program in Fortran ends its image by itself. */
int _gfortran_caf_image_status(int image, void *team);

void xmprt_program_finish(void);

int __real_main(int argc, char **argv, char **environment);

int __wrap_main(int argc, char **argv, char **environment);
int __wrap_main(int argc, char **argv, char **environment)
{
    xmprt_unit *unit;
    int status;
    xmprt_started();
    for (unit = units; unit; unit = unit->next)
        unit->start();
    status = __real_main(argc, argv, environment);
    if (_gfortran_caf_image_status(xmp_all_node_num(), 0) != 0)
        return status;
    /* All nodes use the objects until they come here; those that have ended do not. */
    xmprt_program_finish();
    for (unit = units; unit; unit = unit->next)
        unit->finish();
    xmprt_finished();
    return status;
}
