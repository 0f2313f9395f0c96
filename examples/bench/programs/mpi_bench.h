/* What the parts of the raw MPI benchmark share. */
#ifndef MPI_BENCH_H
#define MPI_BENCH_H

#define WORD 8
/* Words of the window: the largest rung, 64 MiB. */
#define LARGEST_WORDS (67108864 / WORD)

/* put, get, strided, atomics, allocation: mpi_onesided.c. */
void run_one_sided(void);
/* Ping-pongs, barrier, pairs: mpi_messages.c. */
void run_messages(void);
/* Reductions and broadcasts: mpi_collective.c. */
void run_collectives(void);

#endif
