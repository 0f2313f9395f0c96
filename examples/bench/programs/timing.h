/* Row selection, adaptive timing and the output protocol of the benchmarks in C: the same protocol, arguments and rules as
 * caf_timing.f90, image k being node or rank k-1. */
#ifndef TIMING_H
#define TIMING_H

/* Does the operation of a row n times here; called on every node or rank. */
typedef void row_body(int n);

/* Starts MPI where it is measured, and reads the arguments. */
void start_timing(int argc, char **argv);
/* Whether the row was asked for. */
int selected(const char *name, int size);
/* Measures and prints one row if it is selected. Returns the calls of its last batch, 0 if it was not selected. */
int measure(const char *name, int size, row_body *body);
/* Reports, from anywhere, that the result of the row was not the right one. */
void report_wrong(const char *name, int size);
/* Prints the end of the output, and ends MPI. */
void finish_timing(void);

#endif
