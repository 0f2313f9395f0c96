/* The calls that LLVM flang 22 to 24 generate: symbols, descriptors and team variables byte by byte. prif_flang CASE. */
#include "check.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* flang's descriptor: ISO_Fortran_binding.h of flang, and a flag for type information after the dimensions. */
struct descriptor {
    void *base;
    size_t elem_len;
    int version;
    int8_t rank, type, attribute;
    uint8_t extra;
    int64_t dims[2][3];
};

enum { VERSION = 20240719, INT32 = 9, INT64 = 10, REAL64 = 28, CHARACTER = 40, DERIVED = 42 };

static struct descriptor vector(void *base, size_t elem_len, int type, int64_t extent)
{
    struct descriptor d = {base, elem_len, VERSION, 1, (int8_t)type, 0, 0, {{1, extent, (int64_t)elem_len}}};
    return d;
}

static struct descriptor scalar(void *base, size_t elem_len, int type)
{
    struct descriptor d = {base, elem_len, VERSION, 0, (int8_t)type, 0, 0, {{0}}};
    return d;
}

typedef struct { void *info; } handle;
/* type(team_type) of flang 23 and 24: a pointer descriptor of 40 bytes, of which PRIF uses the first 8. */
typedef struct { void *first; size_t elem_len; int version; int8_t bytes[4]; int64_t rest[2]; } team;

void _QMprifPprif_init(int *);
void _QMprifPprif_stop(const bool *, const int *, const char *, int64_t) __attribute__((noreturn));
void _QMprifPprif_error_stop(const bool *, const int *, const char *, int64_t) __attribute__((noreturn));
void _QMprifPprif_fail_image(void);
void _QMprifPprif_this_image_no_coarray(void *, int *);
void _QMprifPprif_this_image_with_coarray(handle *, void *, struct descriptor *);
void _QMprifPprif_this_image_with_dim(handle *, const int *, void *, int64_t *);
void _QMprifPprif_num_images(int *);
void _QMprifPprif_num_images_with_team(void *, int *);
void _QMprifPprif_num_images_with_team_number(const int64_t *, int *);
void _QMprifPprif_sync_all(int *, struct descriptor *, struct descriptor *);
void _QMprifPprif_sync_memory(int *, struct descriptor *, struct descriptor *);
void _QMprifPprif_sync_images(struct descriptor *, int *, struct descriptor *, struct descriptor *);
void _QMprifPprif_sync_team(void *, int *, struct descriptor *, struct descriptor *);
void _QMprifPprif_form_team(const int64_t *, void *, const int *, int *, struct descriptor *, struct descriptor *);
void _QMprifPprif_change_team(void *, int *, struct descriptor *, struct descriptor *);
void _QMprifPprif_end_team(int *, struct descriptor *, struct descriptor *);
void _QMprifPprif_get_team(const int *, void *);
void _QMprifPprif_team_number(void *, int64_t *);
void _QMprifPprif_co_sum(struct descriptor *, const int *, int *, struct descriptor *, struct descriptor *);
void _QMprifPprif_co_max_character(struct descriptor *, const int *, int *, struct descriptor *, struct descriptor *);
void _QMprifPprif_co_broadcast(struct descriptor *, const int *, int *, struct descriptor *, struct descriptor *);
void _QMprifPprif_allocate_coarray(struct descriptor *, struct descriptor *, const size_t *, void **, handle *, void *, int *,
                                   struct descriptor *, struct descriptor *);
void _QMprifPprif_deallocate_coarray(handle *, int *, struct descriptor *, struct descriptor *);
void _QMprifPprif_lcobound_with_dim(handle *, const int *, int64_t *);
void _QMprifPprif_ucobound_with_dim(handle *, const int *, int64_t *);
void _QMprifPprif_coshape(handle *, struct descriptor *);
void _QMprifPprif_image_index(handle *, struct descriptor *, int *);
void _QMprifPprif_initial_team_index(handle *, struct descriptor *, int *, int *);
void _QMprifPprif_put(const int *, handle *, const size_t *, void **, const size_t *, int *, struct descriptor *,
                      struct descriptor *);
void _QMprifPprif_get(const int *, handle *, const size_t *, void **, const size_t *, int *, struct descriptor *,
                      struct descriptor *);
void prif_local_data_pointer(handle, void **);

static int me, n;

/* Coarrays of two codimensions: of which flang passes one upper cobound. */
static handle allocate(size_t size, void *place, int *stat)
{
    int64_t lower[] = {0, 1}, upper[] = {1};
    struct descriptor l = vector(lower, 8, INT64, 2), u = vector(upper, 8, INT64, 1);
    void *final = NULL;
    handle made;
    _QMprifPprif_allocate_coarray(&l, &u, &size, &final, &made, place, stat, NULL, NULL);
    return made;
}

static void coarrays(void)
{
    /* Memory for a temporary on the stack, and for an allocatable variable: the first word of its descriptor. */
    int64_t *data = NULL, from = 100 * me, got = 0;
    int stat = -1, index = 0, right = me % n + 1, left = (me + n - 2) % n + 1;
    handle h = allocate(4 * sizeof *data, &data, &stat);
    REQUIRE(stat == 0 && data != NULL);
    static struct descriptor variable;
    variable = vector(NULL, 8, INT64, 4);
    handle of_variable = allocate(4 * sizeof *data, &variable, NULL);
    void *address;
    prif_local_data_pointer(of_variable, &address);
    REQUIRE(variable.base == address && variable.version == VERSION);

    size_t offset = 8, size = 8;
    void *buffer = &from;
    _QMprifPprif_put(&right, &h, &offset, &buffer, &size, NULL, NULL, NULL);
    _QMprifPprif_sync_all(&stat, NULL, NULL);
    REQUIRE(data[1] == 100 * left);
    buffer = &got;
    _QMprifPprif_get(&left, &h, &offset, &buffer, &size, &stat, NULL, NULL);
    REQUIRE(stat == 0 && got == 100 * ((left + n - 2) % n + 1));

    int64_t bound, subscripts[2];
    struct descriptor d = vector(subscripts, 8, INT64, 2);
    int dim = 2;
    _QMprifPprif_lcobound_with_dim(&h, &dim, &bound);
    REQUIRE(bound == 1);
    _QMprifPprif_ucobound_with_dim(&h, &dim, &bound);
    REQUIRE(bound == (n + 1) / 2);
    _QMprifPprif_coshape(&h, &d);
    REQUIRE(subscripts[0] == 2 && subscripts[1] == (n + 1) / 2);
    _QMprifPprif_this_image_with_coarray(&h, NULL, &d);
    REQUIRE(subscripts[0] == (me - 1) % 2 && subscripts[1] == 1 + (me - 1) / 2);
    _QMprifPprif_this_image_with_dim(&h, &dim, NULL, &bound);
    REQUIRE(bound == subscripts[1]);
    _QMprifPprif_image_index(&h, &d, &index);
    REQUIRE(index == me);
    _QMprifPprif_initial_team_index(&h, &d, &index, &stat);
    REQUIRE(index == me && stat == 0);

    /* Messages: variables of fixed and of deferred length. */
    char fixed[60], *words = "coarray_handle is null";
    struct descriptor errmsg = scalar(fixed, sizeof fixed, CHARACTER);
    struct descriptor deferred = scalar(NULL, 0, CHARACTER);
    deferred.attribute = 2;
    handle none = {NULL};
    _QMprifPprif_put(&right, &none, &offset, &buffer, &size, &stat, &errmsg, &deferred);
    REQUIRE(stat > 0 && memcmp(fixed, "prif_put: ", 10) == 0 && memcmp(fixed + 10, words, strlen(words)) == 0);
    REQUIRE(deferred.elem_len > strlen(words) && memcmp(deferred.base, fixed, 32) == 0);
    free(deferred.base);
    _QMprifPprif_deallocate_coarray(&h, &stat, &errmsg, NULL);
    REQUIRE(stat == 0);
    _QMprifPprif_deallocate_coarray(&of_variable, NULL, NULL, NULL);
}

static void collectives(void)
{
    double numbers[6] = {me, 2, 3, 4, 5, me};
    struct descriptor d = vector(numbers, 8, REAL64, 6);
    int stat = -1, last = n;
    _QMprifPprif_co_sum(&d, NULL, &stat, NULL, NULL);
    REQUIRE(stat == 0 && numbers[0] == n * (n + 1) / 2 && numbers[5] == numbers[0] && numbers[1] == 2 * n);
    /* Every second one. */
    d.dims[0][1] = 3, d.dims[0][2] = 16;
    for (int i = 0; i < 6; i++)
        numbers[i] = me;
    _QMprifPprif_co_broadcast(&d, &last, NULL, NULL, NULL);
    REQUIRE(numbers[0] == n && numbers[1] == me && numbers[4] == n && numbers[5] == me);
    char word[4] = {'a', 'b', 'c', (char)('a' + me)};
    struct descriptor text = scalar(word, 4, CHARACTER);
    _QMprifPprif_co_max_character(&text, NULL, &stat, NULL, NULL);
    REQUIRE(stat == 0 && word[3] == 'a' + n);
    /* Of an image: one element with a stride of one byte, as flang passes it. */
    int32_t right = me % n + 1, left = (me + n - 2) % n + 1, both[] = {right, left};
    struct descriptor images = vector(&right, 4, INT32, 1);
    images.dims[0][2] = 1;
    if (n == 2)
        _QMprifPprif_sync_images(&images, &stat, NULL, NULL);
    images = vector(both, 4, INT32, 2);
    if (n > 2)
        _QMprifPprif_sync_images(&images, &stat, NULL, NULL);
    _QMprifPprif_sync_images(NULL, &stat, NULL, NULL);
    _QMprifPprif_sync_memory(&stat, NULL, NULL);
    REQUIRE(stat == 0);
}

/* `variable` and `found` are what the compiler passes for two team variables. */
static void teams(void *variable, void *found)
{
    int64_t number = 1 + me % 2, seen;
    int stat = -1, images, index, initial = -2, parent = -3;
    _QMprifPprif_form_team(&number, variable, NULL, &stat, NULL, NULL);
    REQUIRE(stat == 0);
    _QMprifPprif_team_number(variable, &seen);
    REQUIRE(seen == number);
    _QMprifPprif_num_images_with_team(variable, &images);
    REQUIRE(images == (n + (me % 2)) / 2);
    _QMprifPprif_change_team(variable, &stat, NULL, NULL);
    _QMprifPprif_this_image_no_coarray(NULL, &index);
    REQUIRE(stat == 0 && index == (me + 1) / 2);
    _QMprifPprif_get_team(&initial, found);
    _QMprifPprif_this_image_no_coarray(found, &index);
    REQUIRE(index == me);
    _QMprifPprif_get_team(NULL, found);
    _QMprifPprif_team_number(found, &seen);
    REQUIRE(seen == number);
    _QMprifPprif_get_team(&parent, found);
    _QMprifPprif_team_number(found, &seen);
    REQUIRE(seen == -1);
    int64_t sibling = 2;
    _QMprifPprif_num_images_with_team_number(&sibling, &images);
    REQUIRE(images == (n + 1) / 2);
    _QMprifPprif_sync_team(variable, NULL, NULL, NULL);
    _QMprifPprif_end_team(&stat, NULL, NULL);
    REQUIRE(stat == 0);
    _QMprifPprif_num_images(&images);
    REQUIRE(images == n);
}

static void all_teams(void)
{
    /* flang 22: descriptors of variables of 8 bytes. */
    int64_t eight = 0, another = 0;
    struct descriptor of_eight = scalar(&eight, 8, DERIVED), of_another = scalar(&another, 8, DERIVED);
    of_eight.extra = of_another.extra = 1;
    teams(&of_eight, &of_another);
    teams(&of_eight, &of_another);
    REQUIRE(of_eight.base == &eight && of_another.base == &another);
    /* flang 23 and 24: the variables, which start as pointer descriptors; the result of get_team is undefined. */
    team forty = {NULL, 8, VERSION, {0, DERIVED, 1, 1}, {0}}, undefined;
    memset(&undefined, 0x5a, sizeof undefined);
    team before = undefined;
    teams(&forty, &undefined);
    teams(&forty, &undefined);
    REQUIRE(forty.version == VERSION && memcmp(&undefined.elem_len, &before.elem_len, sizeof before - 8) == 0);
}

/* The storage of coarrays that are not allocatable, in the program's data: not to be written to. */
static int32_t storage = 4711, beside = 4712;
static double array[100] = {1.5};

static void static_coarrays(void)
{
    handle h = allocate(sizeof storage, &storage, NULL), of_array = allocate(sizeof array, array, NULL);
    REQUIRE(storage == 4711 && beside == 4712 && array[0] == 1.5 && array[1] == 0);
    int64_t bound;
    int dim = 2;
    _QMprifPprif_ucobound_with_dim(&h, &dim, &bound);
    REQUIRE(bound == (n + 1) / 2);
    _QMprifPprif_deallocate_coarray(&of_array, NULL, NULL, NULL);
    _QMprifPprif_deallocate_coarray(&h, NULL, NULL, NULL);
}

/* What flang puts in a constructor of each object with such coarrays, before main. */
static int early = -1;
__attribute__((constructor)) static void before_main(void)
{
    _QMprifPprif_init(&early);
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 2 && early == 0);
    const char *which = argv[1];
    int stat = -1, seven = 7;
    bool quiet = true, loud = false;
    _QMprifPprif_init(&stat);
    REQUIRE(stat == 302);
    _QMprifPprif_this_image_no_coarray(NULL, &me);
    _QMprifPprif_num_images(&n);
    if (strcmp(which, "calls") == 0) {
        coarrays();
        collectives();
        all_teams();
    } else if (strcmp(which, "static") == 0) {
        static_coarrays();
    } else if (strcmp(which, "stop") == 0) {
        _QMprifPprif_stop(&quiet, &seven, NULL, 0);
    } else if (strcmp(which, "stop-text") == 0) {
        _QMprifPprif_stop(&loud, NULL, "the end, not this", 7);
    } else if (strcmp(which, "error-stop") == 0) {
        if (me == n)
            _QMprifPprif_error_stop(&quiet, &seven, NULL, 0);
        _QMprifPprif_sync_all(NULL, NULL, NULL);
    } else if (strcmp(which, "fail") == 0) {
        if (me == n)
            _QMprifPprif_fail_image();
        do
            _QMprifPprif_sync_all(&stat, NULL, NULL);
        while (stat == 0);
        REQUIRE(stat == 101);
    } else if (strcmp(which, "exit") == 0) {
        /* STOP of LFortran and of flang 22. */
        if (me == n)
            exit(7);
        do
            _QMprifPprif_sync_all(&stat, NULL, NULL);
        while (stat == 0);
        REQUIRE(stat == 104);
    } else {
        REQUIRE(!"a case");
    }
    return 0;
}
