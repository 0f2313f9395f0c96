/* prif_co_broadcast of objects with allocatable components, as LLVM flang describes them: descriptions of types, descriptors in the
   objects. prif_components CASE. */
#include "check.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { VERSION = 20240719, INT32 = 9, REAL64 = 28, CHARACTER = 40, DERIVED = 42 };
enum { POINTER = 1, ALLOCATABLE = 2 };

/* A descriptor without dimensions; with one or two; and with a description of the type after these. */
#define HEADER void *base; size_t elem_len; int32_t version; int8_t rank, type, attribute; uint8_t extra
struct type;
typedef struct { int64_t lower, extent, stride; } dim;
typedef struct { HEADER; } d0;
typedef struct { HEADER; dim dims[1]; } d1;
typedef struct { HEADER; const struct type *of; int64_t lengths[1]; } d0_of;
typedef struct { HEADER; dim dims[1]; const struct type *of; int64_t lengths[1]; } d1_of;
typedef struct { HEADER; dim dims[2]; const struct type *of; int64_t lengths[1]; } d2_of;

typedef struct { uint8_t genre; int64_t value; } value;

typedef struct {
    d0 name;
    uint8_t genre, category, kind, rank, space, padding[3];
    uint64_t offset;
    value character_len;
    d0_of derived;
    d1_of len_values;
    d2_of bounds;
    const char *initial;
} component;

struct type {
    d1_of bindings;
    d0 name;
    uint64_t size;
    d0_of uninstantiated;
    d1 kinds, lens;
    d1_of components, procedures, special;
    uint32_t bits;
    bool flags[5];
};

/* type inner; integer :: id; character(:), allocatable :: text; end type */
typedef struct { int32_t id; d0 text; } inner;
/* type outer; integer :: n; real(8), allocatable :: x(:); type(inner) :: fixed(2); type(inner), allocatable :: parts(:);
   real(8), pointer :: p; end type */
typedef struct { int32_t n; d1 x; inner fixed[2]; d1_of parts; d0 p; } outer;

_Static_assert(sizeof(component) == 256 && offsetof(struct type, components) == 232, "the layout of flang-rt");

#define NAME(text) {text, sizeof(text) - 1, VERSION, 0, CHARACTER, POINTER, 0}
#define OF(type) {(void *)(type), sizeof *(type), VERSION, 0, DERIVED, POINTER, 1, NULL, {0}}
#define NO_TYPE {NULL, 0, VERSION, 0, DERIVED, POINTER, 1, NULL, {0}}
#define LIST(of) {(void *)(of), sizeof *(of), VERSION, 1, DERIVED, POINTER, 1, {{1, sizeof(of) / sizeof *(of), sizeof *(of)}}, NULL, {0}}

enum genre { DATA = 1, IS_POINTER = 2, IS_ALLOCATABLE = 3 };

static const component of_inner[] = {
    {.name = NAME("id"), .genre = DATA, .offset = 0, .derived = NO_TYPE},
    {.name = NAME("text"), .genre = IS_ALLOCATABLE, .offset = offsetof(inner, text), .derived = NO_TYPE},
};
static const struct type inner_type = {.size = sizeof(inner), .components = LIST(of_inner)};
static const value bounds[1][2] = {{{2, 1}, {2, 2}}};
static const component of_outer[] = {
    {.name = NAME("n"), .genre = DATA, .offset = 0, .derived = NO_TYPE},
    {.name = NAME("x"), .genre = IS_ALLOCATABLE, .rank = 1, .offset = offsetof(outer, x), .derived = NO_TYPE},
    {.name = NAME("fixed"), .genre = DATA, .rank = 1, .offset = offsetof(outer, fixed), .derived = OF(&inner_type),
     .bounds = {(void *)bounds, sizeof(value), VERSION, 2, DERIVED, POINTER, 1, {{1, 2, 16}, {1, 1, 32}}, NULL, {0}}},
    {.name = NAME("parts"), .genre = IS_ALLOCATABLE, .rank = 1, .offset = offsetof(outer, parts), .derived = OF(&inner_type)},
    {.name = NAME("p"), .genre = IS_POINTER, .offset = offsetof(outer, p), .derived = NO_TYPE},
};
static const struct type outer_type = {.size = sizeof(outer), .components = LIST(of_outer)};

void _QMprifPprif_init(int *);
void _QMprifPprif_this_image_no_coarray(void *, int *);
void _QMprifPprif_num_images(int *);
void _QMprifPprif_co_broadcast(void *, const int *, int *, void *, void *);

static int me, n;
static double target;

static void *copy(const void *from, size_t len)
{
    return memcpy(malloc(len), from, len);
}

/* An inner of this image, with a text of `len` times the letter of `who`; none if that is 0. */
static inner make_inner(int who, size_t len)
{
    char letters[100];
    memset(letters, 'a' + who, sizeof letters);
    d0 text = {len ? copy(letters, len) : NULL, len, VERSION, 0, CHARACTER, ALLOCATABLE, 0};
    return (inner){who, text};
}

/* An outer with `k` elements in its components; none are allocated if that is 0. */
static outer make(int who, int k)
{
    double x[100];
    inner parts[100];
    for (int i = 0; i < k; i++)
        x[i] = 100 * who + i, parts[i] = make_inner(who, 1 + i);
    d1 of_x = {k ? copy(x, k * sizeof *x) : NULL, sizeof *x, VERSION, 1, REAL64, ALLOCATABLE, 0, {{0, k, sizeof *x}}};
    d1_of of_parts = {k ? copy(parts, k * sizeof *parts) : NULL, sizeof *parts, VERSION, 1, DERIVED, ALLOCATABLE, 1,
                      {{5, k, sizeof *parts}}, &inner_type, {0}};
    d0 p = {&target, 8, VERSION, 0, REAL64, POINTER, 0};
    return (outer){who, of_x, {make_inner(who, k), make_inner(who, 0)}, of_parts, p};
}

static void is_inner(const inner *i, int who, size_t len)
{
    REQUIRE(i->id == who && i->text.version == VERSION && (!len || i->text.elem_len == len) && (i->text.base != NULL) == (len > 0));
    for (size_t at = 0; at < len; at++)
        REQUIRE(((char *)i->text.base)[at] == 'a' + who);
}

static void is_outer(const outer *o, int who, int k)
{
    REQUIRE(o->n == who && o->p.base == &target && o->parts.of == &inner_type);
    REQUIRE((o->x.base != NULL) == (k > 0) && (o->parts.base != NULL) == (k > 0));
    is_inner(&o->fixed[0], who, k);
    is_inner(&o->fixed[1], who, 0);
    REQUIRE(!k || (o->x.dims[0].lower == 0 && o->x.dims[0].extent == k && o->x.dims[0].stride == 8));
    REQUIRE(!k || (o->parts.dims[0].lower == 5 && o->parts.dims[0].extent == k && o->parts.dims[0].stride == sizeof(inner)));
    for (int i = 0; i < k; i++) {
        REQUIRE(((double *)o->x.base)[i] == 100 * who + i);
        is_inner((inner *)o->parts.base + i, who, 1 + i);
    }
}

/* Every second of four objects. */
static void broadcast(outer objects[4], int source, int *stat, d0 *errmsg)
{
    d1_of a = {objects, sizeof(outer), VERSION, 1, DERIVED, 0, 1, {{1, 2, 2 * sizeof(outer)}}, &outer_type, {0}};
    _QMprifPprif_co_broadcast(&a, &source, stat, errmsg, NULL);
}

int main(int argc, char **argv)
{
    int stat = -1;
    REQUIRE(argc == 2);
    _QMprifPprif_init(&stat);
    _QMprifPprif_this_image_no_coarray(NULL, &me);
    _QMprifPprif_num_images(&n);
    outer objects[4];
    for (int i = 0; i < 4; i++)
        objects[i] = make(me, me + i);
    char text[200];
    d0 errmsg = {text, sizeof text, VERSION, 0, CHARACTER, 0, 0};
    if (strcmp(argv[1], "values") == 0) {
        broadcast(objects, n, &stat, &errmsg);
        REQUIRE(stat == 0);
        is_outer(&objects[0], n, n);
        is_outer(&objects[1], me, me + 1);
        is_outer(&objects[2], n, n + 2);
        is_outer(&objects[3], me, me + 3);
        /* From an image where nothing is allocated, and back. */
        if (me == 1)
            objects[0] = objects[2] = make(me, 0);
        broadcast(objects, 1, NULL, NULL);
        is_outer(&objects[0], 1, 0);
        is_outer(&objects[2], 1, 0);
        if (me == n)
            objects[0] = make(me, 50), objects[2] = make(me, 1);
        broadcast(objects, n, NULL, NULL);
        is_outer(&objects[0], n, 50);
        is_outer(&objects[2], n, 1);
    } else {
        /* parts as a polymorphic component of another type. */
        REQUIRE(strcmp(argv[1], "polymorphic") == 0);
        objects[2].parts.of = &outer_type;
        broadcast(objects, n, &stat, &errmsg);
        REQUIRE(stat > 0 && memcmp(text, "prif_co_broadcast: ", 19) == 0);
        REQUIRE(me != n || strncmp(text + 19, "component parts of the argument is polymorphic", 46) == 0);
        REQUIRE(objects[0].n == me && objects[2].n == me);
        broadcast(objects, n + 1, &stat, &errmsg);
        REQUIRE(stat > 0 && strncmp(text + 19, "source_image: image index", 25) == 0);
    }
    return 0;
}
