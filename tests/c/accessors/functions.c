/* Subscripts with a pure function that reads the same coarray of this image (own in made.c): a(own(3))[next]. It is called
   while the accessor has a descriptor of the coarray with the address that this has on the other image. The program's own
   descriptor, by which the function reads, must not be that one. */
#include "subjects.h"
#include <stdlib.h>

/* The first five elements are subscripts, and neighbours have others; these are of the last five elements. */
static int subscript(int image, int k) { return (k - 1 + image) % 5 + 6; }
static int datum(int image, int k) { return 1000 * image + k; }

static void gets(int next, team_t *team)
{
    int me = this_image(), got[3], three[3] = {1, 2, 3};
    desc_t to = temporary(got, 3, 1);
    void *place = got;
    require(get_of(a.token, &a, AT_OWN, next, NULL, team, NULL) == datum(next, subscript(me, 3)));
    _gfortran_caf_get_from_remote(a.token, &a, NULL, next, 12, &place, NULL, &to, false, index_of(AT_THREE_OWN), NULL, 0, NULL, team,
                                  NULL);
    for (int k = 1; k <= 3; ++k) require(got[k - 1] == datum(next, subscript(me, k)));
    to = temporary(NULL, 0, 1);
    _gfortran_caf_get_from_remote(a.token, &a, NULL, next, 0, &place, NULL, &to, true, index_of(AT_THREE_OWN), NULL, 0, NULL, team,
                                  NULL);
    for (int k = 1; k <= 3; ++k) require(((int *)to.base)[k - 1] == datum(next, subscript(me, k)));
    free(to.base);
    /* x(1:3)[me] = a(own(3))[next] */
    _gfortran_caf_transfer_between_remotes(x_token, NULL, NULL, me, index_of(PUT_VECTOR), three, sizeof three, a.token, &a, NULL,
                                           next, index_of(AT_OWN), NULL, 0, 4, true, NULL, NULL, team, NULL, team, NULL);
    require(x[2] == datum(next, subscript(me, 3)));
}

static void puts_of(int me, int next, int previous, team_t *team)
{
    int *values = a.base, source[2] = {200 + me, 300 + me};
    put_value(a.token, &a, PUT_AT_OWN, next, 100 + me, NULL, NULL, team, NULL);
    sync_all();
    require(values[subscript(previous, 4) - 1] == 100 + previous);
    sync_all();
    desc_t from = temporary(source, 2, 1);
    put_array(a.token, &a, PUT_AT_TWO_OWN, next, &from, NULL);
    sync_all();
    require(values[subscript(previous, 1) - 1] == 200 + previous && values[subscript(previous, 2) - 1] == 300 + previous);
    /* a(own(4))[next] = x(3)[me] */
    x[2] = 400 + me;
    sync_all();
    _gfortran_caf_transfer_between_remotes(a.token, &a, NULL, next, index_of(PUT_AT_OWN), NULL, 0, x_token, NULL, NULL, me,
                                           index_of(ELEMENT), NULL, 0, 4, true, NULL, NULL, team, NULL, team, NULL);
    sync_all();
    require(values[subscript(previous, 4) - 1] == 400 + previous);
    sync_all();
}

void functions(int next, int previous)
{
    int *values = allocate(&a), me = this_image();
    team_t team = _gfortran_caf_get_team(NULL);
    for (int k = 1; k <= 10; ++k) values[k - 1] = k <= 5 ? subscript(me, k) : datum(me, k);
    sync_all();
    gets(next, NULL);
    gets(next, &team);
    sync_all();
    puts_of(me, next, previous, NULL);
    puts_of(me, next, previous, &team);
    require(a.base == values);
    _gfortran_caf_deregister(&a.token, 0, NULL, NULL, 0);
}
