/* Calls of the global view that one image alone, or each image, has to refuse: what all of them get to know. The argument
 * says which; a second one, that the job runs with XMP_CHECK=1, or on several hosts. */
#include "check.h"
#include <xmprt_global.h>

enum { LENGTH = 48 };

static int me, n, checked, spread;
static xmprt_nodes nodes;
static xmprt_template line;
static xmprt_array a, b;

static void make(void)
{
    int sizes[] = {0};
    xmprt_extent extents[] = {{0, LENGTH}};
    xmprt_format block = {XMPRT_BLOCK, 0, NULL};
    xmprt_dimension with_shadow = {{0, LENGTH}, 0, 0, 1, 1};
    DO(xmprt_nodes_create(0, 1, sizes, &nodes));
    DO(xmprt_template_create(1, extents, &line));
    DO(xmprt_template_distribute(line, &block, nodes));
    DO(xmprt_array_create(line, sizeof(double), 1, &with_shadow, &a));
    DO(xmprt_array_create(line, sizeof(double), 1, NULL, &b));
}

/* What was refused has left nothing after: reflect and gmove do what they do. */
static void still_works(void)
{
    xmprt_piece mine;
    size_t pieces;
    double *here;
    DO(xmprt_array_stored(a, (void **)&here, NULL));
    DO(xmprt_loop(a, 0, xmprt_whole(), &mine, 1, &pieces));
    for (int64_t k = 0; pieces && k < mine.count; k++)
        here[mine.place + k] = (double)(mine.index + k);
    DO(xmprt_reflect(a, NULL, 0, NULL));
    REQUIRE(me == 1 || here[0] == (double)(mine.index - 1));
    REQUIRE(me == n || here[mine.place + mine.count] == (double)(mine.index + mine.count));
    xmprt_range back[] = {xmprt_by(LENGTH - 1, LENGTH, -1)};
    DO(xmprt_gmove(b, back, a, NULL, XMPRT_COLLECTIVE, NULL));
    DO(xmprt_array_stored(b, (void **)&here, NULL));
    REQUIRE(here[0] == (double)(LENGTH - 1 - mine.index));
    DO(xmprt_sync(XMPRT_CURRENT));
}

/* The last image alone is at fault. */
static int guilty(void)
{
    return me == n;
}

/* Refused for a reason that the last image has, whose message has these words. The messages of the others name it and have
 * them, too; with XMP_CHECK=1 they may leave out the reason. On several hosts an image that needs nothing of the last one, nor
 * of one that needs something of it, may complete the call: `needs` says whether this image does. */
#define REFUSED_BY_LAST_IF(needs, call, code, words)                                                   \
    do {                                                                                               \
        char name[16];                                                                                 \
        snprintf(name, sizeof name, "image %d", n);                                                    \
        int got = (call);                                                                              \
        if (!spread || (needs) || got != XMPRT_OK) {                                                   \
            REFUSED(got, code, checked && !guilty() ? name : words);                                   \
            REQUIRE(guilty() || strstr(xmprt_message(), name) != NULL);                                \
        }                                                                                              \
        still_works();                                                                                 \
    } while (0)

/* Refused on all images. */
#define REFUSED_BY_LAST(call, code, words) REFUSED_BY_LAST_IF(1, call, code, words)

/* The last image cannot begin a call in the background; those that need something of it hear of that when they wait. */
#define REFUSED_BEHIND_IF(needs, call, words)                                                          \
    do {                                                                                               \
        char name[16];                                                                                 \
        snprintf(name, sizeof name, "image %d", n);                                                    \
        if (guilty())                                                                                  \
            REFUSED(call, XMPRT_BAD_ARGUMENT, words);                                                  \
        else                                                                                           \
            DO(call);                                                                                  \
        int got = xmprt_wait_async(7);                                                                 \
        REQUIRE(got == XMPRT_OK || !guilty());                                                         \
        if (!guilty() && ((needs) || got != XMPRT_OK)) {                                               \
            REFUSED(got, XMPRT_BAD_ARGUMENT, words);                                                   \
            REQUIRE(strstr(xmprt_message(), name) != NULL);                                            \
        }                                                                                              \
        still_works();                                                                                 \
    } while (0)

static void handle(void)
{
    xmprt_array unknown = guilty() ? (xmprt_array){0x77} : a;
    int next = me > 1 || n == 2, opposite = n != 3 || me != 2;
    xmprt_range back[] = {xmprt_by(LENGTH - 1, LENGTH, -1)};
    REFUSED_BY_LAST_IF(next, xmprt_reflect(unknown, NULL, 0, NULL), XMPRT_BAD_ARGUMENT, "0x77 is not an xmprt_array");
    REFUSED_BY_LAST_IF(next, xmprt_reduce_shadow(unknown, NULL, XMPRT_DOUBLE, XMPRT_SUM, 0, NULL), XMPRT_BAD_ARGUMENT, "0x77");
    REFUSED_BY_LAST_IF(guilty(), xmprt_gmove(b, NULL, unknown, NULL, XMPRT_COLLECTIVE, NULL), XMPRT_BAD_ARGUMENT, "0x77");
    REFUSED_BY_LAST_IF(opposite, xmprt_gmove(b, back, unknown, NULL, XMPRT_COLLECTIVE, NULL), XMPRT_BAD_ARGUMENT, "0x77");
    REFUSED_BY_LAST(xmprt_array_expose(unknown), XMPRT_BAD_ARGUMENT, "0x77");
    xmprt_array made = {0};
    REFUSED_BY_LAST(xmprt_array_create(guilty() ? (xmprt_template){0x77} : line, 8, 1, NULL, &made), XMPRT_BAD_ARGUMENT, "xmprt_template");
    REQUIRE(made.id == 0);
}

static void width(void)
{
    xmprt_halo halo = {guilty() ? -5 : 1, 1, 0};
    REFUSED_BY_LAST_IF(me > 1 || n == 2, xmprt_reflect(a, &halo, 0, NULL), XMPRT_BAD_ARGUMENT,
                       "reflect: dimension 1: a width of -5");
    xmprt_range some[] = {xmprt_from(0, guilty() ? LENGTH + 1 : LENGTH)};
    REFUSED_BY_LAST_IF(guilty(), xmprt_gmove(b, some, a, NULL, XMPRT_COLLECTIVE, NULL), XMPRT_BAD_ARGUMENT, "0:48 is not within 0:47");
    REFUSED_BY_LAST(xmprt_array_create(line, 8, 1, NULL, guilty() ? NULL : &a), XMPRT_BAD_ARGUMENT, "array is a null pointer");
}

/* Calls in the background, several of them refused before anything synchronises. */
static void background(void)
{
    xmprt_array unknown = guilty() ? (xmprt_array){0x77} : a;
    xmprt_range back[] = {xmprt_by(LENGTH - 1, LENGTH, -1)};
    double sum = me;
    int beside = me == n - 1;
    REFUSED_BEHIND_IF(beside, xmprt_reflect(unknown, NULL, 0, &(int64_t){7}), "0x77 is not an xmprt_array");
    REFUSED_BEHIND_IF(beside, xmprt_reduce_shadow(unknown, NULL, XMPRT_DOUBLE, XMPRT_SUM, 0, &(int64_t){7}), "0x77");
    REFUSED_BEHIND_IF(me == 1, xmprt_gmove(b, back, unknown, NULL, XMPRT_COLLECTIVE, &(int64_t){7}), "0x77");
    REFUSED_BEHIND_IF(1, xmprt_reduce(&sum, 1, XMPRT_DOUBLE, guilty() ? 399 : XMPRT_SUM, XMPRT_OBJECT(nodes), NULL, &(int64_t){7}), "399");
    for (int k = 0; k < 50; k++) {
        int code = xmprt_reflect(k % 3 == 0 ? unknown : a, NULL, 0, &(int64_t){7});
        REQUIRE(code == (k % 3 == 0 && guilty() ? XMPRT_BAD_ARGUMENT : XMPRT_OK));
        code = xmprt_wait_async(7);
        REQUIRE(code == XMPRT_OK || (k % 3 == 0 && !guilty()));
    }
    still_works();
}

/* Calls that follow one another, of which the last image refuses some: what is left of one is not taken for the next. */
static void again(void)
{
    xmprt_array unknown = guilty() ? (xmprt_array){0x77} : a;
    xmprt_range back[] = {xmprt_by(LENGTH - 1, LENGTH, -1)};
    for (int k = 0; k < 50; k++) {
        int code = xmprt_reflect(k % 3 == 0 ? unknown : a, NULL, 0, NULL);
        REQUIRE(code == XMPRT_OK || (k % 3 == 0 && code == XMPRT_BAD_ARGUMENT));
        code = xmprt_gmove(b, back, k % 5 == 0 ? unknown : a, NULL, XMPRT_COLLECTIVE, NULL);
        REQUIRE(code == XMPRT_OK || (k % 5 == 0 && code == XMPRT_BAD_ARGUMENT));
    }
    still_works();
}

/* More than any heap has, on the last image alone. */
static void memory(void)
{
    int64_t much = (int64_t)1 << 44, blocks[8];
    xmprt_extent extents[] = {{0, much + n - 1}};
    for (int k = 0; k < n; k++)
        blocks[k] = k == n - 1 ? much : 1;
    xmprt_format uneven = {XMPRT_GBLOCK, 0, blocks};
    xmprt_template wide;
    xmprt_array made = {0};
    DO(xmprt_template_create(1, extents, &wide));
    DO(xmprt_template_distribute(wide, &uneven, nodes));
    REFUSED_BY_LAST(xmprt_array_create(wide, 8, 1, NULL, &made), XMPRT_NO_MEMORY, "out of memory");
    /* Too much to be counted. */
    REFUSED_BY_LAST(xmprt_array_create(wide, (size_t)1 << 19, 1, NULL, &made), XMPRT_BAD_ARGUMENT, "too many");
    REQUIRE(made.id == 0);
}

/* Exposed by one image in a task, then by all. */
static void exposed_twice(void)
{
    xmprt_range last[] = {xmprt_at(n - 1)};
    xmprt_nodes alone;
    int executes;
    DO(xmprt_nodes_section(nodes, last, 0, NULL, &alone));
    DO(xmprt_task_begin(XMPRT_OBJECT(alone), NULL, &executes));
    if (executes) {
        DO(xmprt_array_expose(a));
        DO(xmprt_task_end());
    }
    DO(xmprt_array_expose(a));
    xmprt_range back[] = {xmprt_by(LENGTH - 1, LENGTH, -1)};
    DO(xmprt_gmove(b, back, a, NULL, XMPRT_IN, NULL));
    DO(xmprt_sync(XMPRT_CURRENT));
}

/* The last image executes something else than reflect. What that gives is unspecified; the others are told. */
static void another_operation(void)
{
    uint64_t mine = 64, all[8];
    if (guilty())
        (void)xmprt_co_allgather(XMPRT_CURRENT, all, &mine, sizeof mine);
    else
        REFUSED(xmprt_reflect(a, NULL, 0, NULL), XMPRT_BAD_ARGUMENT, "executes another operation");
    still_works();
}

/* The last image gives another array: who gets something of it is told. */
static void another_array(void)
{
    xmprt_dimension with_shadow = {{0, LENGTH / 2}, 0, 0, 1, 1};
    xmprt_array c;
    DO(xmprt_array_create(line, sizeof(double), 1, &with_shadow, &c));
    int code = xmprt_reflect(guilty() ? c : a, NULL, 0, NULL);
    if (me == n - 1)
        REQUIRE(code == XMPRT_BAD_ARGUMENT && strstr(xmprt_message(), "with other arrays") != NULL);
    still_works();
}

/* Of one image alone, a section is got by, and put to, one of the same array that overlaps it. */
static void overlapping(void)
{
    xmprt_range back[] = {xmprt_by(LENGTH - 1, LENGTH, -1)};
    double *here;
    DO(xmprt_array_stored(a, (void **)&here, NULL));
    for (int k = 0; k < LENGTH; k++)
        here[1 + k] = k;
    DO(xmprt_array_expose(a));
    DO(xmprt_gmove(a, back, a, NULL, XMPRT_IN, NULL));
    for (int k = 0; k < LENGTH; k++)
        REQUIRE(here[1 + k] == LENGTH - 1 - k);
    DO(xmprt_gmove(a, back, a, NULL, XMPRT_OUT, NULL));
    for (int k = 0; k < LENGTH; k++)
        REQUIRE(here[1 + k] == k);
}

/* Steps, indices and widths that are numbers at the ends of all numbers. */
static void extremes(void)
{
    xmprt_piece piece;
    size_t pieces;
    DO(xmprt_loop(a, 0, xmprt_by(0, 1, INT64_MIN), &piece, 1, &pieces));
    REQUIRE(pieces == (me == 1) && (me > 1 || (piece.index == 0 && piece.count == 1)));
    DO(xmprt_loop(a, 0, xmprt_by(LENGTH - 1, 1, INT64_MAX), &piece, 1, &pieces));
    REQUIRE(pieces == (me == n));
    xmprt_range one[] = {xmprt_by(0, 1, INT64_MIN)};
    xmprt_nodes owner;
    DO(xmprt_template_nodes(line, one, &owner));
    REQUIRE(xmprt_nodes_size(owner, -1) == 1);
    int64_t ends[] = {INT64_MIN, INT64_MAX};
    for (int k = 0; k < 2; k++) {
        xmprt_widths widths = {ends[k], ends[1 - k], 1};
        REQUIRE(xmprt_array_element(a, &ends[k]) == NULL);
        int code = xmprt_loop_expand(a, 0, xmprt_whole(), widths, &piece);
        REQUIRE(code == XMPRT_OK ? piece.count == 0 : code == XMPRT_BAD_ARGUMENT);
    }
}

/* Longer than all addresses. */
static void endless(void)
{
    double data = 1.0;
    size_t bytes = (size_t)1 << 62;
    REFUSED(xmprt_broadcast(&data, bytes, XMPRT_OBJECT(nodes), (xmprt_range[]){xmprt_at(0)}, XMPRT_OBJECT(nodes), NULL, NULL), XMPRT_BAD_ARGUMENT, "more than there is");
    REFUSED(xmprt_broadcast(&data, bytes, XMPRT_OBJECT(nodes), (xmprt_range[]){xmprt_at(0)}, XMPRT_OBJECT(nodes), NULL, &(int64_t){1}), XMPRT_BAD_ARGUMENT, "more than there is");
    REFUSED(xmprt_reduce(&data, bytes / 8, XMPRT_DOUBLE, XMPRT_SUM, XMPRT_OBJECT(nodes), NULL, NULL), XMPRT_BAD_ARGUMENT, "more than there is");
    still_works();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"handle", handle},     {"width", width},
        {"background", background}, {"again", again},
        {"memory", memory},     {"exposed-twice", exposed_twice},
        {"endless", endless},   {"another-operation", another_operation},
        {"another-array", another_array}, {"overlapping", overlapping},
        {"extremes", extremes},
    };
    REQUIRE(argc == 2 || argc == 3);
    checked = argc == 3 && strcmp(argv[2], "checked") == 0;
    spread = argc == 3 && strcmp(argv[2], "spread") == 0;
    me = xmprt_this_image(XMPRT_CURRENT), n = xmprt_num_images(XMPRT_CURRENT);
    make();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (strcmp(argv[1], cases[k].name) == 0) {
            cases[k].run();
            still_works();
            return 0;
        }
    REQUIRE(!"a case");
}
