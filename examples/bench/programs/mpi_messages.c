/* Rows of messages: MPI's own idiom for data with a signal, and its barrier. */
#include "mpi_bench.h"
#include "mpi_timing.h"

#include <mpi.h>
#include <stddef.h>

static double variables[8];

static void message_pingpong(int n)
{
    if (rank != 0 && rank != partner) return;
    for (int i = 0; i < n; i++) {
        if (rank == 0) {
            MPI_Send(variables, 1, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD);
            MPI_Recv(variables, 1, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(variables, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(variables, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        }
    }
}

static void send_eight(int target)
{
    MPI_Request requests[8];
    MPI_Status statuses[8];
    for (int i = 0; i < 8; i++)
        MPI_Isend(variables + i, 1, MPI_DOUBLE, target, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(8, requests, statuses);
}

static void receive_eight(int source)
{
    MPI_Request requests[8];
    MPI_Status statuses[8];
    for (int i = 0; i < 8; i++)
        MPI_Irecv(variables + i, 1, MPI_DOUBLE, source, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(8, requests, statuses);
}

static void message_pingpong_eight(int n)
{
    if (rank != 0 && rank != partner) return;
    for (int i = 0; i < n; i++) {
        if (rank == 0) {
            send_eight(partner);
            receive_eight(partner);
        } else {
            receive_eight(0);
            send_eight(0);
        }
    }
}

static void barrier(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Barrier(MPI_COMM_WORLD);
}

/* An empty message in both directions between ranks 0 and 1, 2 and 3 ... */
static void pairs(int n)
{
    int other = rank ^ 1;
    if (other >= ranks) return;
    for (int i = 0; i < n; i++)
        MPI_Sendrecv(NULL, 0, MPI_BYTE, other, 0, NULL, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

void run_messages(void)
{
    measure("pingpong", WORD, message_pingpong);
    measure("pingpong_eight", WORD, message_pingpong_eight);
    measure("sync_all", 0, barrier);
    measure("sync_images_pair", 0, pairs);
}
