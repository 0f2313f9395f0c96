/* Start and end of a program, around the functions that Omni's driver generates when it links. It generates them because
   they are undefined here. A program with a main of its own may do both itself (xmp_init, xmp_finalize). */

void xmprt_omni_alone(void);
void xmprt_program_start(void);
void xmprt_program_finish(void);
void xmpc_traverse_init(void);
void xmpc_traverse_finalize(void);

static int running;

static void start(void)
{
    if (!running) {
        running = 1;
        xmprt_omni_alone();
        xmprt_program_start();
        xmpc_traverse_init();
    }
}

static void finish(void)
{
    if (running) {
        running = 0;
        xmpc_traverse_finalize();
        xmprt_program_finish();
    }
}

void xmp_init_all(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    start();
}

void xmp_finalize_all(void)
{
    finish();
}

void xmpf_init_all__(void)
{
    start();
}

void xmpf_finalize_all__(void)
{
    finish();
}

/* The communicator is that of all processes, whatever its type in C: only these take part. */
void xmp_init(void)
{
    start();
}

void xmp_finalize(void)
{
    finish();
}

/* By reference, in Fortran. */
void xmp_init_(const int *communicator)
{
    (void)communicator;
    start();
}

void xmp_finalize_(void)
{
    finish();
}

void xmp_init_mpi(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
}

void xmp_finalize_mpi(void)
{
}

void xmp_init_mpi_(void)
{
}

void xmp_finalize_mpi_(void)
{
}
