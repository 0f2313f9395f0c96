/* Memory that the program allocates where other images reach it: xmpfc has the linker replace `malloc` and `calloc` in the user's
   objects (--wrap). Only programs that follow pointers of other images get such memory: they have by_reference.o, which this
   object refers to weakly. */
#include <stddef.h>

extern const char xmprt_follows_pointers __attribute__((weak, visibility("default")));
void *xmprt_reachable_memory(size_t bytes);
void *xmprt_reachable_zeros(size_t bytes);
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t elements, size_t bytes);

/* LEAST_BYTES of ffi/src/gnu/component/ordinary.rs. */
enum { least = 256 };

__attribute__((visibility("hidden"))) void *__wrap_malloc(size_t bytes)
{
    if (bytes >= least && &xmprt_follows_pointers) {
        void *memory = xmprt_reachable_memory(bytes);
        if (memory)
            return memory;
    }
    return __real_malloc(bytes);
}

/* Compilers call it, too, where a program sets what it has allocated to zero. */
__attribute__((visibility("hidden"))) void *__wrap_calloc(size_t elements, size_t bytes)
{
    size_t all;
    if (!__builtin_mul_overflow(elements, bytes, &all) && all >= least && &xmprt_follows_pointers) {
        void *memory = xmprt_reachable_zeros(all);
        if (memory)
            return memory;
    }
    return __real_calloc(elements, bytes);
}
