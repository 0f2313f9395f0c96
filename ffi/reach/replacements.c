/* Libraries free and resize memory that the program has allocated, too: `getline` resizes it. These functions take the place of the
   C library's for all of the process, as those of an executable do. Memory of segments goes to libxmprt, all else to the functions
   that the process would have otherwise: those of the C library, or of a library that is loaded before it.

   They are weak: a program may have an allocator of its own. libxmprt compares `free` and `realloc` with the other names that they
   have here, and without these functions no memory of the program lies in a segment. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>

extern const char xmprt_has_replacements;
__attribute__((visibility("hidden"))) const char xmprt_has_replacements = 1;

void __wrap_free(void *address);
void *__wrap_realloc(void *address, size_t bytes);
size_t xmprt_reachable_bytes(void *address);

/* Whether an address is one of a region: `may_contain` of xmp-core/shm/src/region/address.rs. */
static int xmprt_is_of_region(const void *address)
{
#ifdef __aarch64__
    return (uintptr_t)address >> 44 == 3;
#else
    return (uintptr_t)address >> 45 == 1;
#endif
}

/* The function that comes after this program's in the order of libraries. `dlsym` may free memory itself, the message of an earlier
   error: then there is none yet. Volatile: the C library declares that `dlsym` calls no function of this file. */
static void *xmprt_next(void **known, const char *name)
{
    static __thread volatile int is_looking;
    void *function = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (!function && !is_looking) {
        is_looking = 1;
        function = dlsym(RTLD_NEXT, name);
        is_looking = 0;
        __atomic_store_n(known, function, __ATOMIC_RELAXED);
    }
    return function;
}

void xmprt_replaced_free(void *address);
void xmprt_replaced_free(void *address)
{
    static void *known;
    void (*function)(void *);
    if (xmprt_is_of_region(address)) {
        __wrap_free(address);
        return;
    }
    *(void **)&function = xmprt_next(&known, "free");
    /* Memory that is freed while `dlsym` runs is kept. */
    if (function)
        function(address);
}

void *xmprt_replaced_realloc(void *address, size_t bytes);
void *xmprt_replaced_realloc(void *address, size_t bytes)
{
    static void *known;
    void *(*function)(void *, size_t);
    if (xmprt_is_of_region(address))
        return __wrap_realloc(address, bytes);
    *(void **)&function = xmprt_next(&known, "realloc");
    return function ? function(address, bytes) : NULL;
}

__attribute__((weak)) void *reallocarray(void *address, size_t elements, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(elements, bytes, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return xmprt_replaced_realloc(address, all);
}

__attribute__((weak)) size_t malloc_usable_size(void *address)
{
    static void *known;
    size_t (*function)(void *);
    if (xmprt_is_of_region(address))
        return xmprt_reachable_bytes(address);
    *(void **)&function = xmprt_next(&known, "malloc_usable_size");
    return function ? function(address) : 0;
}

void free(void *address) __attribute__((weak, alias("xmprt_replaced_free")));
void *realloc(void *address, size_t bytes) __attribute__((weak, alias("xmprt_replaced_realloc")));
