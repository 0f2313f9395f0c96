/* What LLVM flang 23 and 24 define in each object with coarrays that are not allocatable. A source defines `coarrays`. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

void _QMprifPprif_init(int *);
void _QMprifPprif_stop(const bool *, const int *, const char *, int64_t) __attribute__((noreturn));
void _QMprifPprif_error_stop(const bool *, const int *, const char *, int64_t) __attribute__((noreturn));
void _QMprifPprif_fail_image(void);

static void coarrays(void);

void _QMprifPprif_stop_termination_wrapper(int code)
{
    bool quiet = true;
    _QMprifPprif_stop(&quiet, &code, 0, 0);
}

void _QMprifPprif_error_stop_termination_wrapper(int code)
{
    bool quiet = true;
    _QMprifPprif_error_stop(&quiet, &code, 0, 0);
}

void _QMprifPprif_fail_image_termination_wrapper(void)
{
    _QMprifPprif_fail_image();
}

/* The constructor, which calls init again for each object. */
__attribute__((constructor)) void __mif_save_coarrays_allocate(void)
{
    int stat;
    _QMprifPprif_init(&stat);
    coarrays();
}
