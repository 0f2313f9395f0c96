/* Accessors as the compiler makes them, and what it does before the program begins. */
#include "made.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

desc_t a;

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
/* pure integer function own(k); own = a(k): of this image */
static int own(int k) { return ((int *)a.base)[a.offset + k]; }
/* a(own(3))[i], a([own(1), own(2), own(3)])[i], a(own(4))[i] = value, a([own(1), own(2)])[i] = array */
static void get_at_own(void *add, const int *image, void **buffer, int32_t *to_free, desc_t *its)
{
    (void)add, (void)image;
    *buffer = (int *)its->base + its->offset + own(3);
    *to_free = 0;
}
static void get_at_three_own(void *add, const int *image, desc_t *buffer, int32_t *to_free, desc_t *its)
{
    (void)add, (void)image;
    int *to = shaped(buffer, to_free, 3);
    for (int k = 1; k <= 3; ++k) to[k] = ((int *)its->base)[its->offset + own(k)];
}
static void put_at_own(void *add, const int *image, desc_t *its, const int *value)
{
    (void)add, (void)image;
    ((int *)its->base)[its->offset + own(4)] = *value;
}
static void put_at_two_own(void *add, const int *image, desc_t *its, const desc_t *array)
{
    (void)add, (void)image;
    const int *from = (int *)array->base + array->offset + array->dim[0].lower - 1;
    for (int k = 1; k <= 2; ++k) ((int *)its->base)[its->offset + own(k)] = from[k];
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

token_t x_token, s_token, item_token, items_token;
int *x;
char *s;
item_t *item, *items;

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

/* One image goes on at once: the one that makes the file of the variable FIRST, if there is such a variable. */
static void be_late(void)
{
    const char *first = getenv("FIRST");
    if (first && open(first, O_CREAT | O_EXCL | O_WRONLY, 0600) < 0) usleep(300 * 1000);
}

__attribute__((constructor)) static void before_main(void)
{
    void *all[] = {get_element, get_section, get_negative, get_vector, put_vector, put_strided, get_allocated, put_allocated,
                   get_allocated_element, put_allocated_element, get_characters, put_characters, get_component,
                   put_component, get_number, present, present_in_array, present_array, get_pointed, get_pointed_section,
                   get_chosen, put_chosen, get_second, get_whole, get_pointed_array, get_at_own,
                   get_at_three_own, put_at_own, put_at_two_own, get_element, get_section};
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
    be_late();
    item->n = INITIAL;
    _gfortran_caf_register_accessors_finish();
}

int index_of(int number)
{
    static int known[TWICE - ELEMENT + 1];
    int *index = &known[number - ELEMENT];
    if (!*index) *index = 1 + _gfortran_caf_get_remote_function_index(number);
    return *index - 1;
}
