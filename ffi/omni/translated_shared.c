/* The start of translated shared libraries, whose program may have no main that the linker finds, as Python's. This object comes
   behind those of the user: its constructor is called after those that register files. It is linked in place of
   translated_start.c. Objects outside of functions stay until the process ends. */
#include "xmp_translated.h"

static struct xmpt_file *files, **end_of_files = &files;

__attribute__((visibility("hidden"))) void xmpt_register(struct xmpt_file *file)
{
    file->next = 0;
    *end_of_files = file;
    end_of_files = &file->next;
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
    struct xmpt_file *file;
    xmp_init_all(0, 0);
    for (file = files; file; file = file->next)
        file->start();
}
