#include "calls.h"
#include <stdio.h>

void require_(bool ok, const char *what, const char *file, int line)
{
    if (ok) return;
    fprintf(stderr, "%s:%d: image %d: not %s\n", file, line, _gfortran_caf_this_image(NULL), what);
    _gfortran_caf_error_stop(1, true);
}

int this_image(void) { return _gfortran_caf_this_image(NULL); }
int num_images(void) { return _gfortran_caf_num_images(NULL, NULL); }
void sync_all(void) { _gfortran_caf_sync_all(NULL, NULL, 0); }

int get_of(token_t token, void *desc, int number, int image, int *stat, team_t *team, int *team_number)
{
    int result = -1;
    void *place = &result;
    _gfortran_caf_get_from_remote(token, desc, NULL, image, 4, &place, NULL, NULL, false, index_of(number), NULL, 0, stat, team,
                                  team_number);
    return *(int *)place;
}
int get(int number, int image) { return get_of(x_token, NULL, number, image, NULL, NULL, NULL); }

desc_t temporary(int *base, ptrdiff_t elements, ptrdiff_t stride)
{
    return (desc_t){.base = base, .dtype = {.elem_len = 4, .rank = 1, .type = INTEGER}, .span = 4,
                    .dim = {{stride, 0, elements - 1}}};
}
void put_array(token_t token, void *desc, int number, int image, const desc_t *array, int *stat)
{
    _gfortran_caf_send_to_remote(token, desc, NULL, image, 0, &array->base, NULL, array, index_of(number), NULL, 0, stat, NULL,
                                 NULL);
}
void put_value(token_t token, void *desc, int number, int image, int value, void *add, int *stat, team_t *team,
               int *team_number)
{
    _gfortran_caf_send_to_remote(token, desc, NULL, image, 4, &value, NULL, NULL, index_of(number), add, 12, stat, team,
                                 team_number);
}

int *allocate(desc_t *z)
{
    *z = (desc_t){.dtype = {.elem_len = 4, .rank = 1, .type = INTEGER}, .span = 4};
    _gfortran_caf_register(40, ALLOC, &z->token, z, NULL, NULL, 0);
    z->dim[0] = (dim_t){1, 1, 10};
    z->dim[1] = (dim_t){0, 1, 0};
    z->offset = -1;
    _gfortran_caf_sync_all(NULL, NULL, 0);
    return z->base;
}
