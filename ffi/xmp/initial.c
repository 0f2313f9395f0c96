/* Start and end of a program with directives, and the procedures by which a program asks for both (XcalableMP 1.4, 7.6). The
   communicator that it gives is that of all processes, whatever its type in C: only these take part. */
#include "initial.h"

void xmprt_program_start(void);
void xmprt_program_finish(void);

static int running;

void xmprt_started(void)
{
    if (!running) {
        running = 1;
        xmprt_program_start();
    }
}

void xmprt_finished(void)
{
    if (running) {
        running = 0;
        xmprt_program_finish();
    }
}

void xmp_init(void);
void xmp_init(void)
{
    xmprt_started();
}

void xmp_finalize(void);
void xmp_finalize(void)
{
    xmprt_finished();
}

/* By reference, in Fortran. */
void xmp_init_(const int *communicator);
void xmp_init_(const int *communicator)
{
    (void)communicator;
    xmprt_started();
}

void xmp_finalize_(void);
void xmp_finalize_(void)
{
    xmprt_finished();
}

void xmp_init_mpi(int *argc, char ***argv);
void xmp_init_mpi(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
}

void xmp_finalize_mpi(void);
void xmp_finalize_mpi(void)
{
}

void xmp_init_mpi_(void);
void xmp_init_mpi_(void)
{
}

void xmp_finalize_mpi_(void);
void xmp_finalize_mpi_(void)
{
}
