/* Memory for parts of arrays in Fortran: the compiler's `allocate` gets it from `malloc`, and programs are linked so that this one
   takes its place (--wrap). Parts lie in the segment of their image, where other images of the host read them. The compiler frees
   them by `free`, which is replaced as well. */
#include "end_job.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

size_t xmprt_omni_part_bytes(void *array);
void *xmprt_omni_part_memory(size_t bytes);

/* The C library's; none in a program that was linked without --wrap. */
void *__real_malloc(size_t bytes) __attribute__((weak));

/* Sizes of the parts that the next statement allocates. */
enum { most = 16 };
static _Thread_local size_t parts[most];
/* Memory that they shall have; null where any will do. */
static _Thread_local void *given[most];
static _Thread_local int wanted;

/* The next `allocate` has the part of this array, which shall lie there unless that is null. Where there are too many, the others
   get other memory. */
void xmpt_given_memory(int64_t array, void *memory)
{
    if (wanted == most)
        return;
    parts[wanted] = xmprt_omni_part_bytes((void *)(intptr_t)array);
    given[wanted++] = memory;
}

void xmptf_memory(int64_t array)
{
    xmpt_given_memory(array, 0);
}

/* The statement is over. Other memory than that of its coarray will not do for a part. */
void xmpt_end_memory(void)
{
    int at;
    for (at = 0; at < wanted; at++)
        if (given[at]) {
            fprintf(stderr, "xmp: local_alias: the compiler has not allocated the array by malloc, or the program was not linked by xmpf90\n");
            end_job(EXIT_FAILURE);
        }
    wanted = 0;
}

/* A part has at least as many bytes as `malloc` aligns to: nothing is gained by smaller ones. */
void *__wrap_malloc(size_t bytes)
{
    enum { least = 16 };
    for (int at = 0; at < wanted; at++)
        if (parts[at] == bytes && (bytes >= least || given[at])) {
            void *memory = given[at];
            parts[at] = parts[--wanted];
            given[at] = given[wanted];
            if (!memory)
                memory = xmprt_omni_part_memory(bytes);
            if (memory)
                return memory;
            break;
        }
    return __real_malloc(bytes);
}
