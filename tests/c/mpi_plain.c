/* MPI by itself, without XMP-RT: what the launchers and the hosts of the tests must be able to do.
 *
 * mpi_plain [PER_HOST...]: the number of processes on each host, as MPI_Comm_split_type must find them.
 *
 * Every process sends a message to every other one, all sum up, and a process puts into the next one's window. Silent
 * when all is well. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, ranks;

#define REQUIRE(condition)                                                                             \
    do {                                                                                               \
        if (!(condition)) {                                                                            \
            fprintf(stderr, "rank %d: line %d: %s\n", rank, __LINE__, #condition);                     \
            MPI_Abort(MPI_COMM_WORLD, 9);                                                              \
        }                                                                                              \
    } while (0)

static void check_hosts(int hosts, char **processes)
{
    MPI_Comm near;
    int first = 0, size, leader, host = 0, name_length;
    char name[MPI_MAX_PROCESSOR_NAME], leaders_name[MPI_MAX_PROCESSOR_NAME];
    while (host < hosts && rank >= first + atoi(processes[host]))
        first += atoi(processes[host++]);
    REQUIRE(host < hosts);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    MPI_Comm_size(near, &size);
    REQUIRE(size == atoi(processes[host]));
    leader = rank;
    MPI_Bcast(&leader, 1, MPI_INT, 0, near);
    REQUIRE(leader == first);
    REQUIRE(gethostname(name, sizeof name) == 0);
    for (name_length = 0; name_length < (int)sizeof name; name_length++)
        leaders_name[name_length] = name[name_length];
    MPI_Bcast(leaders_name, sizeof leaders_name, MPI_CHAR, 0, near);
    for (name_length = 0; name[name_length] != '\0'; name_length++)
        REQUIRE(name[name_length] == leaders_name[name_length]);
    MPI_Comm_free(&near);
}

static void check_messages(void)
{
    int sum = 0, one = 1;
    for (int distance = 1; distance < ranks; distance++) {
        int got = -1, to = (rank + distance) % ranks, from = (rank - distance + ranks) % ranks;
        MPI_Sendrecv(&rank, 1, MPI_INT, to, distance, &got, 1, MPI_INT, from, distance, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        REQUIRE(got == from);
    }
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    REQUIRE(sum == ranks);
}

static void check_window(void)
{
    static int words[1024];
    MPI_Win window;
    MPI_Win_create(words, sizeof words, sizeof *words, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % ranks, 7, 1, MPI_INT, window);
    MPI_Win_flush((rank + 1) % ranks, window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    REQUIRE(words[7] == (rank - 1 + ranks) % ranks);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1)
        check_hosts(argc - 1, argv + 1);
    check_messages();
    check_window();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
