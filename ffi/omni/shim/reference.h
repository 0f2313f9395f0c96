/* How functions of translated code pass references to objects on to Rust: as a list of numbers. */
#ifndef XMPRT_OMNI_REFERENCE_H
#define XMPRT_OMNI_REFERENCE_H

#include "arguments.h"

/* What every object begins with: `Object` of ffi/src/global/objects.rs. */
struct object {
    int kind;
    int dimensions;
};

/* Dimensions that an array of Fortran can have; arrays of C have fewer. */
#define MOST_DIMENSIONS 15

/* Reads the arguments of a dimension to `next`. */
#define READ_DIMENSION(values, number, next)                                                            \
    do {                                                                                                \
        if (va_arg(values, int) != 0) {                                                                 \
            (next)[0] = 1;                                                                              \
            (next)[1] = (next)[2] = (next)[3] = 0;                                                      \
        } else {                                                                                        \
            (next)[0] = 0;                                                                              \
            (next)[1] = va_arg(values, number);                                                         \
            (next)[2] = va_arg(values, number);                                                         \
            (next)[3] = va_arg(values, number);                                                         \
        }                                                                                               \
    } while (0)

/* Calls a function with the reference to an object that the arguments after it are: for each dimension whether it is
   `*`, else first, last and step, of type `number`. `call` uses `reference`: four numbers for each dimension, which are
   1 and zeros for `*`, else 0, first, last and step. */
#define WITH_REFERENCE(object_, number, call)                                                           \
    do {                                                                                                \
        const struct object *whole = object_;                                                           \
        long long numbers[4 * MOST_DIMENSIONS];                                                         \
        long long *reference = numbers, *next = numbers;                                                \
        int left = whole == NULL ? 0 : whole->dimensions;                                               \
        va_list values;                                                                                 \
        if (left > MOST_DIMENSIONS) {                                                                   \
            left = 0;                                                                                   \
            reference = NULL;                                                                           \
        }                                                                                               \
        va_start(values, object_);                                                                      \
        if (left == 1) {                                                                                \
            /* Most references. Without a loop the compiler knows in which registers they are. */       \
            READ_DIMENSION(values, number, next);                                                       \
        } else {                                                                                        \
            for (; left > 0; left--, next += 4)                                                         \
                READ_DIMENSION(values, number, next);                                                   \
        }                                                                                               \
        call;                                                                                           \
        va_end(values);                                                                                 \
    } while (0)

#endif
