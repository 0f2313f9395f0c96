/* A main program in C that calls Fortran procedures with coarrays: no statement has initialised the library. */
#include <stdio.h>

int exchange(int value);
int sum_of_all(int value);
int which_image(void);
int how_many_images(void);

int main(void)
{
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
    if (image == 1)
        printf("%d images\n", images);
    return 0;
}
