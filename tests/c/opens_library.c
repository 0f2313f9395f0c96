/* A main program in C that opens, at run time, a library of Fortran procedures with coarrays: the argument names it. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *library;

static void *find(const char *name)
{
    void *function = dlsym(library, name);
    if (!function) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    return function;
}

int main(int argc, char **argv)
{
    library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "which library?");
        return 2;
    }
    int (*exchange)(int), (*sum_of_all)(int), (*in_halves)(void), (*which_image)(void), (*how_many_images)(void);
    *(void **)&exchange = find("exchange");
    *(void **)&sum_of_all = find("sum_of_all");
    *(void **)&in_halves = find("in_halves");
    *(void **)&which_image = find("which_image");
    *(void **)&how_many_images = find("how_many_images");

    int image = which_image(), images = how_many_images();
    int left = image == 1 ? images : image - 1;
    int got = exchange(100 * image);
    if (got != 100 * left) {
        fprintf(stderr, "image %d: exchange gave %d\n", image, got);
        return 3;
    }
    int sum = sum_of_all(image);
    if (sum != images * (images + 1) / 2) {
        fprintf(stderr, "image %d: the sum is %d\n", image, sum);
        return 4;
    }
    int half = in_halves();
    if (half != (images + image % 2) / 2) {
        fprintf(stderr, "image %d: %d images in its half\n", image, half);
        return 5;
    }
    if (image == 1)
        printf("%d images\n", images);
    return 0;
}
