#include "subjects.h"

void teams(void)
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
    /* Images of the other half read what is overwritten below. */
    _gfortran_caf_sync_team(initial, NULL, NULL, 0);
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
