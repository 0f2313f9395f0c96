/* Timing of programs in raw MPI, and operands that are written. */
#ifndef MPI_TIMING_H
#define MPI_TIMING_H

#include "timing.h"

#include <stddef.h>

/* This rank, the number of ranks, and the rank that rank 0 talks to. */
extern int rank, ranks, partner;

/* `measure` with batches of at most this many calls. */
int measure_at_most(const char *name, int bytes, row_body *body, int most);
/* Memory of this many words from malloc, as `allocate` of gfortran takes it, so it lies and has pages as the operand of
 * a coarray program. All of it is written. Ends the program if there is none. */
double *written(size_t words, double value);
/* Words of the smallest page of all processors. */
#define PAGE_WORDS 512
/* The first cache line of `memory` that lies half a page beside `other` within its page; `words_beside` of
 * caf_timing.f90 says why. */
double *half_a_page_beside(double *memory, const double *other);
/* Writes `value` to all words of this memory. */
void fill(double *memory, size_t words, double value);
/* Reports from any rank that there are pages of the operand that nothing has written: the kernel's page of zeros
 * would be read in their place, which always lies in a cache. */
void check_written(const char *name, int bytes, double *operand, size_t words);

#endif
