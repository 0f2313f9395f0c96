/* Row selection, adaptive timing and the output protocol of the raw MPI benchmark: the same
 * protocol, arguments and rules as caf_timing.f90, image k being rank k-1. */
#ifndef MPI_TIMING_H
#define MPI_TIMING_H

#include <stddef.h>

/* This rank, the number of ranks, and the rank that rank 0 talks to. */
extern int rank, ranks, partner;

/* Does the operation of a row n times on this rank; called on every rank. */
typedef void row_body(int n);

/* Starts MPI and reads the arguments. */
void start_timing(int *argc, char ***argv);
/* Whether the row was asked for. */
int selected(const char *name, int bytes);
/* Measures and prints one row if it is selected. Returns the calls of its last batch, 0 if it was not
 * selected. */
int measure(const char *name, int bytes, row_body *body);
/* The same with batches of at most so many calls. */
int measure_at_most(const char *name, int bytes, row_body *body, int most);
/* Reports from any rank that the result of the row was not the right one. */
void report_wrong(const char *name, int bytes);
/* Memory of so many words from malloc, as `allocate` of gfortran takes it, so it lies and has pages as the operand of
 * a coarray program. All of it is written. Ends the program if there is none. */
double *written(size_t words, double value);
/* Writes `value` to all words of this memory. */
void fill(double *memory, size_t words, double value);
/* Reports from any rank that there are pages of the operand that nothing has written: the kernel's page of zeros
 * would be read in their place, which always lies in a cache. */
void check_written(const char *name, int bytes, double *operand, size_t words);
/* Prints the end of the output and ends MPI. */
void finish_timing(void);

#endif
