/* Random calls of every function of xmprt_global.h, the same on all images, some of them with wild arguments.
 *
 *     random_global SEED CALLS WILD LONELY
 *
 * WILD per cent of the arguments are wild: sizes, indices, handles, pointers that cannot be. LONELY per cent of these are wild
 * on one image only, which changes from argument to argument. The program ends with status 0 if every call has returned, and
 * without lonely arguments with the same code on all images that made it. It says where it was if a call takes too long. */
#include "check.h"
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <xmprt_global.h>

enum {
    KINDS = 6,      /* objects of a kind that are kept */
    DIMENSIONS = 3, /* most dimensions of a valid object */
    ROOM = 16,      /* elements of every list, more than any function reads */
    DEPTH = 3,      /* tasks in one another */
    COMPARED = 32,  /* calls between two comparisons of codes */
    PATIENCE = 120  /* seconds for the calls between two comparisons */
};

static unsigned wild_share, lonely_share;
static uint64_t seed;
/* Whether an argument of the present call may be wild on one image only. An argument that says which images take part may
 * not: no image could tell those that wait. */
static int may_be_lonely;

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

/* SplitMix64: all images of a task draw the same numbers. */
typedef struct {
    uint64_t state;
} dice;

static uint64_t roll(dice *d)
{
    uint64_t x = d->state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static int64_t below(dice *d, int64_t end)
{
    return (int64_t)(roll(d) % (uint64_t)end);
}

static int happens(dice *d, unsigned per_cent)
{
    return roll(d) % 100 < per_cent;
}

/* Whether this argument is wild on this image. All images draw the same numbers. */
static int is_wild(dice *d)
{
    int wild = happens(d, wild_share), lonely = happens(d, lonely_share) && may_be_lonely;
    int64_t whose = below(d, xmprt_num_images(XMPRT_CURRENT)) + 1;
    return wild && (!lonely || whose == xmprt_this_image(XMPRT_CURRENT));
}

/* None is an extent that is long and could be had: that would take all memory of the machine. */
static const int64_t wild_numbers[] = {
    -1, -2, -3, 0, 1, 7, 25, 64, (int64_t)1 << 46, -((int64_t)1 << 46), INT64_MIN, INT64_MIN + 1, INT64_MAX,
    INT64_MAX - 1, INT64_MAX / 2, INT64_MIN / 2,
};
static const int wild_ints[] = {-1, -2, 0, 1, 2, 3, 7, 15, 16, 255, INT_MAX, INT_MAX - 1, INT_MIN};

static int64_t wild_number(dice *d)
{
    return wild_numbers[below(d, sizeof wild_numbers / sizeof *wild_numbers)];
}

/* `tame`, or a wild number. */
static int64_t number(dice *d, int64_t tame)
{
    int64_t wild = wild_number(d);
    return is_wild(d) ? wild : tame;
}

static int small(dice *d, int tame)
{
    int wild = wild_ints[below(d, sizeof wild_ints / sizeof *wild_ints)];
    return is_wild(d) ? wild : tame;
}

/* `list`, or a null pointer. */
static void *list(dice *d, void *place)
{
    return is_wild(d) ? NULL : place;
}

/* ---- What is called ---------------------------------------------------------------------------------------------- */

/* The call that is being made, for the message of one that does not return. */
static char calling[256];
static int calls_made;

/* Codes of calls that all executing images have made. */
static int codes[COMPARED];
static char names[COMPARED][24];
static int compared;

static void too_long(int signal)
{
    (void)signal;
    static const char text[] = " does not return\n";
    ssize_t written = write(2, calling, strlen(calling));
    written += write(2, text, sizeof text - 1);
    _exit(written > 0 ? 3 : 4);
}

static void begin(const char *name)
{
    calls_made++;
    snprintf(calling, sizeof calling, "seed %llu, image %d: call %d, %s", (unsigned long long)seed,
             xmprt_this_image(XMPRT_INITIAL), calls_made, name);
}

/* Compares the codes of the last calls on all executing images. */
static void compare(void)
{
    int n = xmprt_num_images(XMPRT_CURRENT), theirs[8][COMPARED];
    REQUIRE(n >= 1 && n <= 8);
    begin("comparison");
    alarm(PATIENCE);
    DO(xmprt_co_allgather(XMPRT_CURRENT, theirs, codes, sizeof codes));
    for (int image = 0; image < n && lonely_share == 0; image++)
        for (int k = 0; k < compared; k++)
            if (theirs[image][k] != codes[k]) {
                fprintf(stderr, "seed %llu, near call %d: %s is %d on image %d and %d on image %d (%s)\n",
                        (unsigned long long)seed, calls_made, names[k], codes[k],
                        xmprt_this_image(XMPRT_CURRENT), theirs[image][k], image + 1, xmprt_message());
                xmprt_error_stop(9);
            }
    compared = 0;
    memset(codes, 0, sizeof codes);
}

/* Notes what a call that all executing images make has returned. */
static int note(const char *name, int code)
{
    REQUIRE(code >= XMPRT_OK && code <= XMPRT_ERROR);
    REQUIRE(code == XMPRT_OK || strstr(xmprt_message(), "internal error") == NULL);
    if (getenv("RANDOM_GLOBAL_LOG") != NULL)
        fprintf(stderr, "%s: %d %s\n", calling, code, code ? xmprt_message() : "");
    snprintf(names[compared], sizeof names[compared], "%s", name);
    codes[compared++] = code;
    return code;
}

#define CALL(function, ...) (begin(#function), note(#function, function(__VA_ARGS__)))

/* ---- Objects ----------------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t handle;
    int ndims;
    int64_t extents[DIMENSIONS];
    int64_t element;
    int exposed;
} object;

typedef struct {
    object nodes[KINDS], templates[KINDS], arrays[KINDS];
    int depth;
} scope;

/* A number as a handle of each kind. */
#define NODES(number) ((xmprt_nodes){number})
#define TEMPLATE(number) ((xmprt_template){number})
#define ARRAY(number) ((xmprt_array){number})

/* A handle: that of an object of the kind, or what is none (any more), or one of another kind. */
static int64_t handle(dice *d, scope *s, const object *of)
{
    const object *kinds[] = {s->nodes, s->templates, s->arrays};
    int64_t other = kinds[below(d, 3)][below(d, KINDS)].handle, none = wild_number(d);
    int is_other = happens(d, 50);
    return is_wild(d) ? (is_other ? other : none) : of->handle;
}

/* Valid ranges of these extents, or wild ones; sometimes a null pointer. */
static xmprt_range *ranges(dice *d, const object *of, xmprt_range *place, int own)
{
    for (int dim = 0; dim < ROOM; dim++) {
        int64_t extent = dim < of->ndims && of->extents[dim] > 0 && of->extents[dim] < 1000 ? of->extents[dim] : 1;
        int64_t first = below(d, extent), count = below(d, extent - first) + 1, step = 1;
        switch (below(d, 6)) {
        case 0:
            count = 1, step = 0;
            break;
        case 1:
            first = 0, count = XMPRT_WHOLE;
            break;
        case 2:
            step = count > 1 ? 2 : 1, count = count > 1 ? (count + 1) / 2 : 1;
            break;
        case 3:
            if (own)
                count = XMPRT_OWN;
            break;
        case 4:
            first = first + count - 1, step = -1;
            break;
        default:
            break;
        }
        place[dim].first = number(d, first);
        place[dim].count = number(d, count);
        place[dim].step = number(d, step);
    }
    return list(d, place);
}

/* An image keeps only what all have made: a program that goes on after an error does so on all images. */
static int made_by_all(object *place, int code, int64_t made)
{
    int worst = code;
    DO(xmprt_co_max(XMPRT_CURRENT, &worst, 1, XMPRT_INT, XMPRT_ALL));
    if (worst != XMPRT_OK && code == XMPRT_OK)
        DO(xmprt_global_free(xmprt_object_of(made)));
    if (worst != XMPRT_OK)
        return 0;
    /* It may have been given up. */
    xmprt_global_free(xmprt_object_of(place->handle));
    memset(place, 0, sizeof *place);
    place->handle = made;
    return 1;
}

static void make_nodes(dice *d, scope *s)
{
    object *place = &s->nodes[below(d, KINDS)];
    int n = xmprt_num_images(XMPRT_CURRENT), ndims = (int)below(d, 2) + 1, sizes[ROOM];
    for (int dim = 0; dim < ROOM; dim++)
        sizes[dim] = small(d, dim == 0 ? 0 : 1);
    if (ndims == 2 && n % 2 == 0 && happens(d, 70))
        sizes[1] = 2;
    xmprt_nodes made = {0}, *where = list(d, &made);
    int given = small(d, ndims);
    int code = CALL(xmprt_nodes_create, 0, given, list(d, sizes), where);
    if (made_by_all(place, where == NULL ? XMPRT_BAD_ARGUMENT : code, made.id))
        place->ndims = given <= DIMENSIONS ? given : DIMENSIONS;
    for (int dim = 0; dim < place->ndims; dim++)
        place->extents[dim] = xmprt_nodes_size(NODES(place->handle), dim);
}

static void make_section(dice *d, scope *s)
{
    object *from = &s->nodes[below(d, KINDS)], *place = &s->nodes[below(d, KINDS)];
    xmprt_range picked[ROOM];
    xmprt_nodes made = {0}, of = {handle(d, s, from)};
    int own = happens(d, 30);
    xmprt_range *given = ranges(d, from, picked, own);
    begin("xmprt_nodes_section");
    /* Not noted: where this image is, only this image knows. */
    int code = xmprt_nodes_section(of, given, 0, NULL, &made);
    if (made_by_all(place, code, made.id))
        for (place->ndims = 0; place->ndims < DIMENSIONS && xmprt_nodes_size(made, place->ndims) > 0; place->ndims++)
            place->extents[place->ndims] = xmprt_nodes_size(made, place->ndims);
}

static void make_template(dice *d, scope *s)
{
    object *place = &s->templates[below(d, KINDS)];
    const object *onto = &s->nodes[below(d, KINDS)];
    int ndims = (int)below(d, DIMENSIONS) + 1, distributed = 0;
    int64_t sizes[ROOM];
    xmprt_extent extents[ROOM];
    xmprt_template made = {0};
    xmprt_format formats[ROOM];
    for (int dim = 0; dim < ROOM; dim++)
        extents[dim].lower = 0, extents[dim].count = number(d, below(d, 12) + 1);
    int open = happens(d, 30), given = small(d, ndims);
    int code = CALL(xmprt_template_create, given, open ? NULL : list(d, extents), &made);
    if (!made_by_all(place, code, made.id))
        return;
    place->ndims = given <= DIMENSIONS ? given : DIMENSIONS;
    for (int dim = 0; dim < place->ndims; dim++)
        place->extents[dim] = extents[dim].count;
    int64_t rest = extents[0].count, parts = onto->ndims > 0 ? onto->extents[0] : 1;
    for (int k = 0; k < ROOM; k++) {
        sizes[k] = k + 1 < parts && rest > 0 ? below(d, rest < 1000 ? rest + 1 : 3) : rest;
        rest -= sizes[k];
        sizes[k] = number(d, sizes[k]);
    }
    for (int dim = 0; dim < ROOM; dim++) {
        formats[dim].manner = XMPRT_COLLAPSED;
        if (distributed < onto->ndims && happens(d, 80)) {
            static const int manners[] = {XMPRT_BLOCK, XMPRT_BLOCK, XMPRT_CYCLIC, XMPRT_GBLOCK};
            formats[dim].manner = manners[below(d, dim == 0 ? 4 : 3)];
            distributed++;
        }
        int64_t width = below(d, 3);
        formats[dim].width = number(d, formats[dim].manner == XMPRT_CYCLIC ? width : 0);
        formats[dim].manner = small(d, formats[dim].manner);
        formats[dim].sizes = list(d, sizes);
    }
    CALL(xmprt_template_distribute, TEMPLATE(handle(d, s, place)), list(d, formats), NODES(handle(d, s, onto)));
    if (open || happens(d, 20))
        CALL(xmprt_template_fix, TEMPLATE(handle(d, s, place)), list(d, extents), happens(d, 50) ? NULL : list(d, formats));
    xmprt_range picked[ROOM];
    object *owners = &s->nodes[below(d, KINDS)];
    xmprt_range *chosen = ranges(d, place, picked, 0);
    xmprt_nodes of_template = {0};
    begin("xmprt_template_nodes");
    /* Not noted: a wild count may be XMPRT_OWN, and only this image knows whether it is one of the nodes. */
    code = xmprt_template_nodes(TEMPLATE(handle(d, s, place)), chosen, &of_template);
    if (made_by_all(owners, code, of_template.id))
        for (owners->ndims = 0; owners->ndims < DIMENSIONS && xmprt_nodes_size(of_template, owners->ndims) > 0;
             owners->ndims++)
            owners->extents[owners->ndims] = xmprt_nodes_size(of_template, owners->ndims);
}

static void make_array(dice *d, scope *s)
{
    const object *along = &s->templates[below(d, KINDS)];
    object *place = &s->arrays[below(d, KINDS)];
    static const int64_t elements[] = {1, 4, 8, 8, 16, 24};
    xmprt_dimension dims[ROOM];
    for (int dim = 0; dim < ROOM; dim++) {
        /* Little of what only a wild number of dimensions has: memory is all theirs. */
        int64_t extent = dim < along->ndims ? along->extents[dim] : 1, shadow = below(d, 3);
        shadow = dim < along->ndims ? shadow : 0;
        dims[dim].extent.lower = 0, dims[dim].extent.count = number(d, extent);
        dims[dim].along = small(d, dim < along->ndims ? dim : XMPRT_NOT_DISTRIBUTED);
        dims[dim].offset = number(d, 0);
        dims[dim].before = number(d, shadow);
        dims[dim].after = number(d, shadow);
        if (happens(d, 10))
            dims[dim].before = dims[dim].after = XMPRT_FULL;
    }
    int ndims = small(d, along->ndims), plain = happens(d, 20);
    int64_t element = number(d, elements[below(d, 6)]);
    xmprt_array made = {0};
    xmprt_template template_ = {handle(d, s, along)};
    xmprt_dimension *given = plain ? NULL : list(d, dims);
    int code = CALL(xmprt_array_create, template_, (size_t)element, ndims, given, &made);
    /* Wild on one image, and not refused: another array there. */
    int64_t alike[2] = {element + 31 * (ndims + 31 * (given == NULL))};
    for (int dim = 0; dim < DIMENSIONS; dim++)
        alike[0] = (int64_t)(31 * (31 * (uint64_t)alike[0] + (uint64_t)dims[dim].extent.count + (uint64_t)dims[dim].before) +
                             (uint64_t)dims[dim].after + (uint64_t)dims[dim].offset + 7 * (uint64_t)dims[dim].along);
    alike[1] = ~alike[0];
    DO(xmprt_co_max(XMPRT_CURRENT, alike, 2, XMPRT_INT64, XMPRT_ALL));
    if (alike[1] != ~alike[0] && code == XMPRT_OK) {
        DO(xmprt_global_free(XMPRT_OBJECT(made)));
        code = XMPRT_BAD_ARGUMENT;
    }
    if (!made_by_all(place, code, made.id))
        return;
    place->element = element;
    place->ndims = ndims <= DIMENSIONS ? ndims : DIMENSIONS;
    for (int dim = 0; dim < place->ndims; dim++)
        place->extents[dim] = given == NULL ? along->extents[dim] : dims[dim].extent.count;
}

/* ---- Each image for itself ----------------------------------------------------------------------------------------- */

static void inquire(dice *d, scope *s)
{
    object *array = &s->arrays[below(d, KINDS)], *nodes = &s->nodes[below(d, KINDS)];
    int here, coordinates[ROOM], dim = small(d, (int)below(d, DIMENSIONS));
    int64_t stored[ROOM], index[ROOM];
    xmprt_array of_array = {handle(d, s, array)};
    xmprt_nodes of_nodes = {handle(d, s, nodes)};
    xmprt_piece pieces[64], margins[2];
    size_t count;
    void *data = NULL;
    for (int k = 0; k < ROOM; k++)
        index[k] = number(d, below(d, 12));
    xmprt_range picked[ROOM], *iterations = ranges(d, array, picked, 0);
    xmprt_range loop = iterations == NULL ? xmprt_whole() : iterations[0];
    xmprt_widths widths;
    widths.before = number(d, below(d, 3));
    widths.after = number(d, below(d, 3));
    widths.unbound = small(d, 0);
    begin("inquiries");
    xmprt_nodes_size(of_nodes, dim);
    xmprt_nodes_coordinates(of_nodes, list(d, &here), list(d, coordinates));
    if (xmprt_array_stored(of_array, list(d, &data), list(d, stored)) == XMPRT_OK && data != NULL)
        *(volatile char *)data = 1;
    char *element = xmprt_array_element(of_array, list(d, index));
    if (element != NULL)
        *(volatile char *)element = 2;
    xmprt_loop(of_array, dim, loop, list(d, pieces), 64, list(d, &count));
    xmprt_loop_expand(of_array, dim, loop, widths, list(d, pieces));
    xmprt_loop_margins(of_array, dim, loop, widths, list(d, margins));
}

/* ---- Moving data -------------------------------------------------------------------------------------------------- */

static void move(dice *d, scope *s)
{
    int which = (int)below(d, 9);
    may_be_lonely = 1;
    object *to = &s->arrays[below(d, KINDS)], *from = happens(d, 50) ? to : &s->arrays[below(d, KINDS)];
    xmprt_array a = {handle(d, s, to)}, b = {handle(d, s, from)};
    int64_t id = below(d, 3);
    xmprt_halo halos[ROOM];
    for (int dim = 0; dim < ROOM; dim++) {
        halos[dim].before = number(d, below(d, 2));
        halos[dim].after = number(d, below(d, 2));
        halos[dim].periodic = small(d, (int)below(d, 2));
    }
    int any = happens(d, 30), orthogonal = small(d, (int)below(d, 2));
    xmprt_halo *widths = any ? NULL : list(d, halos);
    xmprt_range left[ROOM], right[ROOM];
    int whole = happens(d, 50);
    xmprt_range *to_ranges = ranges(d, to, left, 0), *from_ranges = ranges(d, from, right, 0);
    if (whole)
        to_ranges = from_ranges = NULL;
    else if (to == from && happens(d, 50))
        from_ranges = to_ranges;
    xmprt_type type = (xmprt_type)small(d, to->element == 4 ? XMPRT_INT : to->element == 1 ? XMPRT_INT8 : XMPRT_DOUBLE);
    xmprt_op op = (xmprt_op)small(d, XMPRT_SUM);
    switch (which) {
    case 0:
        CALL(xmprt_reflect, a, widths, orthogonal, NULL);
        break;
    case 1:
        CALL(xmprt_reduce_shadow, a, widths, type, op, 0, NULL);
        break;
    case 2:
        CALL(xmprt_gmove, a, to_ranges, b, from_ranges, XMPRT_COLLECTIVE, NULL);
        break;
    case 3:
        CALL(xmprt_reflect, a, widths, orthogonal, &id);
        break;
    case 4:
        CALL(xmprt_reduce_shadow, a, widths, type, op, 0, &id);
        break;
    case 5:
        CALL(xmprt_gmove, a, to_ranges, b, from_ranges, XMPRT_COLLECTIVE, &id);
        break;
    case 6:
        CALL(xmprt_array_expose, a);
        break;
    case 7:
        /* Not noted: each image gets what it needs, and only some may need what was not exposed. */
        begin("xmprt_gmove in");
        xmprt_gmove(a, to_ranges, b, from_ranges, XMPRT_IN, NULL);
        break;
    default:
        begin("xmprt_gmove out");
        xmprt_gmove(a, to_ranges, b, from_ranges, XMPRT_OUT, NULL);
        break;
    }
}

/* What operations in the background use stays until they are complete: a place for each. */
static double in_flight[3][64];

static void on_nodes(dice *d, scope *s)
{
    object *of = &s->nodes[below(d, KINDS)];
    xmprt_object nodes = xmprt_object_of(handle(d, s, of));
    int64_t id = below(d, 3);
    static double data[64];
    for (int k = 0; k < 64; k++)
        data[k] = k;
    size_t count = (size_t)below(d, 64);
    static const size_t overflowing[] = {SIZE_MAX, SIZE_MAX / 8 + 1, SIZE_MAX / 2, (size_t)1 << 62};
    size_t beyond = overflowing[below(d, 4)];
    if (is_wild(d))
        count = beyond;
    xmprt_type type = (xmprt_type)small(d, XMPRT_DOUBLE);
    xmprt_op op = (xmprt_op)small(d, (int)below(d, 3) + 1);
    xmprt_range first[ROOM], *from = first;
    for (int dim = 0; dim < ROOM; dim++)
        first[dim] = xmprt_at(small(d, 0));
    /* Elements of 16 or 32 bytes are as many as there is room for. */
    if (type >= XMPRT_LONG_DOUBLE && type <= XMPRT_FLOAT128 && count < 64)
        count /= 4;
    int which = (int)below(d, 5);
    double *place = which < 3 ? data : in_flight[id];
    if (which >= 3) {
        /* One at a time. */
        CALL(xmprt_wait_async, id);
    }
    place = list(d, place);
    switch (which) {
    case 0:
        CALL(xmprt_barrier, nodes, NULL);
        break;
    case 1:
        CALL(xmprt_reduce, place, count, type, op, nodes, NULL, NULL);
        break;
    case 2:
        CALL(xmprt_broadcast, place, count, nodes, from, nodes, NULL, NULL);
        break;
    case 3:
        CALL(xmprt_reduce, place, count, type, op, nodes, NULL, &id);
        break;
    default:
        CALL(xmprt_broadcast, place, count, nodes, from, nodes, NULL, &id);
        break;
    }
}

static void complete(dice *d)
{
    int done;
    int64_t id = below(d, 3);
    /* Not noted: whether it is complete differs. */
    begin("xmprt_test_async");
    xmprt_test_async(number(d, id), list(d, &done));
    CALL(xmprt_wait_async, number(d, id));
}

static void wait_for_all(void)
{
    for (int id = 0; id < 3; id++) {
        begin("xmprt_wait_async");
        xmprt_wait_async(id);
    }
}

/* ---- Programs ----------------------------------------------------------------------------------------------------- */

static void run(dice *all, int calls, int depth);

static void in_task(dice *d, scope *s)
{
    object *of = &s->nodes[below(d, KINDS)];
    xmprt_object nodes = xmprt_object_of(handle(d, s, of));
    dice inner = {roll(d)};
    int executes = 0, calls = (int)below(d, 12) + 1, *place = list(d, &executes);
    if (s->depth == 0)
        CALL(xmprt_task_end);
    if (s->depth == DEPTH)
        return;
    /* Codes of the task are compared in it. */
    compare();
    int code = CALL(xmprt_task_begin, nodes, NULL, place);
    if (code == XMPRT_OK && executes) {
        int outside = compared;
        compared = 0;
        run(&inner, calls, s->depth + 1);
        begin("xmprt_task_end");
        DO(xmprt_task_end());
        compared = outside;
        memset(codes, 0, sizeof codes);
        codes[0] = code;
    }
}

static void give_up(dice *d, scope *s)
{
    object *of = &s->arrays[below(d, KINDS)];
    int64_t which = handle(d, s, of);
    /* What another image may still get or put is kept until all have come so far. */
    DO(xmprt_sync(XMPRT_CURRENT));
    CALL(xmprt_global_free, xmprt_object_of(which));
}

static void run(dice *all, int calls, int depth)
{
    scope s;
    memset(&s, 0, sizeof s);
    s.depth = depth;
    for (int k = 0; k < calls; k++) {
        /* Its own numbers: what one image draws more than another is forgotten after the call. */
        dice own = {roll(all)}, *d = &own;
        alarm(PATIENCE);
        if (compared > COMPARED - 8)
            compare();
        int kind = (int)below(d, 16);
        may_be_lonely = kind == 4 || kind == 5 || kind >= 12;
        switch (kind) {
        case 0:
            make_nodes(d, &s);
            break;
        case 1:
            make_section(d, &s);
            break;
        case 2:
        case 3:
            make_template(d, &s);
            break;
        case 4:
        case 5:
            make_array(d, &s);
            break;
        case 6:
            inquire(d, &s);
            break;
        case 7:
        case 8:
            on_nodes(d, &s);
            break;
        case 9:
            complete(d);
            break;
        case 10:
            in_task(d, &s);
            break;
        case 11:
            if (happens(d, 30))
                give_up(d, &s);
            break;
        default:
            move(d, &s);
            break;
        }
    }
    wait_for_all();
    compare();
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 5);
    seed = strtoull(argv[1], NULL, 10);
    wild_share = (unsigned)atoi(argv[3]);
    lonely_share = (unsigned)atoi(argv[4]);
    signal(SIGALRM, too_long);
    dice d = {seed};
    run(&d, atoi(argv[2]), 0);
    return 0;
}
