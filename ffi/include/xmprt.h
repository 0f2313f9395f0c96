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
 *
 * Arguments have one order: team and image, what is written, what is read, numbers and sizes, what is done, and last the place of
 * a result or of a request. Names of memory on another image are this image's own addresses of the same place: within a block of
 * xmprt_allocate, or within a coarray of Fortran.
 *
 * Functions that return an xmprt_status return XMPRT_OK (0) or one of the positive codes below, when xmprt_message() says more.
 * XMPRT_BAD_ARGUMENT is the code of a team that does not exist, an image that is not in it, a null pointer where memory is
 * needed, an address that is not in shared memory or not aligned, and a number that is no constant of its type. Arguments that
 * are refused have changed nothing.
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

/* In C++17 and C23, compilers warn of a status that is not used. `(void)` before a call says that this is meant. */
#if (defined(__cplusplus) && __cplusplus >= 201703L) || (defined(__STDC_VERSION__) && __STDC_VERSION__ > 201710L)
#define XMPRT_NODISCARD [[nodiscard]]
#else
#define XMPRT_NODISCARD
#endif

/* ---- Version ----------------------------------------------------------------------------------------------------- */

/* The version of this header. A program that was compiled with one version runs with every library of the same major
 * version that is not older. */
#define XMPRT_VERSION_MAJOR 0
#define XMPRT_VERSION_MINOR 1
#define XMPRT_VERSION_PATCH 0
#define XMPRT_VERSION (10000 * XMPRT_VERSION_MAJOR + 100 * XMPRT_VERSION_MINOR + XMPRT_VERSION_PATCH)

/* Give the version of the library, as XMPRT_VERSION and as a text such as "0.1.0". Not collective. */
int xmprt_version(void);
const char *xmprt_version_text(void);

/* Which threads may call the functions, in the words of MPI and OpenSHMEM. */
typedef enum {
    XMPRT_THREADS_SINGLE = 0,
    XMPRT_THREADS_FUNNELED = 1,
    XMPRT_THREADS_SERIALIZED = 2,
    XMPRT_THREADS_MULTIPLE = 3
} xmprt_threads;

/* Gives the thread level that the library provides: always XMPRT_THREADS_MULTIPLE. Not collective. */
xmprt_threads xmprt_thread_level(void);

/* ---- Status ------------------------------------------------------------------------------------------------------ */

/* The outcome of a function. */
typedef enum XMPRT_NODISCARD {
    XMPRT_OK = 0,
    XMPRT_BAD_ARGUMENT = 1,         /* an argument that cannot be; nothing has happened */
    XMPRT_NO_MEMORY = 2,            /* out of shared memory, here or on another image */
    XMPRT_STOPPED_IMAGE = 3,        /* an image that is needed has ended normally */
    XMPRT_FAILED_IMAGE = 4,         /* an image that is needed has failed */
    XMPRT_ERROR = 5,                /* anything else, such as an error of the operating system */
    XMPRT_LOCKED = 6,               /* this image holds the lock already */
    XMPRT_LOCKED_OTHER_IMAGE = 7,   /* another image holds the lock */
    XMPRT_UNLOCKED = 8,             /* no image holds the lock */
    XMPRT_UNLOCKED_FAILED_IMAGE = 9 /* an image that has failed held the lock; this image holds it now */
} xmprt_status;

/* Gives the message of the last function that did not return XMPRT_OK, in English, with the name of the function and the
 * wrong value. Never null. Each thread has its own text, at one address for as long as the thread lives; the next such
 * function replaces it. */
const char *xmprt_message(void);

/* Gives the general meaning of a status, in English. Never null; "not an xmprt_status" for other numbers. Not collective. */
const char *xmprt_status_text(xmprt_status status);

/* What happens after an error: functions return its status, as at the start, or the job ends with the message, as a Fortran program does
 * without stat=. */
typedef enum {
    XMPRT_ERRORS_RETURN = 0,
    XMPRT_ERRORS_ARE_FATAL = 1
} xmprt_errors;

/* Sets what happens after an error of this image, in any thread, from now on. Programs that look at no status say
 * XMPRT_ERRORS_ARE_FATAL first. Not collective. */
xmprt_status xmprt_on_error(xmprt_errors errors);

/* ---- Teams ------------------------------------------------------------------------------------------------------- */

/* A handle of a team: one of the constants, or one that xmprt_form_team gave. It is valid on this image only. */
typedef struct {
    int64_t id;
} xmprt_team;

#ifdef __cplusplus
#define XMPRT_TEAM(number) (xmprt_team{number})
#else
#define XMPRT_TEAM(number) ((xmprt_team){number})
#endif

#define XMPRT_CURRENT XMPRT_TEAM(0)  /* the team changed to last, if any, else the initial team */
#define XMPRT_INITIAL XMPRT_TEAM(-1) /* all images */
#define XMPRT_PARENT XMPRT_TEAM(-2)  /* the team in which the current one was formed */

/* Splits the current team, all images of which call this: those that give the same `number` (from 1) are a team, which
 * goes to `*team`. Indices in it follow those of the current team if `new_index` is 0; else it is this image's index
 * there (FORM TEAM).
 *
 * XMPRT_FAILED_IMAGE: images of the current team have failed. The others have formed their teams without those that failed before
 * the call: `*team` is this image's, as after XMPRT_OK. An image that fails during the call may be in a team; the next
 * xmprt_sync_active of that team reports it.
 *
 * A team can be used until the team in which it was formed is left (always, if that is the initial one); after that,
 * using it is an error. */
xmprt_status xmprt_form_team(int64_t number, int new_index, xmprt_team *team);

/* Enters a team, which the current team must have formed, or the initial team: image indices, XMPRT_CURRENT and memory
 * refer to it until xmprt_end_team. Its images wait for one another in both, and for no other image. xmprt_end_team
 * frees what was allocated within (CHANGE TEAM, END TEAM).
 *
 * XMPRT_FAILED_IMAGE: an image of the team has failed, and the active ones have waited for one another. The first function has
 * entered the team all the same, and the second one has left it. Both wait until what this image has put on other hosts has arrived.
 *
 * Threads: the current team is that of all threads of the image. No other thread is in a function of this library
 * during either call, or uses memory that the second one frees. */
xmprt_status xmprt_change_team(xmprt_team team);
xmprt_status xmprt_end_team(void);

/* Waits for all images of the team: what each did before is visible to all after (SYNC ALL, SYNC TEAM). Where another image
 * calls a different collective function, all get an error, at the latest in the next function that synchronises them;
 * with XMP_CHECK=1 it names both functions. */
xmprt_status xmprt_sync(xmprt_team team);

/* The same for programs that go on after a failure: the active images wait for one another, and all of them get
 * XMPRT_FAILED_IMAGE if one has failed before, or none does. Other functions may return it on some images only. These images
 * execute what the others do up to this function. Then all form a team without the failed images. This function waits until what
 * this image has put on other hosts has arrived (SYNC ALL, SYNC TEAM with STAT=). */
xmprt_status xmprt_sync_active(xmprt_team team);

/* Gives the number that the team was formed with, -1 for the initial team; 0 if there is no such team (TEAM_NUMBER). Not
 * collective. */
int64_t xmprt_team_number(xmprt_team team);

/* Give the index of this image in the team, and the number of the team's images; 0 if there is no such team. Not collective. */
int xmprt_this_image(xmprt_team team);
int xmprt_num_images(xmprt_team team);

/* Gives the index in team `to` of the image that has this index in team `from`, to `*index`; 0 if it is not in `to`. Not
 * collective. */
xmprt_status xmprt_translate_image(xmprt_team from, int image, xmprt_team to, int *index);

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
    XMPRT_FLOAT_COMPLEX, /* sums and products only, as the next two */
    XMPRT_DOUBLE_COMPLEX,
    XMPRT_LONG_DOUBLE_COMPLEX,
    XMPRT_BOOL, /* for functions with an xmprt_op only, as all that follow */
    XMPRT_FLOAT128,
    XMPRT_LOGICAL16, /* of Fortran; that of one byte is XMPRT_BOOL */
    XMPRT_LOGICAL32,
    XMPRT_LOGICAL64
} xmprt_type;

/* The same types by their names in C. The width of long depends on the compiler. */
#define XMPRT_SCHAR XMPRT_INT8
#define XMPRT_SHORT XMPRT_INT16
#define XMPRT_INT XMPRT_INT32
#define XMPRT_LONG (sizeof(long) == 8 ? XMPRT_INT64 : XMPRT_INT32)
#define XMPRT_LONG_LONG XMPRT_INT64
#define XMPRT_UCHAR XMPRT_UINT8
#define XMPRT_USHORT XMPRT_UINT16
#define XMPRT_UINT XMPRT_UINT32
#define XMPRT_ULONG (sizeof(long) == 8 ? XMPRT_UINT64 : XMPRT_UINT32)
#define XMPRT_ULONG_LONG XMPRT_UINT64
#define XMPRT_SIZE (sizeof(size_t) == 8 ? XMPRT_UINT64 : XMPRT_UINT32)

/* The type of an expression, in C11 and later: `xmprt_co_sum(team, x, n, XMPRT_TYPE(*x), XMPRT_ALL)` cannot be given another
 * type than that of x. */
#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define XMPRT_TYPE(expression)                                                                                        \
    _Generic((expression),                                                                                            \
        _Bool: XMPRT_BOOL,                                                                                            \
        char: (char)-1 < 0 ? XMPRT_SCHAR : XMPRT_UCHAR,                                                               \
        signed char: XMPRT_SCHAR,                                                                                     \
        short: XMPRT_SHORT,                                                                                           \
        int: XMPRT_INT,                                                                                               \
        long: XMPRT_LONG,                                                                                             \
        long long: XMPRT_LONG_LONG,                                                                                   \
        unsigned char: XMPRT_UCHAR,                                                                                   \
        unsigned short: XMPRT_USHORT,                                                                                 \
        unsigned int: XMPRT_UINT,                                                                                     \
        unsigned long: XMPRT_ULONG,                                                                                   \
        unsigned long long: XMPRT_ULONG_LONG,                                                                         \
        float: XMPRT_FLOAT,                                                                                           \
        double: XMPRT_DOUBLE,                                                                                         \
        long double: XMPRT_LONG_DOUBLE,                                                                               \
        float _Complex: XMPRT_FLOAT_COMPLEX,                                                                          \
        double _Complex: XMPRT_DOUBLE_COMPLEX,                                                                        \
        long double _Complex: XMPRT_LONG_DOUBLE_COMPLEX)
#endif

/* Says that all images get the result, in place of the index of one. */
#define XMPRT_ALL 0

/* Combine `count` elements of `type` at `data` of all images, each element by itself. The results go to `data` on all
 * images (XMPRT_ALL), the same bits everywhere, or on `result_image` only, when the `data` of the others is unspecified
 * afterwards. Integer sums wrap; NaNs are ignored by minimum and maximum. */
xmprt_status xmprt_co_sum(xmprt_team team, void *data, size_t count, xmprt_type type, int result_image);
xmprt_status xmprt_co_min(xmprt_team team, void *data, size_t count, xmprt_type type, int result_image);
xmprt_status xmprt_co_max(xmprt_team team, void *data, size_t count, xmprt_type type, int result_image);

/* How values are combined, where that is an argument. XMPRT_BIT_AND, XMPRT_BIT_OR and XMPRT_BIT_XOR are for integers;
 * XMPRT_AND to XMPRT_NEQV are those of C, for integers and truth values, and give 0 and 1. The last four are for
 * xmprt_reduce_located of xmprt_global.h only. */
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

/* Combines `count` elements of `type` at `data` of all images by `op`, each element by itself, as xmprt_co_sum does for
 * XMPRT_SUM. Integer products wrap. An operation that the type does not have is XMPRT_BAD_ARGUMENT. */
xmprt_status xmprt_co_reduce_op(xmprt_team team, void *data, size_t count, xmprt_type type, xmprt_op op,
                                int result_image);

/* A program's operation: makes the element at `left` the combination of it and of the one at `right`. Both are aligned
 * for every type of their size. It is associative, and need not be commutative; it calls no function of this library. */
typedef void (*xmprt_operation)(void *left, const void *right, void *context);

/* Combines `count` elements of `element_bytes` bytes at `data` of all images by an operation of the program, each
 * element by itself, in the order of the images (CO_REDUCE). Images that give the same values in other jobs of as many
 * images and hosts get the same bits. `context` is passed on to the operation; it is each image's own. The result is
 * on all images (XMPRT_ALL) or on `result_image`, as for xmprt_co_sum. All images give the same function. A `static` function of a
 * header is a different function in each source file. Different functions of the program file are XMPRT_BAD_ARGUMENT if the program is
 * position-independent (linked with -pie). Functions of shared libraries are not compared. A
 * function that differs between hosts is chosen within the function that is given. */
xmprt_status xmprt_co_reduce(xmprt_team team, void *data, size_t count, size_t element_bytes, xmprt_operation operation,
                             void *context, int result_image);

/* Gives all images the `bytes` bytes at `data` of `source_image`. */
xmprt_status xmprt_co_broadcast(xmprt_team team, void *data, size_t bytes, int source_image);

/* Says that this image's own part is at its place in the memory for all images (MPI_IN_PLACE): the part that an image gives to an
 * allgather, to a gather on `result_image` or to an alltoall, and the part that it gets of a scatter on `source_image`. */
#define XMPRT_IN_PLACE ((void *)(intptr_t)-1)

/* Gives all images the `bytes` bytes at `mine` of each, in the order of the images, at `all`, which has room for
 * xmprt_num_images(team) * bytes. `mine` may be XMPRT_IN_PLACE. Otherwise the two do not overlap (XMPRT_BAD_ARGUMENT). */
xmprt_status xmprt_co_allgather(xmprt_team team, void *all, const void *mine, size_t bytes);

/* Gives `result_image` alone the bytes of all images, as xmprt_co_allgather; `all` is not looked at elsewhere, and
 * `mine` is XMPRT_IN_PLACE on `result_image` only. */
xmprt_status xmprt_co_gather(xmprt_team team, void *all, const void *mine, size_t bytes, int result_image);

/* Gives each image, at `mine`, the `bytes` bytes for it of those at `all` of `source_image`, which are in the order of
 * the images (the reverse of xmprt_co_gather); `all` is not looked at elsewhere, and `mine` is XMPRT_IN_PLACE on
 * `source_image` only, whose own part stays where it is. */
xmprt_status xmprt_co_scatter(xmprt_team team, void *mine, const void *all, size_t bytes, int source_image);

/* Exchanges `bytes` bytes between each two images: `send` has those for each image, in the order of the images, and
 * `receive` gets those of each image for this one. `send` may be XMPRT_IN_PLACE: then `receive` has the parts to send.
 * Otherwise the two do not overlap (XMPRT_BAD_ARGUMENT). */
xmprt_status xmprt_co_alltoall(xmprt_team team, void *receive, const void *send, size_t bytes);

/* Gather, scatter and exchange parts of any length. They are otherwise as the functions above: `lens` and `offsets` have a
 * number of bytes for each image, the length of its part and its place in the whole. For gatherv and scatterv they and `all`
 * are looked at on `result_image` or `source_image` only; each image gives, or gets, `bytes` bytes at `mine`, as many as
 * there are in the other's list. An image that gets a part of another length has an error. Parts that are received do not
 * overlap one another (XMPRT_BAD_ARGUMENT). With XMPRT_IN_PLACE `bytes` is not looked at; xmprt_co_alltoallv has no form in
 * place. */
xmprt_status xmprt_co_gatherv(xmprt_team team, void *all, const size_t *lens, const size_t *offsets, const void *mine,
                              size_t bytes, int result_image);
xmprt_status xmprt_co_scatterv(xmprt_team team, void *mine, size_t bytes, const void *all, const size_t *lens,
                               const size_t *offsets, int source_image);
xmprt_status xmprt_co_alltoallv(xmprt_team team, void *receive, const size_t *receive_lens,
                                const size_t *receive_offsets, const void *send, const size_t *send_lens,
                                const size_t *send_offsets);

/* Gives all images the parts of each. All images give the same `lens`; `offsets`, which may differ, say where each part goes
 * at `all` of this image, and parts do not overlap there (XMPRT_BAD_ARGUMENT). `mine` has `bytes` bytes, as many as this image's entry in
 * `lens`, or is XMPRT_IN_PLACE, when `bytes` is not looked at. */
xmprt_status xmprt_co_allgatherv(xmprt_team team, void *all, const size_t *lens, const size_t *offsets, const void *mine,
                                 size_t bytes);

/* Combine the elements at `data` of the images up to this one, in their order (scan), or of those before it (exscan).
 * In exscan the first image keeps what it has. */
xmprt_status xmprt_co_scan(xmprt_team team, void *data, size_t count, xmprt_type type, xmprt_op op);
xmprt_status xmprt_co_exscan(xmprt_team team, void *data, size_t count, xmprt_type type, xmprt_op op);

/* Combine the elements at `all` of all images, which has `count` for each image, in their order, and give each image those for it
 * at `mine` (MPI_Reduce_scatter_block). The bits are those of xmprt_co_reduce_op. `mine` and `all` do not overlap
 * (XMPRT_BAD_ARGUMENT). */
xmprt_status xmprt_co_reduce_scatter(xmprt_team team, void *mine, const void *all, size_t count, xmprt_type type, xmprt_op op);

/* Find the least or the greatest of `count` values at `data` of all images, each element by itself, as xmprt_co_min and
 * xmprt_co_max do, and the number that the image of that value has for it at `locations`: its index in the team, for instance, or the
 * place of an element (MPI_MINLOC, MPI_MAXLOC). Of several images with the value the least number counts. The results go to
 * `data` and `locations` on all images (XMPRT_ALL), or on `result_image` only. */
xmprt_status xmprt_co_minloc(xmprt_team team, void *data, int64_t *locations, size_t count, xmprt_type type, int result_image);
xmprt_status xmprt_co_maxloc(xmprt_team team, void *data, int64_t *locations, size_t count, xmprt_type type, int result_image);

/* ---- Collectives in the background ------------------------------------------------------------------------------- */

/* A handle of an operation that has begun. */
typedef struct {
    int64_t id;
} xmprt_request;

/* No operation; its `id` is 0. */
#ifdef __cplusplus
#define XMPRT_NO_REQUEST (xmprt_request{0})
#else
#define XMPRT_NO_REQUEST ((xmprt_request){0})
#endif

/* Begin collectives that xmprt_wait or xmprt_test completes: those of the functions without `begin`, reductions for all
 * images. Where images begin different operations, or give different roots, the wait returns the error on the images that
 * find it. An operation with a root completes on an image only after the previous image of the team (for the first one: the
 * last) has begun it or has ended. Several operations of a team can go on at the same time; all images of a team begin them
 * in the same order, and may complete them in any. Until an operation is complete the program does not touch its memory;
 * results are there after that. Operations advance while the image waits for anything in this library, or calls xmprt_test.
 *
 * Threads: several may begin operations at the same time, also while another one is in a collective function. The
 * program sees to it that those of one team begin in the same order on all images. Operations of two teams have no order. Teams of
 * the same images count as one team there if they were formed in the same team with the same number. Within a task XMPRT_CURRENT counts as
 * the team of its images that was formed first, if there is one. */
xmprt_status xmprt_begin_sync(xmprt_team team, xmprt_request *request);
xmprt_status xmprt_begin_co_sum(xmprt_team team, void *data, size_t count, xmprt_type type, xmprt_request *request);
xmprt_status xmprt_begin_co_min(xmprt_team team, void *data, size_t count, xmprt_type type, xmprt_request *request);
xmprt_status xmprt_begin_co_max(xmprt_team team, void *data, size_t count, xmprt_type type, xmprt_request *request);
xmprt_status xmprt_begin_co_reduce_op(xmprt_team team, void *data, size_t count, xmprt_type type, xmprt_op op,
                                      xmprt_request *request);
xmprt_status xmprt_begin_co_broadcast(xmprt_team team, void *data, size_t bytes, int source_image,
                                      xmprt_request *request);
xmprt_status xmprt_begin_co_allgather(xmprt_team team, void *all, const void *mine, size_t bytes,
                                      xmprt_request *request);
xmprt_status xmprt_begin_co_gather(xmprt_team team, void *all, const void *mine, size_t bytes, int result_image,
                                   xmprt_request *request);
xmprt_status xmprt_begin_co_scatter(xmprt_team team, void *mine, const void *all, size_t bytes, int source_image,
                                    xmprt_request *request);
xmprt_status xmprt_begin_co_alltoall(xmprt_team team, void *receive, const void *send, size_t bytes,
                                     xmprt_request *request);
xmprt_status xmprt_begin_co_reduce(xmprt_team team, void *data, size_t count, size_t element_bytes,
                                   xmprt_operation operation, void *context, xmprt_request *request);

/* Begin collectives on parts of any length: `lens` and `offsets` are looked at during the call only, and may change after
 * it. An image whose own part has another length than its list says gets an error at once, and begins nothing. */
xmprt_status xmprt_begin_co_gatherv(xmprt_team team, void *all, const size_t *lens, const size_t *offsets,
                                    const void *mine, size_t bytes, int result_image, xmprt_request *request);
xmprt_status xmprt_begin_co_scatterv(xmprt_team team, void *mine, size_t bytes, const void *all, const size_t *lens,
                                     const size_t *offsets, int source_image, xmprt_request *request);
xmprt_status xmprt_begin_co_alltoallv(xmprt_team team, void *receive, const size_t *receive_lens,
                                      const size_t *receive_offsets, const void *send, const size_t *send_lens,
                                      const size_t *send_offsets, xmprt_request *request);
xmprt_status xmprt_begin_co_allgatherv(xmprt_team team, void *all, const size_t *lens, const size_t *offsets,
                                       const void *mine, size_t bytes, xmprt_request *request);

/* Begin xmprt_co_scan and xmprt_co_exscan, as xmprt_begin_co_sum begins xmprt_co_sum. */
xmprt_status xmprt_begin_co_scan(xmprt_team team, void *data, size_t count, xmprt_type type, xmprt_op op,
                                 xmprt_request *request);
xmprt_status xmprt_begin_co_exscan(xmprt_team team, void *data, size_t count, xmprt_type type, xmprt_op op,
                                   xmprt_request *request);

/* Begin xmprt_co_reduce_scatter, xmprt_co_minloc and xmprt_co_maxloc, as xmprt_begin_co_sum begins xmprt_co_sum. */
xmprt_status xmprt_begin_co_reduce_scatter(xmprt_team team, void *mine, const void *all, size_t count, xmprt_type type, xmprt_op op,
                                           xmprt_request *request);
xmprt_status xmprt_begin_co_minloc(xmprt_team team, void *data, int64_t *locations, size_t count, xmprt_type type,
                                   xmprt_request *request);
xmprt_status xmprt_begin_co_maxloc(xmprt_team team, void *data, int64_t *locations, size_t count, xmprt_type type,
                                   xmprt_request *request);

/* Waits until an operation is complete; then `*request` is XMPRT_NO_REQUEST, for which there is nothing to wait for.
 * Not collective. One thread at a time waits for, or tests, the same request. The text of an error of an operation names the
 * function that has begun it, and with the setting XMP_CHECK=1 also the line, if the program is compiled with -g; it names no
 * line of xmprt_begin_put. */
xmprt_status xmprt_wait(xmprt_request *request);

/* Waits until all of `count` operations are complete, as xmprt_wait does. After an error it waits for the others, too,
 * and returns the first one. Not collective. */
xmprt_status xmprt_wait_all(xmprt_request *requests, size_t count);

/* Wait until one of `count` operations is complete, whose number from 0 goes to `*index`, or until some are, whose numbers
 * go to `indices`, ascending, and how many they are to `*found`. Those requests are XMPRT_NO_REQUEST afterwards; requests
 * that were so before do not count. Where none counts, the functions return at once: `*index` is `count` then, and
 * `*found` 0. `indices` has room for `count` numbers. After an error of one of them, which is returned, it is complete,
 * too. Not collective. */
xmprt_status xmprt_wait_any(xmprt_request *requests, size_t count, size_t *index);
xmprt_status xmprt_wait_some(xmprt_request *requests, size_t count, size_t *indices, size_t *found);

/* Looks whether an operation is complete: `*complete` is 1 then, as after xmprt_wait, else 0. Not collective. */
xmprt_status xmprt_test(xmprt_request *request, int *complete);

/* ---- Memory that images share ------------------------------------------------------------------------------------ */

/* Gives each image of the current team, all of which call this, a block of `bytes` bytes, aligned to 64 and all zeros,
 * which all of them can access. Freed by xmprt_free, which all of them call with their own address of the block, or by
 * the xmprt_end_team that leaves the team which allocated it. Both wait for all images of the current team, and first for
 * the operations on the block that this image has begun: xmprt_wait gives their outcomes later. No other thread uses the block
 * when xmprt_free is called. With a null pointer xmprt_free does nothing, and does not wait. */
xmprt_status xmprt_allocate(size_t bytes, void **block);
xmprt_status xmprt_free(void *block);

/* Copy `bytes` bytes between this image and another, or itself: xmprt_put from `from` here to `to` there, xmprt_get
 * from `from` there to `to` here. Not collective. When either returns, memory of this image may be changed, and used.
 * What is put is visible there after a synchronisation of both images that follows the copy; what one image writes and
 * another accesses without one is unspecified.
 *
 * Bytes that begin in a block and end beyond it are refused. The library cannot tell that an address is in another block
 * than the program means. With 0 bytes, as in the empty last part of a loop, any address will do.
 *
 * Threads may copy at the same time. What one of them has put is complete with the next synchronisation of its image by
 * any thread, and is seen by a get of the same place by any thread that follows it. */
xmprt_status xmprt_put(xmprt_team team, int image, void *to, const void *from, size_t bytes);
xmprt_status xmprt_get(xmprt_team team, int image, void *to, const void *from, size_t bytes);

/* Begin a copy, as xmprt_put and xmprt_get, which xmprt_wait or xmprt_test completes: a put is on the other image
 * then, where what follows sees it. `from` of a put may be changed at once. A get is complete when xmprt_begin_get
 * returns, so its request is XMPRT_NO_REQUEST; so is that of a put on the same host. Without a wait, the next
 * synchronisation completes a put. Not collective. */
xmprt_status xmprt_begin_put(xmprt_team team, int image, void *to, const void *from, size_t bytes,
                             xmprt_request *request);
xmprt_status xmprt_begin_get(xmprt_team team, int image, void *to, const void *from, size_t bytes,
                             xmprt_request *request);

/* Copy an array section of `ndims` dimensions, 0 to 15, the last one running fastest: `extents[d]` elements of
 * `element_bytes` bytes along dimension d, which are `to_strides[d]` and `from_strides[d]` bytes apart. Strides may be
 * negative. Where elements are written they are no less than an element (XMPRT_BAD_ARGUMENT), where they are read they may be, or 0.
 * Otherwise as xmprt_put and xmprt_get. Between hosts it is one message, or few. Not collective. */
xmprt_status xmprt_put_strided(xmprt_team team, int image, void *to, const ptrdiff_t *to_strides, const void *from,
                               const ptrdiff_t *from_strides, const size_t *extents, int ndims, size_t element_bytes);
xmprt_status xmprt_get_strided(xmprt_team team, int image, void *to, const ptrdiff_t *to_strides, const void *from,
                               const ptrdiff_t *from_strides, const size_t *extents, int ndims, size_t element_bytes);

/* Copy `count` elements of `element_bytes` bytes, which are one after the other here and `offsets[k]` bytes from the
 * address there. Elements that are put do not overlap there: with XMP_CHECK=1 that is XMPRT_BAD_ARGUMENT, else it is
 * unspecified what is there then. Otherwise as xmprt_put and xmprt_get. Not collective. */
xmprt_status xmprt_put_indexed(xmprt_team team, int image, void *to, const ptrdiff_t *offsets, const void *from,
                               size_t count, size_t element_bytes);
xmprt_status xmprt_get_indexed(xmprt_team team, int image, void *to, const void *from, const ptrdiff_t *offsets,
                               size_t count, size_t element_bytes);

/* Gives the address at which this image can load and store the memory of the other image at the same place as `here`; null if
 * that image is on another host, and after an error. It is valid as long as the block exists. Not collective. */
void *xmprt_address(xmprt_team team, int image, const void *here);

/* Tells whether `bytes` bytes from an address of this image on are memory that images share: 1, else 0. Not collective. */
int xmprt_is_shared(const void *here, size_t bytes);

/* Copy to or from an image of a sibling of the current team: the team of this number that was formed together with it
 * (team_number=); this image need not be in it. Otherwise as xmprt_put and xmprt_get. xmprt_sibling_images: the number of
 * its images, 0 if there is no such team. */
xmprt_status xmprt_sibling_put(int64_t number, int image, void *to, const void *from, size_t bytes);
xmprt_status xmprt_sibling_get(int64_t number, int image, void *to, const void *from, size_t bytes);
int xmprt_sibling_images(int64_t number);

/* ---- Synchronisation of images ----------------------------------------------------------------------------------- */

/* Waits for these images of the team, which name this one in turn; the n-th time here matches the n-th there (SYNC
 * IMAGES). Called by those images only, by one thread at a time as a collective function. With no images it does what
 * xmprt_sync_memory does, and any thread may call it at any time. */
xmprt_status xmprt_sync_images(xmprt_team team, const int *images, size_t count);

/* Completes what this image has put, and orders it before what the image does next (SYNC MEMORY). Not collective. */
xmprt_status xmprt_sync_memory(void);

/* ---- Atomic operations ------------------------------------------------------------------------------------------- */

/* Read a variable of 4 or 8 bytes on an image in one step, to `*value` (ATOMIC_REF). Each atomic operation is one step
 * for all images. All accesses to the variable are such operations, atomic subroutines of Fortran, signals and waits
 * for values, while images execute them. In the operations below `*old` gets the former value, unless `old` is null.
 * Atomic operations order nothing but themselves; a program orders other accesses by xmprt_sync_memory before and
 * after them. Not collective. */
xmprt_status xmprt_atomic_load32(xmprt_team team, int image, const int32_t *variable, int32_t *value);
xmprt_status xmprt_atomic_load64(xmprt_team team, int image, const int64_t *variable, int64_t *value);

/* Set a variable on an image in one step (ATOMIC_DEFINE). As xmprt_atomic_load32. */
xmprt_status xmprt_atomic_store32(xmprt_team team, int image, int32_t *variable, int32_t value);
xmprt_status xmprt_atomic_store64(xmprt_team team, int image, int64_t *variable, int64_t value);

/* Set a variable on an image, and give its former value to `*old`, in one step. As xmprt_atomic_load32. */
xmprt_status xmprt_atomic_swap32(xmprt_team team, int image, int32_t *variable, int32_t value, int32_t *old);
xmprt_status xmprt_atomic_swap64(xmprt_team team, int image, int64_t *variable, int64_t value, int64_t *old);

/* Add to a variable on an image in one step, wrapping (ATOMIC_ADD, ATOMIC_FETCH_ADD). As xmprt_atomic_load32. */
xmprt_status xmprt_atomic_add32(xmprt_team team, int image, int32_t *variable, int32_t value, int32_t *old);
xmprt_status xmprt_atomic_add64(xmprt_team team, int image, int64_t *variable, int64_t value, int64_t *old);

/* Combine the bits of a variable on an image with those of a value in one step, by `&`, `|` or `^` (ATOMIC_AND, ATOMIC_OR, ATOMIC_XOR and those
 * that fetch). As xmprt_atomic_load32. */
xmprt_status xmprt_atomic_and32(xmprt_team team, int image, int32_t *variable, int32_t value, int32_t *old);
xmprt_status xmprt_atomic_and64(xmprt_team team, int image, int64_t *variable, int64_t value, int64_t *old);
xmprt_status xmprt_atomic_or32(xmprt_team team, int image, int32_t *variable, int32_t value, int32_t *old);
xmprt_status xmprt_atomic_or64(xmprt_team team, int image, int64_t *variable, int64_t value, int64_t *old);
xmprt_status xmprt_atomic_xor32(xmprt_team team, int image, int32_t *variable, int32_t value, int32_t *old);
xmprt_status xmprt_atomic_xor64(xmprt_team team, int image, int64_t *variable, int64_t value, int64_t *old);

/* Set a variable on an image to `desired` if it is `expected`, in one step (ATOMIC_CAS). It was set if `*old` is `expected`. As
 * xmprt_atomic_load32. */
xmprt_status xmprt_atomic_compare_swap32(xmprt_team team, int image, int32_t *variable, int32_t expected,
                                         int32_t desired, int32_t *old);
xmprt_status xmprt_atomic_compare_swap64(xmprt_team team, int image, int64_t *variable, int64_t expected,
                                         int64_t desired, int64_t *old);

/* Operations on floating-point variables, as those on integers: to read one, to set it, to set it and give its former value, and to
 * add to it. They may be mixed with the others on the same variable. An addition to a variable of another host repeats
 * itself when other images have changed the variable meanwhile. As xmprt_atomic_load32. */
xmprt_status xmprt_atomic_load_float(xmprt_team team, int image, const float *variable, float *value);
xmprt_status xmprt_atomic_load_double(xmprt_team team, int image, const double *variable, double *value);
xmprt_status xmprt_atomic_store_float(xmprt_team team, int image, float *variable, float value);
xmprt_status xmprt_atomic_store_double(xmprt_team team, int image, double *variable, double value);
xmprt_status xmprt_atomic_swap_float(xmprt_team team, int image, float *variable, float value, float *old);
xmprt_status xmprt_atomic_swap_double(xmprt_team team, int image, double *variable, double value, double *old);
xmprt_status xmprt_atomic_add_float(xmprt_team team, int image, float *variable, float value, float *old);
xmprt_status xmprt_atomic_add_double(xmprt_team team, int image, double *variable, double value, double *old);

/* ---- Events, signals, locks -------------------------------------------------------------------------------------- */

/* An event: a count of posts, in shared memory, that starts with zeros. It is the event_type of Fortran. */
typedef struct {
    int64_t private_count;
} xmprt_event;

/* Posts the event of an image: what this image has put there before is visible to an image that has waited for the
 * post (EVENT POST). Not collective. */
xmprt_status xmprt_event_post(xmprt_team team, int image, xmprt_event *event);

/* Waits until an event of this image was posted `until` times, at least once, and takes this many posts off its count
 * (EVENT WAIT). When no image is left that could post: XMPRT_FAILED_IMAGE if one has failed, else XMPRT_STOPPED_IMAGE.
 * Not collective; other threads go on. */
xmprt_status xmprt_event_wait(xmprt_event *event, int64_t until);

/* Reads how often an event of this image was posted and not yet waited for (EVENT_QUERY). Not collective. */
xmprt_status xmprt_event_query(const xmprt_event *event, int64_t *count);

/* What xmprt_put_signal does with a signal. */
typedef enum {
    XMPRT_SIGNAL_SET = 1, /* it gets the value */
    XMPRT_SIGNAL_ADD = 2  /* the value is added, wrapping */
} xmprt_signal_op;

/* Copies `bytes` bytes to an image, as xmprt_put, then changes `signal` on it, which is not among these bytes. An image that has waited for the signal
 * by xmprt_wait_until64 finds the bytes. `from` may be changed at once. Not collective. */
xmprt_status xmprt_put_signal(xmprt_team team, int image, void *to, const void *from, size_t bytes, int64_t *signal,
                              xmprt_signal_op op, int64_t value);

/* How a variable is compared with a value. */
typedef enum {
    XMPRT_EQUAL = 1,
    XMPRT_NOT_EQUAL,
    XMPRT_LESS,
    XMPRT_LESS_EQUAL,
    XMPRT_GREATER,
    XMPRT_GREATER_EQUAL
} xmprt_comparison;

/* Wait until a variable of this image, in shared memory, compares so with the value, as signals or atomic operations
 * of any image change it. When no image is left that could change it: XMPRT_FAILED_IMAGE if one has failed, else
 * XMPRT_STOPPED_IMAGE. Not collective; other threads go on. */
xmprt_status xmprt_wait_until32(const int32_t *variable, xmprt_comparison comparison, int32_t value);
xmprt_status xmprt_wait_until64(const int64_t *variable, xmprt_comparison comparison, int64_t value);

/* Wait, as xmprt_wait_until64, for `count` variables that are one after the other: until all compare so, until one does,
 * whose number from 0 goes to `*index`, or until some do, whose numbers go to `indices`, ascending, and how many they are
 * to `*found`. Variables for which `skip` is not 0 do not count; `skip` may be null. Where none counts, the functions
 * return at once: `*index` is `count` then, and `*found` 0. `indices` has room for `count` numbers. Not collective; other
 * threads go on. */
xmprt_status xmprt_wait_until_all32(const int32_t *variables, size_t count, const int *skip, xmprt_comparison comparison,
                                    int32_t value);
xmprt_status xmprt_wait_until_all64(const int64_t *variables, size_t count, const int *skip, xmprt_comparison comparison,
                                    int64_t value);
xmprt_status xmprt_wait_until_any32(const int32_t *variables, size_t count, const int *skip, xmprt_comparison comparison,
                                    int32_t value, size_t *index);
xmprt_status xmprt_wait_until_any64(const int64_t *variables, size_t count, const int *skip, xmprt_comparison comparison,
                                    int64_t value, size_t *index);
xmprt_status xmprt_wait_until_some32(const int32_t *variables, size_t count, const int *skip,
                                     xmprt_comparison comparison, int32_t value, size_t *indices, size_t *found);
xmprt_status xmprt_wait_until_some64(const int64_t *variables, size_t count, const int *skip,
                                     xmprt_comparison comparison, int64_t value, size_t *indices, size_t *found);

/* Look whether a variable of this image compares so with the value, as after xmprt_wait_until64: `*holds` is 1, else 0.
 * Not collective. */
xmprt_status xmprt_test32(const int32_t *variable, xmprt_comparison comparison, int32_t value, int *holds);
xmprt_status xmprt_test64(const int64_t *variable, xmprt_comparison comparison, int64_t value, int *holds);

/* A lock, in shared memory, that starts with zeros. It is the lock_type of Fortran. An image holds it, and not a thread:
 * threads of one image exclude one another by other means, such as a mutex that each of them locks first, and unlocks
 * last. Memory that did not start with zeros is refused where it names an image that does not exist. */
typedef struct {
    int64_t private_owner;
} xmprt_lock;

/* Waits until no image holds the lock of an image, and holds it (LOCK). XMPRT_LOCKED: this image holds it already.
 * XMPRT_STOPPED_IMAGE: an image has ended that holds it. XMPRT_UNLOCKED_FAILED_IMAGE: an image that has failed held
 * it, and this image holds it now. XMPRT_FAILED_IMAGE: the image of the lock has failed while this one waited. Whichever
 * thread of the image has acquired the lock, it is the image's. Not collective; other threads go on. */
xmprt_status xmprt_lock_acquire(xmprt_team team, int image, xmprt_lock *lock);

/* Holds the lock if that needs no waiting, as xmprt_lock_acquire: `*acquired` is 1 if this call has acquired it, else 0
 * (LOCK with ACQUIRED_LOCK=). XMPRT_LOCKED: this image holds it already, also where another thread has acquired it. Not
 * collective. */
xmprt_status xmprt_lock_try(xmprt_team team, int image, xmprt_lock *lock, int *acquired);

/* Gives the lock back, whichever thread of the image has acquired it; what this image has put before is visible to the image that acquires it next (UNLOCK).
 * XMPRT_UNLOCKED, XMPRT_LOCKED_OTHER_IMAGE: this image does not hold it. Not collective. */
xmprt_status xmprt_lock_release(xmprt_team team, int image, xmprt_lock *lock);

/* ---- State of images --------------------------------------------------------------------------------------------- */

/* Tells whether an image runs (XMPRT_OK), has ended (XMPRT_STOPPED_IMAGE) or has failed (XMPRT_FAILED_IMAGE), to `*status`
 * (IMAGE_STATUS). A program that has learnt that an image has failed goes on without it. Not collective. */
xmprt_status xmprt_image_status(xmprt_team team, int image, xmprt_status *status);

/* List the images of a team that have failed or ended: their indices, ascending, to `images`, and their number to `*count`
 * (FAILED_IMAGES, STOPPED_IMAGES). If there are more than `most`, `*count` alone is set: XMPRT_BAD_ARGUMENT. Not
 * collective. */
xmprt_status xmprt_failed_images(xmprt_team team, int *images, size_t most, size_t *count);
xmprt_status xmprt_stopped_images(xmprt_team team, int *images, size_t most, size_t *count);

/* Give the number of hosts of the job, and the host of an image, from 1; 0 if there is no such image. Not collective. */
int xmprt_num_hosts(void);
int xmprt_host_of(xmprt_team team, int image);

/* ---- MPI beside coarrays ----------------------------------------------------------------------------------------- */

/* A program that is started by the mpirun of Open MPI or MPICH has its images as processes of that MPI, and may use
 * MPI itself: link with -lxmprt before the MPI library (`mpicc program.c $(pkg-config --cflags --libs xmprt)`). Its
 * MPI_Init may come before or after the first use of the library; MPI is finalised when all images end, so that
 * MPI_Finalize does nothing, but for a program that has initialised MPI by MPI's own functions first: there it ends
 * the image. */

/* Tells whether the images are processes of an MPI job: 1, else 0. Not collective. */
int xmprt_under_mpi(void);

/* Gives the communicator of a team, in which ranks are indices in the team less 1, to `*comm`, of `sizeof(MPI_Comm)` bytes.
 * It is the same each time, must not be freed, and lives as long as MPI does. Without MPI, or with a program that was
 * compiled for another MPI: XMPRT_BAD_ARGUMENT. */
xmprt_status xmprt_mpi_comm(xmprt_team team, void *comm, size_t size);

/* Gives the communicator of a team, as xmprt_mpi_comm, in the form that Fortran knows: the integer, or MPI_VAL of a
 * type(MPI_Comm). */
xmprt_status xmprt_mpi_comm_fortran(xmprt_team team, int *comm);

/* ---- End --------------------------------------------------------------------------------------------------------- */

/* Ends this image with an exit status, as STOP or a return from main does; the others go on. Any thread may call it;
 * the other threads of the image end with the process. */
XMPRT_NORETURN void xmprt_stop(int status);

/* Ends all images, with an exit status, as ERROR STOP does. */
XMPRT_NORETURN void xmprt_error_stop(int status);

/* Ends all images, with exit status 1 and a message: the source line of this call, the image and the text, once for images that
 * give the same. */
XMPRT_NORETURN void xmprt_error_stop_message(const char *text);

/* Has this image fail, as FAIL IMAGE does: to test how a program goes on without it. */
XMPRT_NORETURN void xmprt_fail_image(void);

#ifdef __cplusplus
}
#endif

#endif
