#include "subjects.h"
#include <string.h>

/* Statements of image 2, in one line each: gets from image 1, puts to it. */
#define GET(token, size, to, desc, len, number, add)                                                                            \
    _gfortran_caf_get_from_remote(token, desc, len, 1, size, &place, len, to, false, accessors[number], add, 12, NULL, NULL, NULL)
#define PUT(token, value, from, desc, number)                                                                                   \
    _gfortran_caf_send_to_remote(token, desc, NULL, 1, 4, value, NULL, from, accessors[number], index, 12, NULL, NULL, NULL)
/* x(9) and others of image 2 become x(3) of image 1, of so many bytes: gfortran 16 passes those of all of x. */
#define BETWEEN(size)                                                                                                               \
    _gfortran_caf_transfer_between_remotes(x_token, NULL, NULL, 2, accessors[3], index, 12, x_token, NULL, NULL, 1, accessors[0], \
                                           NULL, 0, size, true, NULL, NULL, NULL, NULL, NULL, NULL)

/* Image 1 stores to memory of its own, and image 2 accesses that by an accessor; if `ordered` they synchronise in between. The
   comments mark the statements. Of the kind "others" are stores to other elements than those that image 2 accesses. */
void races(const char *kind, bool ordered)
{
    int me = this_image(), got[5] = {0}, value = 5, index[3] = {9, 2, 5};
    desc_t five = temporary(got, 5, 1), three = temporary(got, 3, 1), z;
    void *place = got;
    size_t len = 5;
    int *values = allocate(&z);
    for (int k = 0; k < 10; ++k) x[k] = values[k] = k;
    memset(s, 'a', 5);
    item->n = 1;
    int accessors[] = {index_of(ELEMENT), index_of(SECTION), index_of(VECTOR), index_of(PUT_VECTOR), index_of(ALLOCATED),
                       index_of(PUT_ALLOCATED), index_of(CHARACTERS), index_of(NUMBER)};
    sync_all();
    if (me == 1) {
        if (!strcmp(kind, "element")) x[2] = 7;           /* first element */
        if (!strcmp(kind, "section")) x[3] = 7;           /* first section */
        if (!strcmp(kind, "vector")) x[4] = 7;            /* first vector */
        if (!strcmp(kind, "put")) x[8] = 7;               /* first put */
        if (!strcmp(kind, "allocated")) values[5] = 7;    /* first allocated */
        if (!strcmp(kind, "put_allocated")) values[5] = 7; /* first put_allocated */
        if (!strcmp(kind, "characters")) s[4] = 'x';      /* first characters */
        if (!strcmp(kind, "component")) item->n = 7;      /* first component */
        if (!strcmp(kind, "between")) x[2] = 7;           /* first between */
        if (!strcmp(kind, "others")) x[0] = x[3] = x[9] = 7;
    }
    if (ordered) sync_all();
    if (me == 2) {
        if (!strcmp(kind, "element")) GET(x_token, 4, NULL, NULL, NULL, 0, NULL);           /* second element */
        if (!strcmp(kind, "section")) GET(x_token, 20, &five, NULL, NULL, 1, NULL);         /* second section */
        if (!strcmp(kind, "vector")) GET(x_token, 12, &three, NULL, NULL, 2, index);        /* second vector */
        if (!strcmp(kind, "put")) PUT(x_token, &value, NULL, NULL, 3);                      /* second put */
        if (!strcmp(kind, "allocated")) GET(z.token, 20, &five, &z, NULL, 4, NULL);         /* second allocated */
        if (!strcmp(kind, "put_allocated")) PUT(z.token, &five.base, &five, &z, 5);         /* second put_allocated */
        if (!strcmp(kind, "characters")) GET(s_token, 1, NULL, NULL, &len, 6, NULL);        /* second characters */
        if (!strcmp(kind, "component")) GET(item_token, 4, NULL, NULL, NULL, 7, NULL);      /* second component */
        if (!strcmp(kind, "between")) BETWEEN(4);                                           /* second between */
        if (!strcmp(kind, "others")) {
            GET(x_token, 4, NULL, NULL, NULL, 0, NULL);
            PUT(x_token, &value, NULL, NULL, 3);
            BETWEEN(4);
            BETWEEN(10 * sizeof *x);
        }
    }
    sync_all();
    _gfortran_caf_deregister(&z.token, 0, NULL, NULL, 0);
}
