#include "subjects.h"
#include <stdlib.h>
#include <string.h>

void static_coarrays(int next, int previous)
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

void allocated_coarrays(int next, int previous)
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

void characters(int next, int previous)
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
