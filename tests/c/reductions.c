/* Reductions by operations of the program, and what the library says of itself. */
#include "check.h"

static int me, n;

/* A product of matrices, which is associative and not commutative. */
typedef struct {
    int64_t m[2][2];
} matrix;

static void multiply(void *left, const void *right, void *context)
{
    matrix *x = left, product;
    const matrix *y = right;
    ++*(int *)context;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            product.m[i][j] = (x->m[i][0] * y->m[0][j] + x->m[i][1] * y->m[1][j]) % 1000003;
    *x = product;
}

static matrix of_image(int image, int k)
{
    return (matrix){{{1 + k, image}, {image % 3, 1}}};
}

/* The longest text, of an odd length. */
static void longest(void *left, const void *right, void *context)
{
    (void)context;
    if (strlen(right) > strlen(left))
        memcpy(left, right, 11);
}

static void products(void)
{
    for (int result = 0; result <= n; result += n) {
        matrix data[50];
        int calls = 0;
        for (int k = 0; k < 50; k++)
            data[k] = of_image(me, k);
        DO(xmprt_co_reduce(XMPRT_CURRENT, data, 50, sizeof *data, multiply, &calls, result));
        for (int k = 0; k < 50 && (result == XMPRT_ALL || result == me); k++) {
            matrix expected = of_image(1, k);
            for (int image = 2; image <= n; image++) {
                matrix next = of_image(image, k);
                multiply(&expected, &next, &calls);
            }
            REQUIRE(memcmp(&expected, &data[k], sizeof expected) == 0);
        }
        REQUIRE(n == 1 || result || calls > 0);
    }
    char text[11] = "";
    memset(text, 'a' + me, me);
    xmprt_request request;
    DO(xmprt_begin_co_reduce(XMPRT_CURRENT, text, 1, sizeof text, longest, NULL, &request));
    DO(xmprt_wait(&request));
    REQUIRE((int)strlen(text) == n && text[0] == 'a' + n && request.id == 0);
    xmprt_team half;
    DO(xmprt_form_team(me % 2 + 1, 0, &half));
    int calls = 0;
    matrix mine = of_image(me, 0);
    DO(xmprt_co_reduce(half, &mine, 1, sizeof mine, multiply, &calls, 1));
    DO(xmprt_co_reduce(half, NULL, 0, sizeof mine, multiply, &calls, XMPRT_ALL));
}

static void about_the_library(void)
{
    char text[32];
    REQUIRE(xmprt_version() == XMPRT_VERSION);
    snprintf(text, sizeof text, "%d.%d.%d", XMPRT_VERSION_MAJOR, XMPRT_VERSION_MINOR, XMPRT_VERSION_PATCH);
    REQUIRE(strcmp(xmprt_version_text(), text) == 0);
    REQUIRE(xmprt_thread_level() == XMPRT_THREADS_MULTIPLE);
    for (int k = XMPRT_OK; k <= XMPRT_UNLOCKED_FAILED_IMAGE; k++)
        REQUIRE(strlen(xmprt_status_text((xmprt_status)k)) > 4);
    REQUIRE(strcmp(xmprt_status_text(XMPRT_NO_MEMORY), "out of memory") == 0);
    REQUIRE(strcmp(xmprt_status_text((xmprt_status)10), "not an xmprt_status") == 0);
    REQUIRE(strcmp(xmprt_status_text((xmprt_status)-1), "not an xmprt_status") == 0);
}

static void states(void)
{
    xmprt_status status = XMPRT_ERROR;
    int images[1] = {7};
    size_t count = 9;
    for (int k = 1; k <= n; k++) {
        DO(xmprt_image_status(XMPRT_CURRENT, k, &status));
        REQUIRE(status == XMPRT_OK);
    }
    DO(xmprt_failed_images(XMPRT_CURRENT, images, 1, &count));
    REQUIRE(count == 0 && images[0] == 7);
    count = 9;
    DO(xmprt_stopped_images(XMPRT_INITIAL, NULL, 0, &count));
    REQUIRE(count == 0);
    REFUSED(xmprt_image_status(XMPRT_CURRENT, 0, &status), XMPRT_BAD_ARGUMENT, "xmprt_image_status: image index 0");
    REFUSED(xmprt_image_status(XMPRT_CURRENT, 1, NULL), XMPRT_BAD_ARGUMENT, "status is a null pointer");
    REFUSED(xmprt_failed_images(XMPRT_CURRENT, images, 1, NULL), XMPRT_BAD_ARGUMENT, "count is a null pointer");
    REFUSED(xmprt_stopped_images(XMPRT_TEAM(6), images, 1, &count), XMPRT_BAD_ARGUMENT, "xmprt_stopped_images: 0x6 is not a team");
    DO(xmprt_sync(XMPRT_CURRENT));
}

static void bad_arguments(void)
{
    int64_t x = 5;
    xmprt_request request = {3};
#define REDUCE(data, count, bytes, operation, result) \
    xmprt_co_reduce(XMPRT_CURRENT, data, count, bytes, operation, NULL, result)
    REFUSED(REDUCE(&x, 1, 8, NULL, 0), XMPRT_BAD_ARGUMENT, "xmprt_co_reduce: operation is a null pointer");
    REFUSED(REDUCE(NULL, 1, 8, longest, 0), XMPRT_BAD_ARGUMENT, "data is a null pointer");
    REFUSED(REDUCE(&x, 1, 0, longest, 0), XMPRT_BAD_ARGUMENT, "element_bytes is 0");
    REFUSED(REDUCE(&x, SIZE_MAX, 8, longest, 0), XMPRT_BAD_ARGUMENT, "more than there is");
    REFUSED(REDUCE(&x, 1, 8, longest, n + 1), XMPRT_BAD_ARGUMENT, "not in 1:");
    REFUSED(xmprt_co_reduce(XMPRT_TEAM(8), &x, 1, 8, longest, NULL, 0), XMPRT_BAD_ARGUMENT, "is not a team");
#define BEGIN(data, bytes, operation, request) \
    xmprt_begin_co_reduce(XMPRT_CURRENT, data, 1, bytes, operation, NULL, request)
    REFUSED(BEGIN(&x, 8, NULL, &request), XMPRT_BAD_ARGUMENT, "xmprt_begin_co_reduce: operation is a null pointer");
    REFUSED(BEGIN(&x, 0, longest, &request), XMPRT_BAD_ARGUMENT, "element_bytes is 0");
    REFUSED(BEGIN(&x, 8, longest, NULL), XMPRT_BAD_ARGUMENT, "request is a null pointer");
    REQUIRE(x == 5 && request.id == 3);
}

int main(void)
{
    me = xmprt_this_image(XMPRT_CURRENT);
    n = xmprt_num_images(XMPRT_CURRENT);
    products();
    about_the_library();
    states();
    bad_arguments();
    return 0;
}
