#include "subjects.h"
#include <sys/mman.h>

/* item%p => target, where the target is a variable of this process that no other one has at that address. */
void pointers(int next)
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

/* item%p => target, at an address where the other process has nothing; the elements are on two pages. Image 1 puts to it. */
void put_to_pointed(void)
{
    int *target = NULL, me = this_image();
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
}

/* The same, where nothing is at the address. */
void put_to_nowhere(void *address)
{
    item->v.base = address;
    sync_all();
    if (this_image() == 1) put_value(item_token, NULL, PUT_COMPONENT, 2, 5, NULL, NULL, NULL, NULL);
    sync_all();
}
