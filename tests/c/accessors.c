/* Coindexed assignments and references as gfortran 15 and later compile them: a self-checking program for any number of
   images. Such a compiler makes a function of every reference; these here are what it makes.
   With an argument: "components" adds components of coarrays; "whole" is for two hosts, and gets objects with components;
   "pointed" puts to a variable that only the process of image 2 has; "null" and "nowhere" to one that is not there;
   "kill" ends image 2; "number" and "twice" ask for an accessor that is not there, or there twice; "beyond" gets from an
   image that is not there. */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void *token_t, *team_t;
typedef struct { ptrdiff_t stride, lower, upper; } dim_t;
typedef struct { size_t elem_len; int version; signed char rank, type; short attribute; } dtype_t;
/* A scalar or a vector with one codimension, and the token behind. */
typedef struct { void *base; size_t offset; dtype_t dtype; ptrdiff_t span; dim_t dim[2]; token_t token; } desc_t;
/* An allocatable component: a vector without codimensions. */
typedef struct { void *base; size_t offset; dtype_t dtype; ptrdiff_t span; dim_t dim[1]; token_t token; } component_t;
/* type :: item; integer :: n; integer, allocatable :: v(:); end type */
typedef struct { int n; component_t v; } item_t;

enum { STATIC = 0, ALLOC = 1, REGISTER_ONLY = 7, ALLOCATE_ONLY = 8 };
enum { INTEGER = 1, COMPLEX = 4, DERIVED = 5, CHARACTER = 6 };
enum { FAILED_IMAGE = 6001, OTHER_STAT = 7000 };

void _gfortran_caf_init(int *, char ***);
void _gfortran_caf_finalize(void);
void _gfortran_caf_form_team(int, team_t *, int *new_index, int *stat, char *errmsg, size_t);
void _gfortran_caf_change_team(team_t, int *stat, char *errmsg, size_t);
void _gfortran_caf_end_team(int *stat, char *errmsg, size_t);
team_t _gfortran_caf_get_team(int32_t *level);
int _gfortran_caf_this_image(team_t);
int _gfortran_caf_num_images(team_t, int32_t *team_number);
void _gfortran_caf_register(size_t, int, token_t *, void *, int *stat, char *errmsg, size_t);
void _gfortran_caf_deregister(token_t *, int, int *stat, char *errmsg, size_t);
void _gfortran_caf_sync_all(int *stat, char *errmsg, size_t);
void _gfortran_caf_error_stop(int, bool quiet);
void _gfortran_caf_register_accessor(int, void (*)());
void _gfortran_caf_register_accessors_finish(void);
int _gfortran_caf_get_remote_function_index(int);
void _gfortran_caf_get_from_remote(token_t, void *src, const size_t *src_len, int image, size_t dst_size, void **dst_data,
                                   size_t *dst_len, void *dst, bool may_reallocate, int accessor, void *add, size_t add_size,
                                   int *stat, team_t *, int *team_number);
void _gfortran_caf_send_to_remote(token_t, void *dst, const size_t *dst_len, int image, size_t src_size, const void *src_data,
                                  const size_t *src_len, const void *src, int accessor, void *add, size_t add_size, int *stat,
                                  team_t *, int *team_number);
void _gfortran_caf_transfer_between_remotes(token_t, void *dst, const size_t *dst_len, int dst_image, int dst_accessor,
                                            void *dst_add, size_t dst_add_size, token_t, void *src, const size_t *src_len,
                                            int src_image, int src_accessor, void *src_add, size_t src_add_size,
                                            size_t src_size, bool scalar, int *dst_stat, int *src_stat, team_t *dst_team,
                                            int *dst_team_number, team_t *src_team, int *src_team_number);
int32_t _gfortran_caf_is_present_on_remote(token_t, int image, int accessor, void *add, size_t add_size);

static void require_(bool ok, const char *what, int line)
{
    if (ok) return;
    fprintf(stderr, "accessors.c:%d: image %d: not %s\n", line, _gfortran_caf_this_image(NULL), what);
    _gfortran_caf_error_stop(1, true);
}
#define require(ok) require_(ok, #ok, __LINE__)

/* What the compiler allocates for a result of unknown shape, or when the shape is another one. */
static int *shaped(desc_t *buffer, int32_t *to_free, ptrdiff_t elements)
{
    void *before = buffer->base;
    if (!before || buffer->dim[0].upper != buffer->dim[0].lower + elements - 1) {
        buffer->dim[0] = (dim_t){1, 1, elements};
        buffer->offset = -1;
        buffer->span = 4;
        if (!before) buffer->dtype = (dtype_t){.elem_len = 4, .rank = 1, .type = INTEGER};
        buffer->base = realloc(before, 4 * elements + 1);
    }
    *to_free = buffer->base != before;
    return (int *)buffer->base + buffer->offset;
}

/* x(3)[i] */
static void get_element(void *add, const int *image, void **buffer, int32_t *to_free, int *x)
{
    (void)add, (void)image;
    *buffer = &x[2];
    *to_free = 0;
}
/* x(2:6)[i] */
static void get_section(void *add, const int *image, desc_t *buffer, int32_t *to_free, int *x)
{
    (void)add, (void)image;
    int *to = shaped(buffer, to_free, 5);
    for (int k = 1; k <= 5; ++k) to[k] = x[k];
}
/* -x(3)[i], of an accessor that needs memory. */
static void get_negative(void *add, const int *image, void **buffer, int32_t *to_free, int *x)
{
    (void)add, (void)image;
    int *made = malloc(4);
    *made = -x[2];
    *buffer = made;
    *to_free = 1;
}
/* x(index)[i], with the vector subscript in the data that come along. */
static void get_vector(int *index, const int *image, desc_t *buffer, int32_t *to_free, int *x)
{
    (void)image;
    int *to = shaped(buffer, to_free, 3);
    for (int k = 1; k <= 3; ++k) to[k] = x[index[k - 1] - 1];
}
/* x(index)[i] = value */
static void put_vector(int *index, const int *image, int *x, const int *value)
{
    (void)image;
    for (int k = 0; k < 3; ++k) x[index[k] - 1] = *value;
}
/* x(7:10:3)[i] = array */
static void put_strided(void *add, const int *image, int *x, const desc_t *array)
{
    (void)add, (void)image;
    const int *from = (int *)array->base + array->offset + array->dim[0].lower;
    for (int k = 0; k < 2; ++k) x[6 + 3 * k] = from[k];
}
/* z(2:6)[i], z(2:6)[i] = array, z(2)[i], z(2)[i] = value, of an allocatable z. */
static void get_allocated(void *add, const int *image, desc_t *buffer, int32_t *to_free, desc_t *z)
{
    (void)add, (void)image;
    int *to = shaped(buffer, to_free, 5), *from = (int *)z->base + z->offset;
    for (int k = 1; k <= 5; ++k) to[k] = from[k + 1];
}
static void put_allocated(void *add, const int *image, desc_t *z, const desc_t *array)
{
    (void)add, (void)image;
    int *to = (int *)z->base + z->offset, *from = (int *)array->base + array->offset + array->dim[0].lower - 1;
    for (int k = 1; k <= 5; ++k) to[k + 1] = from[k];
}
static void get_allocated_element(void *add, const int *image, void **buffer, int32_t *to_free, desc_t *z)
{
    (void)add, (void)image;
    *buffer = (int *)z->base + z->offset + 2;
    *to_free = 0;
}
static void put_allocated_element(void *add, const int *image, desc_t *z, const int *value)
{
    (void)add, (void)image;
    ((int *)z->base)[z->offset + 2] = *value;
}
/* s[i], s[i] = characters */
static void get_characters(void *add, const int *image, void **buffer, int32_t *to_free, char *s)
{
    (void)add, (void)image;
    *buffer = s;
    *to_free = 0;
}
static void put_characters(void *add, const int *image, char *s, const char *value, token_t token, size_t offset,
                           const size_t *s_len, const size_t *len)
{
    (void)add, (void)image, (void)token, (void)offset;
    size_t copied = *len < *s_len ? *len : *s_len;
    memmove(s, value, copied);
    memset(s + copied, ' ', *s_len - copied);
}
/* item[i]%v, item[i]%v(2) = value, item[i]%n, allocated(item[i]%v) and of items(2)[i]%v; allocated(z[i]). */
static void get_component(void *add, const int *image, desc_t *buffer, int32_t *to_free, item_t *item)
{
    (void)add, (void)image;
    ptrdiff_t elements = item->v.dim[0].upper - item->v.dim[0].lower + 1;
    int *to = shaped(buffer, to_free, elements), *from = item->v.base;
    for (int k = 1; k <= elements; ++k) to[k] = from[k - 1];
}
static void put_component(void *add, const int *image, item_t *item, const int *value)
{
    (void)add, (void)image;
    ((int *)item->v.base)[1] = *value;
}
static void get_number(void *add, const int *image, void **buffer, int32_t *to_free, item_t *item)
{
    (void)add, (void)image;
    *buffer = &item->n;
    *to_free = 0;
}
/* item[i] */
static void get_whole(void *add, const int *image, void **buffer, int32_t *to_free, item_t *item)
{
    (void)add, (void)image;
    *buffer = item;
    *to_free = 0;
}
/* The values for a vector subscript of any length. */
typedef struct { ptrdiff_t other; component_t index; } subscripts_t;
/* item[i]%v(index), item[i]%v(index) = array */
static void get_chosen(subscripts_t *add, const int *image, desc_t *buffer, int32_t *to_free, item_t *item)
{
    (void)image;
    const int *index = (int *)add->index.base + add->index.offset;
    ptrdiff_t elements = add->index.dim[0].upper;
    int *to = shaped(buffer, to_free, elements), *from = item->v.base;
    for (int k = 1; k <= elements; ++k) to[k] = from[index[k] - 1] + (int)add->other;
}
/* items(2)[i]%v(index) */
static void get_second(subscripts_t *add, const int *image, desc_t *buffer, int32_t *to_free, item_t *items)
{
    get_chosen(add, image, buffer, to_free, &items[1]);
}
static void put_chosen(subscripts_t *add, const int *image, item_t *item, const desc_t *array)
{
    (void)image;
    const int *index = (int *)add->index.base + add->index.offset;
    const int *from = (int *)array->base + array->offset + array->dim[0].lower - 1;
    for (int k = 1; k <= add->index.dim[0].upper; ++k) ((int *)item->v.base)[index[k] - 1] = from[k] + (int)add->other;
}
/* item[i]%p(2), item[i]%p(1:3:2), of a pointer component whose target is no part of a coarray */
static void get_pointed(void *add, const int *image, void **buffer, int32_t *to_free, item_t *item)
{
    (void)add, (void)image;
    *buffer = (int *)item->v.base + 1;
    *to_free = 0;
}
/* item[i]%p(1:2) */
static void get_pointed_array(void *add, const int *image, desc_t *buffer, int32_t *to_free, item_t *item)
{
    (void)add, (void)image;
    *buffer = (desc_t){.base = item->v.base, .dtype = {.elem_len = 4, .rank = 1, .type = INTEGER}, .span = 4,
                       .offset = -1, .dim = {{1, 1, 2}}};
    *to_free = 0;
}
static void get_pointed_section(void *add, const int *image, desc_t *buffer, int32_t *to_free, item_t *item)
{
    (void)add, (void)image;
    buffer->base = item->v.base;
    buffer->offset = 0;
    buffer->dim[0].stride = 2, buffer->dim[0].lower = 0, buffer->dim[0].upper = 1;
    buffer->span = 4;
    *to_free = 0;
}
static void present(void *add, const int *image, int32_t *result, item_t **item)
{
    (void)add, (void)image;
    *result = (*item)->v.base != NULL;
}
static void present_in_array(void *add, const int *image, int32_t *result, item_t *items)
{
    (void)add, (void)image;
    *result = items[1].v.base != NULL;
}
static void present_array(void *add, const int *image, int32_t *result, desc_t *z)
{
    (void)add, (void)image;
    *result = z->base != NULL && z->dim[0].upper == 10 && ((int *)z->base)[z->offset + 10] > 0;
}

enum { ELEMENT = 1000, SECTION, NEGATIVE, VECTOR, PUT_VECTOR, PUT_STRIDED, ALLOCATED, PUT_ALLOCATED, ALLOCATED_ELEMENT,
       PUT_ALLOCATED_ELEMENT, CHARACTERS, PUT_CHARACTERS, COMPONENT, PUT_COMPONENT, NUMBER, PRESENT, PRESENT_IN_ARRAY,
       PRESENT_ARRAY, POINTED, POINTED_SECTION, CHOSEN, PUT_CHOSEN, SECOND, WHOLE, POINTED_ARRAY, TWICE };

static token_t x_token, s_token, item_token, items_token;
static int *x;
static char *s;
static item_t *item, *items;

static void *coarray(token_t *token, size_t size, size_t elem_len, int type)
{
    desc_t d = {.dtype = {.elem_len = elem_len, .type = type}, .span = elem_len};
    _gfortran_caf_register(size, STATIC, token, &d, NULL, NULL, 0);
    return d.base;
}

/* What the compiler makes of a component before it is allocated. */
static void not_allocated(item_t *it)
{
    it->n = 0;
    it->v.dtype.rank = 1;
    _gfortran_caf_register(0, REGISTER_ONLY, &it->v.token, &it->v, NULL, NULL, 0);
    it->v.base = NULL;
}

__attribute__((constructor)) static void before_main(void)
{
    void *all[] = {get_element, get_section, get_negative, get_vector, put_vector, put_strided, get_allocated, put_allocated,
                   get_allocated_element, put_allocated_element, get_characters, put_characters, get_component,
                   put_component, get_number, present, present_in_array, present_array, get_pointed, get_pointed_section,
                   get_chosen, put_chosen, get_second, get_whole, get_pointed_array, get_element, get_section};
    int count = sizeof all / sizeof *all;
    for (int k = 0; k < count; ++k) {
        _gfortran_caf_register_accessor(ELEMENT + (k < TWICE - ELEMENT ? k : TWICE - ELEMENT), (void (*)())all[k]);
    }
    _gfortran_caf_register_accessors_finish();
    x = coarray(&x_token, 40, 4, INTEGER);
    s = coarray(&s_token, 5, 5, CHARACTER);
    item = coarray(&item_token, sizeof(item_t), sizeof(item_t), DERIVED);
    items = coarray(&items_token, 2 * sizeof(item_t), sizeof(item_t), DERIVED);
    not_allocated(item);
    not_allocated(&items[0]);
    not_allocated(&items[1]);
    _gfortran_caf_register_accessors_finish();
}

static int index_of(int number)
{
    static int known[TWICE - ELEMENT + 1];
    int *index = &known[number - ELEMENT];
    if (!*index) *index = 1 + _gfortran_caf_get_remote_function_index(number);
    return *index - 1;
}
static int this_image(void) { return _gfortran_caf_this_image(NULL); }
static int num_images(void) { return _gfortran_caf_num_images(NULL, NULL); }
static void sync_all(void) { _gfortran_caf_sync_all(NULL, NULL, 0); }

static int get_of(token_t token, void *desc, int number, int image, int *stat, team_t *team, int *team_number)
{
    int result = -1;
    void *place = &result;
    _gfortran_caf_get_from_remote(token, desc, NULL, image, 4, &place, NULL, NULL, false, index_of(number), NULL, 0, stat, team,
                                  team_number);
    return *(int *)place;
}
static int get(int number, int image) { return get_of(x_token, NULL, number, image, NULL, NULL, NULL); }

/* A temporary variable of the compiler, with lower bounds of 0. */
static desc_t temporary(int *base, ptrdiff_t elements, ptrdiff_t stride)
{
    return (desc_t){.base = base, .dtype = {.elem_len = 4, .rank = 1, .type = INTEGER}, .span = 4,
                    .dim = {{stride, 0, elements - 1}}};
}
static void put_array(token_t token, void *desc, int number, int image, const desc_t *array, int *stat)
{
    _gfortran_caf_send_to_remote(token, desc, NULL, image, 0, &array->base, NULL, array, index_of(number), NULL, 0, stat, NULL,
                                 NULL);
}
static void put_value(token_t token, void *desc, int number, int image, int value, void *add, int *stat, team_t *team,
                      int *team_number)
{
    _gfortran_caf_send_to_remote(token, desc, NULL, image, 4, &value, NULL, NULL, index_of(number), add, 12, stat, team,
                                 team_number);
}

/* ALLOCATE (z(10)[*]) */
static int *allocate(desc_t *z)
{
    *z = (desc_t){.dtype = {.elem_len = 4, .rank = 1, .type = INTEGER}, .span = 4};
    _gfortran_caf_register(40, ALLOC, &z->token, z, NULL, NULL, 0);
    z->dim[0] = (dim_t){1, 1, 10};
    z->dim[1] = (dim_t){0, 1, 0};
    z->offset = -1;
    _gfortran_caf_sync_all(NULL, NULL, 0);
    return z->base;
}

static void static_coarrays(int next, int previous)
{
    int me = this_image(), subscripts[3] = {9, 2, 5}, got[10] = {0};
    for (int k = 0; k < 10; ++k) x[k] = 100 * me + k + 1;
    sync_all();
    require(get(ELEMENT, next) == 100 * next + 3 && get(NEGATIVE, next) == -100 * next - 3);
    require(get_of(x_token, NULL, ELEMENT, next, got, NULL, NULL) == 100 * next + 3 && got[0] == 0);
    desc_t to = temporary(got, 5, 1);
    void *place = got;
    _gfortran_caf_get_from_remote(x_token, NULL, NULL, next, 20, &place, NULL, &to, false, index_of(SECTION), NULL, 0, NULL, NULL,
                                  NULL);
    require(to.base == got && to.dim[0].lower == 0);
    for (int k = 0; k < 5; ++k) require(got[k] == 100 * next + k + 2);
    /* Not in one piece; with a vector subscript; allocated by the accessor. */
    memset(got, 0, sizeof got);
    to = temporary(got, 3, 2);
    _gfortran_caf_get_from_remote(x_token, NULL, NULL, next, 12, &place, NULL, &to, false, index_of(VECTOR), subscripts,
                                  sizeof subscripts, NULL, NULL, NULL);
    require(got[0] == 100 * next + 9 && got[2] == 100 * next + 2 && got[4] == 100 * next + 5 && !got[1] && !got[3]);
    to = temporary(NULL, 0, 1);
    _gfortran_caf_get_from_remote(x_token, NULL, NULL, next, 0, &place, NULL, &to, true, index_of(SECTION), NULL, 0, NULL, NULL,
                                  NULL);
    require(to.dim[0].upper - to.dim[0].lower == 4 && ((int *)to.base)[4] == 100 * next + 6);
    free(to.base);
    sync_all();
    put_value(x_token, NULL, PUT_VECTOR, next, me, subscripts, NULL, NULL, NULL);
    int source[4] = {10 * me, 0, 20 * me, 0};
    desc_t from = temporary(source, 2, 1);
    source[1] = source[2];
    put_array(x_token, NULL, PUT_STRIDED, next, &from, NULL);
    sync_all();
    require(x[8] == previous && x[1] == previous && x[4] == previous && x[6] == 10 * previous && x[9] == 20 * previous);
    require(x[0] == 100 * me + 1 && x[7] == 100 * me + 8);
    sync_all();
}

static void allocated_coarrays(int next, int previous)
{
    desc_t z;
    int *values = allocate(&z), me = this_image(), got[5];
    for (int k = 0; k < 10; ++k) values[k] = 100 * me + k + 1;
    sync_all();
    require(get_of(z.token, &z, ALLOCATED_ELEMENT, next, NULL, NULL, NULL) == 100 * next + 2);
    desc_t to = temporary(got, 5, 1);
    void *place = got;
    _gfortran_caf_get_from_remote(z.token, &z, NULL, next, 20, &place, NULL, &to, false, index_of(ALLOCATED), NULL, 0, NULL, NULL,
                                  NULL);
    require(got[0] == 100 * next + 2 && got[4] == 100 * next + 6 && z.base == values);
    require(_gfortran_caf_is_present_on_remote(z.token, next, index_of(PRESENT_ARRAY), NULL, 0));
    require(!_gfortran_caf_is_present_on_remote(NULL, next, index_of(PRESENT_ARRAY), NULL, 0));
    sync_all();
    put_array(z.token, &z, PUT_ALLOCATED, next, &to, NULL);
    sync_all();
    require(values[1] == 100 * me + 2 && values[5] == 100 * me + 6);
    /* z(2:6)[me] = z(1:5): as if the right-hand side came first. */
    desc_t overlapping = temporary(values, 5, 1);
    put_array(z.token, &z, PUT_ALLOCATED, me, &overlapping, NULL);
    require(values[0] == 100 * me + 1 && values[1] == 100 * me + 1 && values[5] == 100 * me + 5 && values[6] == 100 * me + 7);
    sync_all();
    /* z(2)[next] = z(2)[me]; z(2:6)[next] = z(2:6)[me], from one image to another. */
    values[1] = me;
    sync_all();
    if (num_images() > 1) {
        _gfortran_caf_transfer_between_remotes(x_token, NULL, NULL, next, index_of(PUT_STRIDED), NULL, 0, z.token, &z, NULL, me,
                                               index_of(ALLOCATED), NULL, 0, 20, false, NULL, NULL, NULL, NULL, NULL, NULL);
        sync_all();
        require(x[6] == previous && x[9] == 100 * previous + 2);
    }
    int subscripts[3] = {1, 2, 3}, stats[2] = {-1, -1};
    _gfortran_caf_transfer_between_remotes(x_token, NULL, NULL, next, index_of(PUT_VECTOR), subscripts, 12, z.token, &z, NULL,
                                           next, index_of(ALLOCATED_ELEMENT), NULL, 0, 4, true, &stats[0], &stats[1], NULL, NULL,
                                           NULL, NULL);
    sync_all();
    require(x[0] == me && x[2] == me && stats[0] == 0 && stats[1] == 0);
    sync_all();
    _gfortran_caf_transfer_between_remotes(x_token, NULL, NULL, next, index_of(PUT_VECTOR), subscripts, 12, x_token, NULL, NULL,
                                           next, index_of(NEGATIVE), NULL, 0, 4, true, NULL, NULL, NULL, NULL, NULL, NULL);
    sync_all();
    require(x[0] == -me);
    _gfortran_caf_deregister(&z.token, 0, NULL, NULL, 0);
}

static void characters(int next, int previous)
{
    size_t five = 5, three = 3;
    char mine[3] = {'a', 'b', '0' + this_image()}, got[5];
    memcpy(s, "-----", 5);
    sync_all();
    _gfortran_caf_send_to_remote(s_token, NULL, &five, next, 1, mine, &three, NULL, index_of(PUT_CHARACTERS), NULL, 0, NULL, NULL,
                                 NULL);
    sync_all();
    require(memcmp(s, "ab", 2) == 0 && s[2] == '0' + previous && memcmp(s + 3, "  ", 2) == 0);
    /* They come to where the compiler wants them. */
    void *place = got;
    size_t len = 5;
    _gfortran_caf_get_from_remote(s_token, NULL, &five, next, 1, &place, &len, NULL, false, index_of(CHARACTERS), NULL, 0, NULL,
                                  NULL, NULL);
    require(place == got && memcmp(got, "ab", 2) == 0 && got[2] == '0' + this_image());
    sync_all();
    s[0] = 'A' + this_image();
    sync_all();
    _gfortran_caf_transfer_between_remotes(s_token, NULL, &five, this_image(), index_of(PUT_CHARACTERS), NULL, 0, s_token, NULL,
                                           &five, this_image(), index_of(CHARACTERS), NULL, 0, 1, true, NULL, NULL, NULL, NULL,
                                           NULL, NULL);
    require(s[0] == 'A' + this_image() && s[1] == 'b');
    sync_all();
}

/* integer :: v(n) of item, with values from 10 * me on */
static void allocate_component(item_t *it, int elements)
{
    _gfortran_caf_register(4 * elements, ALLOCATE_ONLY, &it->v.token, &it->v, NULL, NULL, 0);
    it->v.dtype = (dtype_t){.elem_len = 4, .rank = 1, .type = INTEGER};
    it->v.dim[0] = (dim_t){1, 1, elements};
    it->v.span = 4;
    it->v.offset = -1;
    for (int k = 0; k < elements; ++k) ((int *)it->v.base)[k] = 10 * this_image() + k;
}

static bool is_present(token_t token, int image, int number)
{
    return _gfortran_caf_is_present_on_remote(token, image, index_of(number), NULL, 0);
}

/* Vector subscripts of components, transfers of components between other images. */
static void chosen_elements(int next, int previous)
{
    int me = this_image(), index[2] = {3, 1}, got[2], value = 0, stats[2] = {-1, -1};
    int after = next % num_images() + 1;
    subscripts_t add = {.other = 100, .index = {.base = index, .dtype = {.elem_len = 4, .rank = 1, .type = INTEGER},
                                                .span = 4, .offset = -1, .dim = {{1, 1, 2}}}};
    item->n = 7 * me;
    for (int k = 0; k < 3; ++k) ((int *)item->v.base)[k] = 10 * me + k;
    sync_all();
    require(get_of(item_token, NULL, NUMBER, next, &value, NULL, NULL) == 7 * next && value == 0);
    desc_t to = temporary(got, 2, 1);
    void *place = got;
    _gfortran_caf_get_from_remote(item_token, NULL, NULL, next, 8, &place, NULL, &to, false, index_of(CHOSEN), &add, sizeof add,
                                  NULL, NULL, NULL);
    require(got[0] == 10 * next + 102 && got[1] == 10 * next + 100 && to.base == got);
    /* Into an array of another shape, then of this one. */
    to = (desc_t){.base = malloc(4), .dtype = {.elem_len = 4, .rank = 1, .type = INTEGER}, .span = 4, .dim = {{1, 5, 5}}};
    for (int k = 0; k < 2; ++k) {
        void *before = to.base;
        _gfortran_caf_get_from_remote(item_token, NULL, NULL, next, 8, &to.base, NULL, &to, true, index_of(CHOSEN), &add,
                                      sizeof add, NULL, NULL, NULL);
        require(to.dim[0].lower == 1 && to.dim[0].upper == 2 && (k == 0 || to.base == before));
        require(((int *)to.base)[0] == 10 * next + 102 && ((int *)to.base)[1] == 10 * next + 100);
    }
    free(to.base);
    sync_all();
    int source[2] = {me, 2 * me};
    desc_t from = temporary(source, 2, 1);
    _gfortran_caf_send_to_remote(item_token, NULL, NULL, next, 8, source, NULL, &from, index_of(PUT_CHOSEN), &add, sizeof add,
                                 NULL, NULL, NULL);
    sync_all();
    const int *v = item->v.base;
    require(v[2] == previous + 100 && v[1] == 10 * me + 1 && v[0] == 2 * previous + 100);
    sync_all();
    /* item[after]%v(index) = item[next]%v(index), item[next]%v(2) = item[after]%n: each image writes to one element once. */
    subscripts_t same = add;
    same.other = 0;
    _gfortran_caf_transfer_between_remotes(item_token, NULL, NULL, after, index_of(PUT_CHOSEN), &same, sizeof same, items_token,
                                           NULL, NULL, next, index_of(SECOND), &same, sizeof same, 8, false, &stats[0],
                                           &stats[1], NULL, NULL, NULL, NULL);
    require(stats[0] == 0 && stats[1] == 0);
    _gfortran_caf_transfer_between_remotes(item_token, NULL, NULL, next, index_of(PUT_COMPONENT), NULL, 0, item_token, NULL, NULL,
                                           after, index_of(NUMBER), NULL, 0, 4, true, NULL, NULL, NULL, NULL, NULL, NULL);
    sync_all();
    require(v[2] == 10 * previous + 2 && v[0] == 10 * previous && v[1] == 7 * next);
    sync_all();
}

static void components(int next, int previous)
{
    int me = this_image(), elements = 3 + next % 2;
    require(!is_present(item_token, next, PRESENT) && !is_present(items_token, next, PRESENT_IN_ARRAY));
    sync_all();
    allocate_component(item, 3 + me % 2);
    allocate_component(&items[1], 5);
    sync_all();
    require(is_present(item_token, next, PRESENT) && is_present(items_token, next, PRESENT_IN_ARRAY));
    desc_t to = temporary(NULL, 0, 1);
    void *place = NULL;
    _gfortran_caf_get_from_remote(item_token, NULL, NULL, next, 0, &place, NULL, &to, true, index_of(COMPONENT), NULL, 0, NULL,
                                  NULL, NULL);
    require(to.dim[0].upper == elements && ((int *)to.base)[elements - 1] == 10 * next + elements - 1);
    free(to.base);
    sync_all();
    put_value(item_token, NULL, PUT_COMPONENT, next, -me, NULL, NULL, NULL, NULL);
    sync_all();
    require(((int *)item->v.base)[1] == -previous && ((int *)item->v.base)[2] == 10 * me + 2);
    sync_all();
    chosen_elements(next, previous);
}

/* item%p => target, where the target is a variable of this process that no other one has at that address. */
static void pointers(int next)
{
    static int target[3];
    int got[2] = {-1, -1}, stat = -1;
    for (int k = 0; k < 3; ++k) target[k] = 1000 * this_image() + k;
    void *before = item->v.base;
    item->v.base = target;
    sync_all();
    require(get_of(item_token, NULL, POINTED, next, &stat, NULL, NULL) == 1000 * next + 1 && stat == 0);
    desc_t to = temporary(got, 2, 1);
    void *place = got;
    _gfortran_caf_get_from_remote(item_token, NULL, NULL, next, 8, &place, NULL, &to, false, index_of(POINTED_SECTION), NULL, 0,
                                  &stat, NULL, NULL);
    require(stat == 0 && got[0] == 1000 * next && got[1] == 1000 * next + 2);
    /* To this image's x. */
    int subscripts[3] = {9, 2, 5}, me = this_image();
    _gfortran_caf_transfer_between_remotes(x_token, NULL, NULL, me, index_of(PUT_VECTOR), subscripts, sizeof subscripts,
                                           item_token, NULL, NULL, next, index_of(POINTED), NULL, 0, 4, true, NULL, NULL, NULL,
                                           NULL, NULL, NULL);
    require(x[8] == 1000 * next + 1 && x[1] == x[8] && x[4] == x[8]);
    _gfortran_caf_transfer_between_remotes(x_token, NULL, NULL, me, index_of(PUT_STRIDED), NULL, 0, item_token, NULL, NULL, next,
                                           index_of(POINTED_ARRAY), NULL, 0, 8, false, NULL, NULL, NULL, NULL, NULL, NULL);
    require(x[6] == 1000 * next && x[9] == 1000 * next + 1);
    sync_all();
    item->v.base = before;
}

static void teams(void)
{
    int me = this_image(), n = num_images(), outer = me, number, all = -1, stat = -1, nothing[3] = {1, 2, 3};
    team_t initial = _gfortran_caf_get_team(NULL), half;
    desc_t z;
    int *values = allocate(&z);
    values[1] = me;
    x[2] = me;
    sync_all();
    _gfortran_caf_form_team(1 + me % 2, &half, NULL, NULL, NULL, 0);
    _gfortran_caf_change_team(half, NULL, NULL, 0);
    me = this_image();
    /* Image 1 of this team, of the initial one, of the sibling. */
    require(get(ELEMENT, 1) == 1 + (outer + 1) % 2);
    require(get_of(x_token, NULL, ELEMENT, n, NULL, &initial, NULL) == n);
    require(get_of(z.token, &z, ALLOCATED_ELEMENT, n, &stat, NULL, &all) == n && stat == 0);
    number = 1 + outer % 2;
    require(get_of(x_token, NULL, ELEMENT, me, NULL, NULL, &number) == outer);
    require(get_of(x_token, NULL, ELEMENT, me, NULL, &half, NULL) == outer);
    number = 2 - outer % 2;
    if (n > 1) require(get_of(z.token, &z, ALLOCATED_ELEMENT, 1, &stat, NULL, &number) == 2 - (outer + 1) % 2);
    sync_all();
    put_value(x_token, NULL, PUT_VECTOR, outer, -outer, nothing, NULL, NULL, &all);
    require(x[2] == -outer);
    put_value(x_token, NULL, PUT_VECTOR, me, outer, nothing, &stat, &half, NULL);
    require(x[2] == outer && stat == 0);
    /* What only this team has. */
    desc_t inner;
    allocate(&inner);
    stat = -1;
    number = 1 + outer % 2;
    put_value(inner.token, &inner, PUT_ALLOCATED_ELEMENT, me, 5, NULL, &stat, NULL, &number);
    require(stat == 0 && ((int *)inner.base)[1] == 5);
    get_of(inner.token, &inner, ALLOCATED_ELEMENT, 1, &stat, &initial, NULL);
    require(n == 1 || stat >= OTHER_STAT);
    get_of(inner.token, &inner, ALLOCATED_ELEMENT, 1, &stat, NULL, &all);
    require(n == 1 || stat >= OTHER_STAT);
    number = 2 - outer % 2;
    get_of(inner.token, &inner, ALLOCATED_ELEMENT, 1, &stat, NULL, &number);
    require(stat >= OTHER_STAT);
    number = 99;
    get_of(x_token, NULL, ELEMENT, 1, &stat, NULL, &number);
    require(stat >= OTHER_STAT);
    get_of(x_token, NULL, ELEMENT, n + 1, &stat, NULL, &all);
    require(stat >= OTHER_STAT);
    team_t never = &stat;
    get_of(x_token, NULL, ELEMENT, 1, &stat, &never, NULL);
    require(stat >= OTHER_STAT);
    _gfortran_caf_deregister(&inner.token, 0, NULL, NULL, 0);
    _gfortran_caf_end_team(NULL, NULL, 0);
    _gfortran_caf_deregister(&z.token, 0, NULL, NULL, 0);
}

/* Errors that are told by stat, and leave everything as it was. */
static void errors(void)
{
    int n = num_images(), stat = -1, subscripts[3] = {1, 2, 3}, stats[2] = {-1, -1};
    get_of(x_token, NULL, ELEMENT, n + 1, &stat, NULL, NULL);
    require(stat >= OTHER_STAT);
    stat = -1;
    put_value(x_token, NULL, PUT_VECTOR, 0, 5, subscripts, &stat, NULL, NULL);
    require(stat >= OTHER_STAT);
    stat = -1;
    get_of(NULL, NULL, ELEMENT, 1, &stat, NULL, NULL);
    require(stat >= OTHER_STAT);
    _gfortran_caf_transfer_between_remotes(x_token, NULL, NULL, n + 1, index_of(PUT_VECTOR), subscripts, 12, x_token, NULL, NULL,
                                           1, index_of(NEGATIVE), NULL, 0, 4, true, &stats[0], &stats[1], NULL, NULL, NULL,
                                           NULL);
    require(stats[0] >= OTHER_STAT && stats[1] == 0);
    _gfortran_caf_transfer_between_remotes(x_token, NULL, NULL, 1, index_of(PUT_VECTOR), subscripts, 12, x_token, NULL, NULL, -1,
                                           index_of(NEGATIVE), NULL, 0, 4, true, NULL, &stats[1], NULL, NULL, NULL, NULL);
    require(stats[1] >= OTHER_STAT);
    /* Five elements for two places. */
    int two[2] = {7, 7};
    desc_t to = temporary(two, 2, 3);
    void *place = two;
    stat = -1;
    _gfortran_caf_get_from_remote(x_token, NULL, NULL, 1, 8, &place, NULL, &to, false, index_of(SECTION), NULL, 0, &stat, NULL,
                                  NULL);
    require(stat >= OTHER_STAT && two[0] == 7 && two[1] == 7);
    sync_all();
}

/* Image 2 fails; the others learn it from every access. */
static void lose_an_image(void)
{
    int stat = 0, subscripts[3] = {1, 2, 3};
    sync_all();
    if (this_image() == 2) raise(SIGKILL);
    while (stat == 0) {
        usleep(1000);
        get_of(x_token, NULL, ELEMENT, 2, &stat, NULL, NULL);
    }
    require(stat == FAILED_IMAGE);
    put_value(x_token, NULL, PUT_VECTOR, 2, 5, subscripts, &stat, NULL, NULL);
    require(stat == FAILED_IMAGE);
    get_of(x_token, NULL, ELEMENT, 1, &stat, NULL, NULL);
    require(stat == 0);
    printf("told: %d\n", this_image());
    fflush(stdout);
    usleep(200000);
}

/* A whole object has addresses in it, which mean nothing on another host. An object without components can be got. */
static void whole(int far)
{
    int stat = -1;
    item_t got = {.n = -1};
    void *place = &got;
    item->n = this_image();
    sync_all();
    _gfortran_caf_get_from_remote(item_token, NULL, NULL, far, sizeof got, &place, NULL, NULL, false, index_of(WHOLE), NULL, 0,
                                  &stat, NULL, NULL);
    require(stat == 0 && place == &got && got.n == far && !got.v.base);
    sync_all();
    allocate_component(item, 3);
    sync_all();
    got.n = -1;
    _gfortran_caf_get_from_remote(item_token, NULL, NULL, far, sizeof got, &place, NULL, NULL, false, index_of(WHOLE), NULL, 0,
                                  &stat, NULL, NULL);
    require(stat >= OTHER_STAT && got.n == -1);
    sync_all();
}

int main(int argc, char **argv)
{
    _gfortran_caf_init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "";
    int me = this_image(), n = num_images(), next = me % n + 1, previous = (me + n - 2) % n + 1;
    if (strcmp(what, "kill") == 0) {
        lose_an_image();
    } else if (strcmp(what, "whole") == 0) {
        whole((me + n / 2 - 1) % n + 1);
    } else if (strcmp(what, "pointed") == 0) {
        /* item%p => target, at an address where the other process has nothing; the elements lie on two pages. */
        int *target = NULL;
        if (me == 2) {
            target = mmap((void *)0x300000000000, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            target += 1022;
            for (int k = 0; k < 10; ++k) target[k] = -k;
        }
        item->v.base = target;
        sync_all();
        if (me == 1) put_value(item_token, NULL, PUT_COMPONENT, 2, 5, NULL, NULL, NULL, NULL);
        sync_all();
        for (int k = 0; me == 2 && k < 10; ++k) require(target[k] == (k == 1 ? 5 : -k));
    } else if (strcmp(what, "null") == 0 || strcmp(what, "nowhere") == 0) {
        item->v.base = strcmp(what, "null") == 0 ? NULL : (void *)0x300000000000;
        sync_all();
        if (me == 1) put_value(item_token, NULL, PUT_COMPONENT, 2, 5, NULL, NULL, NULL, NULL);
        sync_all();
    } else if (strcmp(what, "number") == 0) {
        _gfortran_caf_get_remote_function_index(-12345);
    } else if (strcmp(what, "twice") == 0) {
        _gfortran_caf_get_remote_function_index(TWICE);
    } else if (strcmp(what, "beyond") == 0) {
        get(ELEMENT, n + 1);
    } else if (strcmp(what, "index") == 0) {
        get_of(x_token, NULL, ELEMENT, 1, NULL, NULL, NULL);
        _gfortran_caf_is_present_on_remote(item_token, 1, 77, NULL, 0);
    } else {
        static_coarrays(next, previous);
        pointers(next);
        allocated_coarrays(next, previous);
        characters(next, previous);
        teams();
        errors();
        if (strcmp(what, "components") == 0) components(next, previous);
    }
    _gfortran_caf_finalize();
    return 0;
}
