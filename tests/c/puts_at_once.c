/* A main program in C whose images put or post at once, by procedures of fortran/control/put_at_once.f90: those that it is
   linked with, or of the libraries that are its arguments. The image that makes the file of the variable LEAVES only
   returns. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((weak)) int put_to_next(void);
__attribute__((weak)) int post_to_others(int fewer);

static int check(int images)
{
    if (images < 1) {
        fprintf(stderr, "a put was lost\n");
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *leaves = getenv("LEAVES");
    int i, status = 0;
    if (leaves) {
        if (open(leaves, O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0)
            return 0;
        return check(post_to_others(1));
    }
    if (argc == 1)
        status = check(put_to_next()) || check(post_to_others(0));
    for (i = 1; i < argc && !status; i++) {
        void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            fprintf(stderr, "%s\n", dlerror());
            return 2;
        }
        status = check(((int (*)(void))dlsym(library, "put_to_next"))())
            || check(((int (*)(int))dlsym(library, "post_to_others"))(0));
    }
    return status;
}
