/* C functions that a Fortran program calls in its teams. */
#include "check.h"

double sum_over_current_team(double x)
{
    DO(xmprt_co_sum(XMPRT_CURRENT, &x, 1, XMPRT_DOUBLE, XMPRT_ALL));
    return x;
}

int count_on_team(int64_t number)
{
    int one = 1;
    xmprt_team team = XMPRT_TEAM(number);
    DO(xmprt_co_sum(team, &one, 1, XMPRT_INT, XMPRT_ALL));
    REQUIRE(one == xmprt_num_images(team));
    return one;
}

double value_on_image(int image, double *place)
{
    double value;
    DO(xmprt_sync(XMPRT_CURRENT));
    DO(xmprt_get(XMPRT_CURRENT, image, &value, place, sizeof value));
    return value;
}

void visit_pairs(void)
{
    int me = xmprt_this_image(XMPRT_CURRENT);
    xmprt_team pair;
    DO(xmprt_form_team((me + 1) / 2, 0, &pair));
    DO(xmprt_change_team(pair));
    REQUIRE(xmprt_num_images(XMPRT_CURRENT) <= 2);
    DO(xmprt_sync(XMPRT_PARENT));
    DO(xmprt_end_team());
}
