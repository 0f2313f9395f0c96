#include "subjects.h"
#include <stdlib.h>

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

void components(int next, int previous)
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

/* item[other], which gets components of its own; item%v is allocated already. */
void whole_objects(int other)
{
    int stat = -1;
    item_t got = {.n = -1};
    void *place = &got;
    int *own = item->v.base;
    item->n = this_image();
    for (int k = 0; k < 3; ++k) own[k] = 10 * this_image() + k;
    sync_all();
    _gfortran_caf_get_from_remote(item_token, NULL, NULL, other, sizeof got, &place, NULL, NULL, false, index_of(WHOLE), NULL, 0,
                                  &stat, NULL, NULL);
    require(stat == 0 && place == &got && got.n == other && got.v.base && got.v.base != own);
    sync_all();
    own[0] = -1;
    sync_all();
    const int *copy = got.v.base;
    require(copy[0] == 10 * other && copy[2] == 10 * other + 2 && got.v.dim[0].upper >= 3);
    free(got.v.base);
    /* items(1)[other], whose component is not allocated. */
    place = &got;
    _gfortran_caf_get_from_remote(items_token, NULL, NULL, other, sizeof got, &place, NULL, NULL, false, index_of(WHOLE), NULL, 0,
                                  &stat, NULL, NULL);
    require(stat == 0 && !((item_t *)place)->v.base);
    sync_all();
}
