/* A program that looks at no status: the first error ends the job. */
#include "check.h"

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "put";
    int *block, x = 5, both[2];
    size_t lens[] = {4, 4}, offsets[] = {0, 4};
    xmprt_team team;
    REFUSED(xmprt_on_error((xmprt_errors)2), XMPRT_BAD_ARGUMENT, "2 is not an xmprt_errors");
    DO(xmprt_on_error(XMPRT_ERRORS_ARE_FATAL));
    DO(xmprt_on_error(XMPRT_ERRORS_RETURN));
    REFUSED(xmprt_translate_image(XMPRT_CURRENT, 3, XMPRT_INITIAL, &x), XMPRT_BAD_ARGUMENT, "image index 3");
    DO(xmprt_on_error(XMPRT_ERRORS_ARE_FATAL));
    xmprt_allocate(sizeof *block, (void **)&block);
    if (strcmp(way, "put") == 0)
        xmprt_put(XMPRT_CURRENT, 3, block, &x, sizeof x);
    if (strcmp(way, "part") == 0)
        xmprt_co_gatherv(XMPRT_CURRENT, both, lens, offsets, &x, xmprt_this_image(XMPRT_CURRENT) == 1 ? 3 : 4, 1);
    if (strcmp(way, "team") == 0) {
        xmprt_form_team(7, 0, &team);
        xmprt_put(team, 3, block, &x, sizeof x);
    }
    printf("not reached\n");
    return 0;
}
