/* Prints how many bytes this process has read when it ends. */
#include <stdio.h>

__attribute__((destructor)) static void report(void)
{
    unsigned long bytes;
    FILE *file = fopen("/proc/self/io", "r");
    if (file && fscanf(file, "rchar: %lu", &bytes) == 1)
        printf("read %lu\n", bytes);
    if (file)
        fclose(file);
}
