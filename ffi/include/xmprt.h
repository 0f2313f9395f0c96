/*
 * XMP-RT for C: images, teams, collectives on teams, and memory that images share.
 *
 * A program runs as several images (`xmprun -n 4 program`), each a process with variables of its own. Compile and link
 * with `xmpcc program.c -o program`, or with `pkg-config --cflags --libs xmprt`. Nothing has to be initialised: the
 * first call starts the runtime. C functions and coarray Fortran procedures can be mixed in one program; they have
 * the same images and teams.
 *
 *     #include <stdio.h>
 *     #include <xmprt.h>
 *
 *     int main(void)
 *     {
 *         int me = xmprt_this_image(XMPRT_CURRENT), sum = me;
 *         if (xmprt_co_sum(XMPRT_CURRENT, &sum, 1, XMPRT_INT, XMPRT_ALL) != XMPRT_OK) {
 *             fprintf(stderr, "%s\n", xmprt_message());
 *             return 1;
 *         }
 *         if (me == 1)
 *             printf("the image indices add up to %d\n", sum);
 *         return 0;
 *     }
 *
 * Images are counted from 1 within a team. Where a function has a team as its first argument, all images of that team
 * call it together, in the same order, unless its text says otherwise; they need not have changed to the team.
 * Functions that return `int` return XMPRT_OK (0) or one of the positive codes below, when xmprt_message() says
 * more; arguments that are refused have changed nothing.
 *
 * Threads. Every thread of an image may call every function, at any time between the first call and the end of the image.
 *
 *   - Functions that are not collective may be called by several threads at the same time. Each call is complete, for its
 *     own thread, when it returns.
 *   - Collective functions are called by one thread of an image at a time. A call that begins while another thread of the image
 *     waits in one is refused: XMPRT_ERROR, "another thread of this image executes a collective operation", and nothing has
 *     happened. Other threads go on with functions that are not collective meanwhile.
 *   - Which thread of an image calls is of no consequence for other images: teams, blocks and requests are the image's. For
 *     an order between threads the program synchronises them itself.
 *
 * Where a function differs from this its text says so. A signal handler may call a function only where it cannot interrupt
 * another one. A process that an image has forked may call none: it is ended with a message and status 1.
 */
#ifndef XMPRT_H
#define XMPRT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define XMPRT_NORETURN __attribute__((__noreturn__))
#else
#define XMPRT_NORETURN
#endif

/* ---- Outcomes ---------------------------------------------------------------------------------------------------- */

enum {
    XMPRT_OK = 0,
    XMPRT_BAD_ARGUMENT = 1,  /* an argument that cannot be; nothing has happened */
    XMPRT_NO_MEMORY = 2,     /* out of shared memory, here or on another image */
    XMPRT_STOPPED_IMAGE = 3, /* an image that is needed has ended normally */
    XMPRT_FAILED_IMAGE = 4,  /* an image that is needed has failed */
    XMPRT_ERROR = 5          /* anything else, such as an error of the operating system */
};

/* What the last function that did not return XMPRT_OK had to say, in English, with the name of the function and the
 * wrong value. Valid until the next such function. Never null. Each thread has its own. */
const char *xmprt_message(void);

/* ---- Teams ------------------------------------------------------------------------------------------------------- */

/* A team: one of the constants, or what xmprt_form_team gave. Plain numbers, good on this image only. */
typedef int64_t xmprt_team;

#define XMPRT_CURRENT ((xmprt_team)0)  /* the team changed to last, if any, else the initial team */
#define XMPRT_INITIAL ((xmprt_team)-1) /* all images */
#define XMPRT_PARENT ((xmprt_team)-2)  /* the team in which the current one was formed */

/* Splits the current team, all images of which call this: those that give the same `number` (from 1) are a team, which
 * goes to `*team`. Indices in it follow those of the current team if `new_index` is 0; else it is this image's index
 * there (FORM TEAM).
 *
 * A team can be used until the team in which it was formed is left (always, if that is the initial one); after that,
 * using it is an error. */
int xmprt_form_team(int64_t number, int new_index, xmprt_team *team);

/* Enters a team, which the current team must have formed, or the initial team: image indices, XMPRT_CURRENT and memory
 * refer to it until xmprt_end_team. Its images wait for one another in both, and for no other image. xmprt_end_team frees
 * what was allocated within (CHANGE TEAM, END TEAM).
 *
 * Threads: the current team is that of all threads of the image. No other thread is in a function of this library during
 * either call, or uses memory that the second one frees. */
int xmprt_change_team(xmprt_team team);
int xmprt_end_team(void);

/* Waits for all images of the team: what each did before is visible to all after (SYNC ALL, SYNC TEAM). */
int xmprt_sync(xmprt_team team);

/* The number that the team was formed with, -1 for the initial team; 0 if there is no such team (TEAM_NUMBER). Not
 * collective. */
int64_t xmprt_team_number(xmprt_team team);

/* Index of this image in the team and number of the team's images; 0 if there is no such team. Not collective. */
int xmprt_this_image(xmprt_team team);
int xmprt_num_images(xmprt_team team);

/* ---- Collectives on a team --------------------------------------------------------------------------------------- */

/* The type of the elements that a reduction combines. */
typedef enum {
    XMPRT_INT8 = 1,
    XMPRT_INT16,
    XMPRT_INT32,
    XMPRT_INT64,
    XMPRT_UINT8,
    XMPRT_UINT16,
    XMPRT_UINT32,
    XMPRT_UINT64,
    XMPRT_FLOAT,
    XMPRT_DOUBLE,
    XMPRT_LONG_DOUBLE,
    XMPRT_FLOAT_COMPLEX, /* sums only, as the next two */
    XMPRT_DOUBLE_COMPLEX,
    XMPRT_LONG_DOUBLE_COMPLEX,
    XMPRT_BOOL, /* in xmprt_global.h only, as the next one */
    XMPRT_FLOAT128
} xmprt_type;

/* The same by their names in C. */
#define XMPRT_SCHAR XMPRT_INT8
#define XMPRT_SHORT XMPRT_INT16
#define XMPRT_INT XMPRT_INT32
#define XMPRT_LONG XMPRT_INT64
#define XMPRT_LONG_LONG XMPRT_INT64
#define XMPRT_UCHAR XMPRT_UINT8
#define XMPRT_USHORT XMPRT_UINT16
#define XMPRT_UINT XMPRT_UINT32
#define XMPRT_ULONG XMPRT_UINT64
#define XMPRT_ULONG_LONG XMPRT_UINT64
#define XMPRT_SIZE XMPRT_UINT64

/* Stands for all images where one could get the result. */
#define XMPRT_ALL 0

/* Combines `count` elements of `type` at `data` of all images, each element by itself. The results go to `data` on all
 * images (XMPRT_ALL), the same bits everywhere, or on `result_image` only, when the `data` of the others is unspecified
 * afterwards. Integer sums wrap; NaNs are ignored by minimum and maximum. */
int xmprt_co_sum(xmprt_team team, void *data, size_t count, xmprt_type type, int result_image);
int xmprt_co_min(xmprt_team team, void *data, size_t count, xmprt_type type, int result_image);
int xmprt_co_max(xmprt_team team, void *data, size_t count, xmprt_type type, int result_image);

/* All images get the `bytes` bytes at `data` of `source_image`. */
int xmprt_co_broadcast(xmprt_team team, void *data, size_t bytes, int source_image);

/* All images get the `bytes` bytes at `mine` of each, in the order of the images, at `all`, which has room for
 * xmprt_num_images(team) * bytes. The two do not overlap. */
int xmprt_co_allgather(xmprt_team team, const void *mine, void *all, size_t bytes);

/* `result_image` alone gets them; `all` is not looked at elsewhere. */
int xmprt_co_gather(xmprt_team team, const void *mine, void *all, size_t bytes, int result_image);

/* The way back: each image gets, at `mine`, the `bytes` bytes for it of those at `all` of `source_image`, which are in the
 * order of the images; `all` is not looked at elsewhere. */
int xmprt_co_scatter(xmprt_team team, const void *all, void *mine, size_t bytes, int source_image);

/* Each image has at `send` `bytes` bytes for each, in the order of the images, and gets at `receive` those for it, in the
 * order of the images that gave them. The two do not overlap. */
int xmprt_co_alltoall(xmprt_team team, const void *send, void *receive, size_t bytes);

/* The same with parts of any length: `lens` and `offsets` have a number of bytes for each image, which say where its part
 * of the whole lies. For gatherv and scatterv they and `all` are looked at on `result_image` or `source_image` only; each
 * image gives, or gets, `bytes` bytes at `mine`, as many as there are in the other's list. A part of another length is an
 * error of who gets it. */
int xmprt_co_gatherv(xmprt_team team, const void *mine, size_t bytes, void *all, const size_t *lens, const size_t *offsets,
                     int result_image);
int xmprt_co_scatterv(xmprt_team team, const void *all, const size_t *lens, const size_t *offsets, void *mine, size_t bytes,
                      int source_image);
int xmprt_co_alltoallv(xmprt_team team, const void *send, const size_t *send_lens, const size_t *send_offsets,
                       void *receive, const size_t *receive_lens, const size_t *receive_offsets);

/* How values are combined, where that is an argument. Those from XMPRT_PRODUCT on are for xmprt_global.h only: the last four for
 * reductions with locations, those before them for truth values. */
typedef enum {
    XMPRT_SUM = 1,
    XMPRT_MIN,
    XMPRT_MAX,
    XMPRT_PRODUCT,
    XMPRT_BIT_AND,
    XMPRT_BIT_OR,
    XMPRT_BIT_XOR,
    XMPRT_AND,
    XMPRT_OR,
    XMPRT_EQV,
    XMPRT_NEQV,
    XMPRT_FIRST_MAX,
    XMPRT_FIRST_MIN,
    XMPRT_LAST_MAX,
    XMPRT_LAST_MIN
} xmprt_op;

/* Combines the elements at `data` of the images up to this one, in their order (scan), or of those before it (exscan: the
 * first image keeps what it has). */
int xmprt_co_scan(xmprt_team team, void *data, size_t count, xmprt_type type, xmprt_op op);
int xmprt_co_exscan(xmprt_team team, void *data, size_t count, xmprt_type type, xmprt_op op);

/* ---- Collectives in the background ------------------------------------------------------------------------------- */

/* An operation that has begun; 0 for none. */
typedef int64_t xmprt_request;

/* The same operations, reductions for all images, begun now and completed by xmprt_wait or xmprt_test. Any number can go
 * on at the same time; all images of a team begin those of that team in the same order, and may complete them in any. Until
 * an operation is complete the program does not touch its memory; results are there after that. Operations get on while
 * the image waits for anything in this library, or calls xmprt_test.
 *
 * Threads: several may begin operations at the same time, also while another one is in a collective function. The program
 * sees to it that those of one team begin in the same order on all images. */
int xmprt_begin_sync(xmprt_team team, xmprt_request *request);
int xmprt_begin_co_sum(xmprt_team team, void *data, size_t count, xmprt_type type, xmprt_request *request);
int xmprt_begin_co_min(xmprt_team team, void *data, size_t count, xmprt_type type, xmprt_request *request);
int xmprt_begin_co_max(xmprt_team team, void *data, size_t count, xmprt_type type, xmprt_request *request);
int xmprt_begin_co_broadcast(xmprt_team team, void *data, size_t bytes, int source_image, xmprt_request *request);
int xmprt_begin_co_allgather(xmprt_team team, const void *mine, void *all, size_t bytes, xmprt_request *request);
int xmprt_begin_co_gather(xmprt_team team, const void *mine, void *all, size_t bytes, int result_image,
                          xmprt_request *request);
int xmprt_begin_co_scatter(xmprt_team team, const void *all, void *mine, size_t bytes, int source_image,
                           xmprt_request *request);
int xmprt_begin_co_alltoall(xmprt_team team, const void *send, void *receive, size_t bytes, xmprt_request *request);

/* Parts of any length: `lens` and `offsets` are looked at during the call only, and may change after it. An image whose own
 * part has not the length that it has in its list has an error at once, and has begun nothing. */
int xmprt_begin_co_gatherv(xmprt_team team, const void *mine, size_t bytes, void *all, const size_t *lens,
                           const size_t *offsets, int result_image, xmprt_request *request);
int xmprt_begin_co_scatterv(xmprt_team team, const void *all, const size_t *lens, const size_t *offsets, void *mine,
                            size_t bytes, int source_image, xmprt_request *request);
int xmprt_begin_co_alltoallv(xmprt_team team, const void *send, const size_t *send_lens, const size_t *send_offsets,
                             void *receive, const size_t *receive_lens, const size_t *receive_offsets,
                             xmprt_request *request);

int xmprt_begin_co_scan(xmprt_team team, void *data, size_t count, xmprt_type type, xmprt_op op, xmprt_request *request);
int xmprt_begin_co_exscan(xmprt_team team, void *data, size_t count, xmprt_type type, xmprt_op op,
                          xmprt_request *request);

/* Waits until the operation is complete; then `*request` is 0. Without an operation (0) there is nothing to wait for.
 * Not collective. One thread at a time waits for, or tests, the same request. */
int xmprt_wait(xmprt_request *request);

/* Sets `*complete` to 1 if the operation is complete, as after xmprt_wait, else to 0. Not collective. */
int xmprt_test(xmprt_request *request, int *complete);

/* ---- Memory that images share ------------------------------------------------------------------------------------ */

/* Gives each image of the current team, all of which call this, a block of `bytes` bytes, aligned to 64 and all zeros,
 * which all of them can access. Freed by xmprt_free, which all of them call with their own address of the block, or by
 * the xmprt_end_team that leaves the team which allocated it. Both wait for all images of the current team. No other thread
 * uses the block when xmprt_free is called. */
int xmprt_allocate(size_t bytes, void **block);
int xmprt_free(void *block);

/* Copies `bytes` bytes between this image and another, or itself. The address on the side of the other image is that of
 * the same place here: within a block of xmprt_allocate, or within a coarray of Fortran. Not collective. What is put is
 * visible there after a synchronisation of both images that follows the copy; what one image writes and another
 * accesses without one is unspecified.
 *
 * Threads copy at the same time. What one of them has put is complete with the next synchronisation of its image by any thread,
 * and is seen by a get of the same place by any thread that follows it.
 *
 * xmprt_put: from `from` here to `to` there. xmprt_get: from `from` there to `to` here. */
int xmprt_put(xmprt_team team, int image, void *to, const void *from, size_t bytes);
int xmprt_get(xmprt_team team, int image, void *to, const void *from, size_t bytes);

/* The same with the index of an image in the team with this number that was formed together with the current team
 * (team_number=); this image need not be in it. xmprt_sibling_images: the number of its images, 0 if there is no such
 * team. */
int xmprt_sibling_put(int64_t number, int image, void *to, const void *from, size_t bytes);
int xmprt_sibling_get(int64_t number, int image, void *to, const void *from, size_t bytes);
int xmprt_sibling_images(int64_t number);

/* Waits for these images of the team, which name this one in turn; the n-th time here matches the n-th there (SYNC
 * IMAGES). Called by those images only, by one thread at a time as a collective function. With no images it completes what
 * this image has put, and any thread may call it at any time (SYNC MEMORY). */
int xmprt_sync_images(xmprt_team team, const int *images, size_t count);

/* ---- MPI beside coarrays ----------------------------------------------------------------------------------------- */

/* A program that is started by the mpirun of Open MPI or MPICH has its images as processes of that MPI, and may use MPI
 * itself: link with -lxmprt before the MPI library (`mpicc program.c $(pkg-config --cflags --libs xmprt)`). Its MPI_Init may
 * come before or after the first use of the library; MPI is finalised when all images end, so that MPI_Finalize does
 * nothing, but for a program that has initialised MPI by MPI's own functions first: there it ends the image. */

/* 1 if the images are processes of an MPI job, else 0. Not collective. */
int xmprt_under_mpi(void);

/* The communicator of a team, in which ranks are indices in the team less 1, to `*comm`, of `sizeof(MPI_Comm)` bytes.
 * It is the same each time, must not be freed, and lives as long as MPI does. Without MPI, or with a program that was
 * compiled for another MPI: XMPRT_BAD_ARGUMENT. */
int xmprt_mpi_comm(xmprt_team team, void *comm, size_t size);

/* The same, as Fortran knows it: the integer, or MPI_VAL of a type(MPI_Comm). */
int xmprt_mpi_comm_fortran(xmprt_team team, int *comm);

/* ---- End --------------------------------------------------------------------------------------------------------- */

/* Ends this image with an exit status, as STOP or a return from main does; the others go on. Any thread may call it; the
 * other threads of the image end with the process. */
XMPRT_NORETURN void xmprt_stop(int status);

/* Ends all images, with an exit status, as ERROR STOP does. */
XMPRT_NORETURN void xmprt_error_stop(int status);

#ifdef __cplusplus
}
#endif

#endif
