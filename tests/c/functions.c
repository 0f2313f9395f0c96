/* Image 2 combines by another function than the others: the argument says in which way. */
#include "check.h"

#define MANY 5000

static void add(void *left, const void *right, void *context)
{
    (void)context;
    *(int *)left += *(const int *)right;
}

static void multiply(void *left, const void *right, void *context)
{
    (void)context;
    *(int *)left *= *(const int *)right;
}

int main(int argc, char **argv)
{
    static int values[MANY];
    const char *way = argc > 1 ? argv[1] : "one";
    int me = xmprt_this_image(XMPRT_CURRENT), is_begun = strncmp(way, "begun", 5) == 0;
    size_t count = strstr(way, "many") ? MANY : strstr(way, "some") ? 7 : 1;
    xmprt_operation operation = me == 2 && !strstr(way, "alike") ? multiply : add;
    xmprt_request request = XMPRT_NO_REQUEST;
    for (size_t i = 0; i < count; i++)
        values[i] = me + 1;
    if (is_begun) {
        DO(xmprt_begin_co_reduce(XMPRT_CURRENT, values, count, sizeof *values, operation, NULL, &request));
        DO(xmprt_wait(&request));
    } else {
        int result = strstr(way, "first") ? 1 : XMPRT_ALL;
        DO(xmprt_co_reduce(XMPRT_CURRENT, values, count, sizeof *values, operation, NULL, result));
    }
    DO(xmprt_sync(XMPRT_CURRENT));
    return 0;
}
