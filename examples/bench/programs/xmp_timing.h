/* Row selection, adaptive timing and the output protocol of the XMP/C benchmark: the same protocol, arguments and rules as
 * caf_timing.f90, image k being node k-1. */
#ifndef XMP_TIMING_H
#define XMP_TIMING_H

/* This node and the number of nodes. */
extern int node, nodes;

/* Does the operation of a row n times on this node; called on every node. */
typedef void row_body(int n);

/* Reads the arguments. */
void start_timing(int argc, char **argv);
/* Whether the row was asked for. */
int selected(const char *name, int size);
/* Measures and prints one row if it is selected. Returns the calls of its last batch, 0 if it was not selected. */
int measure(const char *name, int size, row_body *body);
/* Reports from any node that the result of the row was not the right one. */
void report_wrong(const char *name, int size);
/* Prints the end of the output. */
void finish_timing(void);

#endif
