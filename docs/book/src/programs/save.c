#include <stdio.h>
#include <xmp_io.h>

#define N 100

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[cyclic(3)] onto p
#pragma xmp template u[N]
#pragma xmp distribute u[block] onto p
double a[N], b[N];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with u[i]

int main(void)
{
    long bytes, right = 0;
    xmp_range_t *all = xmp_allocate_range(1);
    xmp_file_t *file = xmp_fopen_all("array.bin", "w+");
    xmp_set_range(all, 1, 0, N, 1);
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++)
        a[i] = i;
    bytes = xmp_fwrite_darray_all(file, xmp_desc_of(a), all);
    xmp_file_sync_all(file);
    xmp_fseek(file, 0, SEEK_SET);
    xmp_fread_darray_all(file, xmp_desc_of(b), all);
    xmp_fclose_all(file);
#pragma xmp loop on u[i] reduction(+: right)
    for (int i = 0; i < N; i++)
        right += b[i] == i;
#pragma xmp reduction(+: bytes)
#pragma xmp task on p[0]
    printf("%ld bytes, %ld elements are right\n", bytes, right);
    xmp_free_range(all);
    return 0;
}
