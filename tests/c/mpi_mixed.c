/* MPI beside coarrays.
 *
 * mpi_mixed before|after|own|never: MPI_Init before the first use of the library, or after it, or before it by a function
 * that only MPI has, or not at all.
 *
 * All see the same ranks in MPI as here, halves sum up in their own communicators, and all images can go on after
 * MPI_Finalize. Silent when all is well. */
#include "check.h"
#include <mpi.h>

static void use(void)
{
    int me = xmprt_this_image(XMPRT_CURRENT), images = xmprt_num_images(XMPRT_CURRENT), is, rank, size, sum, fortran;
    MPI_Comm all = MPI_COMM_NULL, again = MPI_COMM_NULL, half = MPI_COMM_NULL;
    xmprt_team team;

    REQUIRE(xmprt_under_mpi() == 1);
    REQUIRE(MPI_Initialized(&is) == MPI_SUCCESS && is);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    REQUIRE(rank == me - 1 && size == images);

    DO(xmprt_mpi_comm(XMPRT_CURRENT, &all, sizeof all));
    DO(xmprt_mpi_comm(XMPRT_INITIAL, &again, sizeof again));
    REQUIRE(all == again && all != MPI_COMM_WORLD);
    MPI_Comm_rank(all, &rank);
    REQUIRE(rank == me - 1);
    DO(xmprt_mpi_comm_fortran(XMPRT_CURRENT, &fortran));
    REQUIRE(fortran == (int)MPI_Comm_c2f(all));

    /* In the other order, so that ranks are not those of MPI_COMM_WORLD. */
    DO(xmprt_form_team(1 + me % 2, (images - me) / 2 + 1, &team));
    DO(xmprt_mpi_comm(team, &half, sizeof half));
    MPI_Comm_rank(half, &rank);
    MPI_Comm_size(half, &size);
    REQUIRE(rank == xmprt_this_image(team) - 1 && size == xmprt_num_images(team));
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, half);
    is = me;
    DO(xmprt_co_sum(team, &is, 1, XMPRT_INT, XMPRT_ALL));
    REQUIRE(is == sum);

    REFUSED(xmprt_mpi_comm(XMPRT_CURRENT, NULL, sizeof all), XMPRT_BAD_ARGUMENT, "null");
    REFUSED(xmprt_mpi_comm_fortran(XMPRT_CURRENT, NULL), XMPRT_BAD_ARGUMENT, "null");
    REFUSED(xmprt_mpi_comm_fortran(XMPRT_TEAM(9), &fortran), XMPRT_BAD_ARGUMENT, "is not a team");
    REFUSED(xmprt_mpi_comm(XMPRT_CURRENT, &all, 1), XMPRT_BAD_ARGUMENT, "compiled for another MPI");
}

/* Each image gives to all images, here and by MPI. */
static void sum_up(void)
{
    int me = xmprt_this_image(XMPRT_CURRENT), images = xmprt_num_images(XMPRT_CURRENT), sum = me;
    DO(xmprt_co_sum(XMPRT_CURRENT, &sum, 1, XMPRT_INT, XMPRT_ALL));
    REQUIRE(sum == images * (images + 1) / 2);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int level = -1;
    if (strcmp(how, "before") == 0)
        MPI_Init(&argc, &argv);
    else if (strcmp(how, "own") == 0)
        PMPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    sum_up();
    if (strcmp(how, "after") == 0) {
        REQUIRE(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level) == MPI_SUCCESS);
        REQUIRE(level >= MPI_THREAD_FUNNELED);
    }
    use();
    if (strcmp(how, "own") == 0) {
        PMPI_Finalize();
        return 0;
    }
    if (strcmp(how, "never") != 0)
        REQUIRE(MPI_Finalize() == MPI_SUCCESS);
    sum_up();
    return 0;
}
