/* Teams: forming, entering, leaving; collectives on teams without changing to them. */
#include "check.h"

static int me, n;

/* The sum of 1 over the images of a team. */
static int count(xmprt_team team)
{
    int one = 1;
    DO(xmprt_co_sum(team, &one, 1, XMPRT_INT, XMPRT_ALL));
    return one;
}

static void inquiries(void)
{
    REQUIRE(me >= 1 && me <= n);
    REQUIRE(xmprt_this_image(XMPRT_INITIAL) == me && xmprt_num_images(XMPRT_PARENT) == n);
    REQUIRE(xmprt_team_number(XMPRT_CURRENT) == -1 && xmprt_team_number(XMPRT_PARENT) == -1);
}

/* Odd and even images. */
static void halves(void)
{
    int number = me % 2 + 1, rank = (me + 1) / 2, size = me % 2 ? (n + 1) / 2 : n / 2;
    xmprt_team half, mirror, alone;
    DO(xmprt_form_team(number, 0, &half));
    DO(xmprt_form_team(INT64_MAX, n + 1 - me, &mirror));
    REQUIRE(xmprt_this_image(half) == rank && xmprt_num_images(half) == size);
    REQUIRE(xmprt_team_number(half) == number && xmprt_team_number(mirror) == INT64_MAX);
    REQUIRE(xmprt_this_image(mirror) == n + 1 - me);
    for (int k = 1; k <= n; k++) {
        int index = -1;
        DO(xmprt_translate_image(XMPRT_CURRENT, k, half, &index));
        REQUIRE(index == (k % 2 == me % 2 ? (k + 1) / 2 : 0));
        DO(xmprt_translate_image(mirror, k, XMPRT_INITIAL, &index));
        REQUIRE(index == n + 1 - k);
        REFUSED(xmprt_translate_image(mirror, n + k, half, &index), XMPRT_BAD_ARGUMENT, "xmprt_translate_image: image index");
        REFUSED(xmprt_translate_image(XMPRT_TEAM(7), k, half, &index), XMPRT_BAD_ARGUMENT, "0x7 is not a team");
        REFUSED(xmprt_translate_image(mirror, k, half, NULL), XMPRT_BAD_ARGUMENT, "index is a null pointer");
    }
    for (int k = 0; k < 20; k++) {
        int first = me;
        REQUIRE(count(half) == size && count(mirror) == n && count(XMPRT_CURRENT) == n);
        DO(xmprt_co_broadcast(half, &first, sizeof first, 1));
        REQUIRE(first == 2 - me % 2);
        DO(xmprt_sync(half));
        DO(xmprt_sync(XMPRT_INITIAL));
    }

    DO(xmprt_change_team(half));
    REQUIRE(xmprt_this_image(XMPRT_CURRENT) == rank && xmprt_num_images(XMPRT_CURRENT) == size);
    REQUIRE(xmprt_this_image(XMPRT_INITIAL) == me && xmprt_num_images(XMPRT_PARENT) == n);
    REQUIRE(xmprt_team_number(XMPRT_CURRENT) == number && xmprt_team_number(XMPRT_PARENT) == -1);
    REQUIRE(count(XMPRT_CURRENT) == size && count(XMPRT_PARENT) == n && count(mirror) == n);
    REQUIRE(xmprt_sibling_images(1) == n / 2 || n == 1);
    REQUIRE(xmprt_sibling_images(2) == (n + 1) / 2);
    /* Messages name the team that an index is of. */
    REFUSED(xmprt_co_broadcast(XMPRT_CURRENT, &rank, sizeof rank, n + 1), XMPRT_BAD_ARGUMENT, "the images of the current team (number");
    REFUSED(xmprt_co_broadcast(mirror, &rank, sizeof rank, n + 1), XMPRT_BAD_ARGUMENT, "the images of the team (number 9223372036854775807)");
    REFUSED(xmprt_co_broadcast(XMPRT_INITIAL, &rank, sizeof rank, n + 1), XMPRT_BAD_ARGUMENT, "is not in 1:");
    REQUIRE(strstr(xmprt_message(), "team") == NULL);
    REQUIRE(xmprt_sibling_images(3) == 0 && strstr(xmprt_message(), "xmprt_sibling_images"));
    REFUSED(xmprt_change_team(mirror), XMPRT_BAD_ARGUMENT, "formed by the current one");

    DO(xmprt_form_team(rank, 0, &alone));
    DO(xmprt_change_team(alone));
    REQUIRE(xmprt_num_images(XMPRT_CURRENT) == 1 && count(XMPRT_PARENT) == size);
    DO(xmprt_change_team(XMPRT_INITIAL));
    REQUIRE(xmprt_this_image(XMPRT_CURRENT) == me && count(XMPRT_CURRENT) == n);
    DO(xmprt_end_team());
    REQUIRE(count(XMPRT_CURRENT) == 1);
    DO(xmprt_end_team());
    REQUIRE(count(alone) == 1);
    DO(xmprt_end_team());

    /* Undefined since the half was left. */
    REFUSED(xmprt_sync(alone), XMPRT_BAD_ARGUMENT, "xmprt_sync: ");
    REFUSED(xmprt_change_team(alone), XMPRT_BAD_ARGUMENT, "not a team, or the team that formed it was left");
    REQUIRE(xmprt_this_image(alone) == 0 && xmprt_num_images(alone) == 0 && xmprt_team_number(alone) == 0);
    REQUIRE(count(half) == size);
}

static void bad_arguments(void)
{
    xmprt_team team = {77};
    REFUSED(xmprt_end_team(), XMPRT_BAD_ARGUMENT, "xmprt_end_team: no team was entered");
    REFUSED(xmprt_form_team(0, 0, &team), XMPRT_BAD_ARGUMENT, "xmprt_form_team");
    REFUSED(xmprt_form_team(1, n + 1, &team), XMPRT_BAD_ARGUMENT, "xmprt_form_team");
    REFUSED(xmprt_form_team(1, -1, &team), XMPRT_BAD_ARGUMENT, "xmprt_form_team");
    if (n > 1)
        REFUSED(xmprt_form_team(1, 1, &team), XMPRT_BAD_ARGUMENT, "xmprt_form_team");
    REQUIRE(team.id == 77);
    REFUSED(xmprt_form_team(1, 0, NULL), XMPRT_BAD_ARGUMENT, "team is a null pointer");
    xmprt_team strangers[] = {{1}, {-3}, {77}, {INT64_MAX}, {INT64_MIN}};
    for (int k = 0; k < 5; k++) {
        REFUSED(xmprt_change_team(strangers[k]), XMPRT_BAD_ARGUMENT, "is not a team");
        REFUSED(xmprt_sync(strangers[k]), XMPRT_BAD_ARGUMENT, "is not a team");
        REQUIRE(xmprt_num_images(strangers[k]) == 0);
    }
    REQUIRE(count(XMPRT_CURRENT) == n);
}

static void many_times(void)
{
    xmprt_team half;
    DO(xmprt_form_team(me % 2 + 1, 0, &half));
    for (int k = 0; k < 200; k++) {
        DO(xmprt_change_team(half));
        void *block;
        DO(xmprt_allocate(100, &block));
        DO(xmprt_end_team());
    }
}

int main(void)
{
    me = xmprt_this_image(XMPRT_CURRENT);
    n = xmprt_num_images(XMPRT_CURRENT);
    inquiries();
    halves();
    bad_arguments();
    many_times();
    return 0;
}
