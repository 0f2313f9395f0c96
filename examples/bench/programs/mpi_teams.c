/* The rows of the benchmark of teams that MPI has too: a team is a communicator from MPI_Comm_split. */
#include "mpi_timing.h"

#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

#define WORD 8
/* The most splits in a batch: as in caf_team_sync.f90. */
#define MOST_FORMS 100
/* Elements of the broadcast. */
#define BROADCAST_ELEMENTS 131072

static const int elements[] = {1, 8, 128, 512, 2048, 8192, 32768, 131072, 1048576};

static MPI_Comm team;
static double *operand;
/* Elements of the current row. */
static int words;

/* Splits the ranks in order into groups of so many. */
static MPI_Comm split(int members)
{
    MPI_Comm group;
    MPI_Comm_split(MPI_COMM_WORLD, rank / members, rank, &group);
    return group;
}

/* Two groups from four ranks on. */
static MPI_Comm split_in_two(void)
{
    return split(ranks / 2 > 2 ? ranks / 2 : 2);
}

static void all_ranks(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void one_team(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Barrier(team);
}

static void form(int n)
{
    for (int i = 0; i < n; i++) {
        MPI_Comm fresh = split_in_two();
        MPI_Comm_free(&fresh);
    }
}

static void change_end(int n)
{
    for (int i = 0; i < n; i++) {
        MPI_Barrier(team);
        MPI_Barrier(team);
    }
}

static void form_change_end(int n)
{
    for (int i = 0; i < n; i++) {
        MPI_Comm fresh = split_in_two();
        MPI_Barrier(fresh);
        MPI_Barrier(fresh);
        MPI_Comm_free(&fresh);
    }
}

static void sum(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Allreduce(MPI_IN_PLACE, operand, words, MPI_DOUBLE, MPI_SUM, team);
}

/* The barrier keeps a root that runs ahead of the others from looking fast. */
static void broadcast(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Bcast(operand, words, MPI_DOUBLE, 0, team);
    MPI_Barrier(team);
}

static void run_sync(void)
{
    measure("sync_all", 0, all_ranks);
    for (int members = 2; members <= ranks; members *= 2) {
        team = split(members);
        measure("sync_team", members, one_team);
        MPI_Comm_free(&team);
    }
}

static void run_construction(void)
{
    measure_at_most("form_team", 0, form, MOST_FORMS);
    measure_at_most("form_change_end", 0, form_change_end, MOST_FORMS);
    team = split_in_two();
    measure("change_team", 0, change_end);
    MPI_Comm_free(&team);
}

/* Measures an operation on so many elements, zeros, then does it once more with the number of each rank: all words of
 * the result must be `expected`. */
static void measure_operand(const char *name, int elements_wanted, row_body *body, double expected)
{
    words = elements_wanted;
    if (!selected(name, words * WORD))
        return;
    operand = written(words, 0);
    check_written(name, words * WORD, operand, words);
    measure(name, words * WORD, body);
    fill(operand, words, rank + 1);
    body(1);
    for (int i = 0; i < words; i++)
        if (operand[i] != expected) {
            report_wrong(name, words * WORD);
            break;
        }
    free(operand);
}

static void run_collectives(void)
{
    team = split(ranks);
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        measure_operand("team_sum", elements[i], sum, ranks * (ranks + 1) / 2);
    measure_operand("team_broadcast", BROADCAST_ELEMENTS, broadcast, 1);
    MPI_Comm_free(&team);
}

int main(int argc, char **argv)
{
    start_timing(argc, argv);
    run_sync();
    run_construction();
    run_collectives();
    finish_timing();
    return 0;
}
