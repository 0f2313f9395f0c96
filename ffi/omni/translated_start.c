/* The start of translated programs: xmpcc and xmpf90 link them with --wrap=main. That of shared libraries is in
   translated_shared.c. */
#include "xmp_translated.h"

static struct xmpt_file *files, **end_of_files = &files;

void xmpt_register(struct xmpt_file *file)
{
    file->next = 0;
    *end_of_files = file;
    end_of_files = &file->next;
}

/* Programs of Omni's compiler define these when they are linked. */
__attribute__((weak)) void xmpc_traverse_init(void)
{
}

__attribute__((weak)) void xmpc_traverse_finalize(void)
{
}

/* Not 0 of an image that has ended: a main program in Fortran ends its image by itself. */
int _gfortran_caf_image_status(int image, void *team);

void xmprt_omni_finish(void);

int __real_main(int argc, char **argv, char **environment);

int __wrap_main(int argc, char **argv, char **environment);
int __wrap_main(int argc, char **argv, char **environment)
{
    struct xmpt_file *file;
    int status;
    xmp_init_all(argc, argv);
    for (file = files; file; file = file->next)
        file->start();
    status = __real_main(argc, argv, environment);
    if (_gfortran_caf_image_status(xmp_all_node_num(), 0) != 0)
        return status;
    /* All nodes use the objects until they come here; those that have ended do not. */
    xmprt_omni_finish();
    for (file = files; file; file = file->next)
        file->finish();
    xmp_finalize_all();
    return status;
}
