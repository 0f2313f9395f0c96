/* Sizes of the kernels, for C and, by its preprocessor, Fortran. Laplace: points of a side. STREAM: elements. EP: batches, and pairs of
 * one. CG: order, and elements of a row. Himeno: points in each direction. */
#define LAPLACE 1024
#define STREAM 4000000
#define EP_BATCHES 64
#define EP_BATCH 4096
#define CG_ORDER 14000
#define CG_ROW 120
#define HIMENO_I 64
#define HIMENO_J 64
#define HIMENO_K 128
