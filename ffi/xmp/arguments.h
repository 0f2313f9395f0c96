/* How functions with variable arguments pass them on to Rust, which cannot define such functions: as a reader.
   ffi/src/xmp/arguments.rs has its other side. */
#ifndef XMPRT_ARGUMENTS_H
#define XMPRT_ARGUMENTS_H

#include <stdarg.h>
#include <stddef.h>

/* The arguments that are left. */
struct list {
    va_list values;
};

struct arguments {
    struct list *list;
    int (*integer)(struct list *);
    long long (*wide)(struct list *);
    void *(*pointer)(struct list *);
};

int xmprt_next_integer(struct list *list);
long long xmprt_next_wide(struct list *list);
void *xmprt_next_pointer(struct list *list);
/* Fortran passes the address of a variable that holds the descriptor. */
void *xmprt_next_descriptor_of_fortran(struct list *list);

/* Calls a function with the arguments after the one called `last`; `call` uses `arguments`. */
#define WITH_ARGUMENTS(last, call) WITH_POINTERS(xmprt_next_pointer, last, call)

/* The same, where `next_pointer` reads addresses. */
#define WITH_POINTERS(next_pointer, last, call)                                                         \
    do {                                                                                                \
        struct list list;                                                                               \
        struct arguments reader = {&list, xmprt_next_integer, xmprt_next_wide, next_pointer};           \
        struct arguments *arguments = &reader;                                                          \
        va_start(list.values, last);                                                                    \
        call;                                                                                           \
        va_end(list.values);                                                                            \
    } while (0)

#endif
