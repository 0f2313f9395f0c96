/* Random statements of images that may be killed from outside at any instruction. All active images execute the same statements, whatever
 * has failed, and meet after each one: then all know of a failure or none does, and they form a team without the failed images.
 *
 * Arguments: the seed, the number of statements, and the images that may be killed. These wait for their end after the statements. */
#include "check.h"
#include <stdlib.h>
#include <unistd.h>

enum { MANY = 20000 };

typedef struct {
    xmprt_lock lock;
    int32_t number;
} shared_block;

static uint64_t seed;
static shared_block *shared;
static double *many, *others;

/* The next number below `sides`: the same on all images for the same statement. */
static int dice(int sides)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (unsigned)sides);
}

/* A status that a failure explains: whether there was one. */
static int failed(xmprt_status status)
{
    REQUIRE(status == XMPRT_OK || status == XMPRT_FAILED_IMAGE);
    return status == XMPRT_FAILED_IMAGE;
}

static int sums(xmprt_team team, size_t count)
{
    int me = xmprt_this_image(team), n = xmprt_num_images(team);
    for (size_t k = 0; k < count; k++)
        many[k] = me;
    if (failed(xmprt_co_sum(team, many, count, XMPRT_DOUBLE, XMPRT_ALL)))
        return 1;
    for (size_t k = 0; k < count; k++)
        REQUIRE(many[k] == n * (n + 1) / 2);
    return 0;
}

static int broadcasts(xmprt_team team, size_t count, int source)
{
    for (size_t k = 0; k < count; k++)
        many[k] = xmprt_this_image(team);
    if (failed(xmprt_co_broadcast(team, many, count * sizeof *many, source)))
        return 1;
    for (size_t k = 0; k < count; k++)
        REQUIRE(many[k] == source);
    return 0;
}

static int exchanges(xmprt_team team, size_t count)
{
    int me = xmprt_this_image(team), n = xmprt_num_images(team);
    for (int to = 0; to < n; to++)
        for (size_t k = 0; k < count; k++)
            many[(size_t)to * count + k] = 100 * me + to + 1;
    if (failed(xmprt_co_alltoall(team, others, many, count * sizeof *many)))
        return 1;
    for (int from = 0; from < n; from++)
        for (size_t k = 0; k < count; k++)
            REQUIRE(others[(size_t)from * count + k] == 100 * (from + 1) + me);
    return 0;
}

static int gathers(xmprt_team team)
{
    double mine = xmprt_this_image(team);
    if (failed(xmprt_co_allgather(team, others, &mine, sizeof mine)))
        return 1;
    for (int from = 0; from < xmprt_num_images(team); from++)
        REQUIRE(others[from] == from + 1);
    return 0;
}

static int scans(xmprt_team team)
{
    int32_t value = 1;
    if (failed(xmprt_co_scan(team, &value, 1, XMPRT_INT32, XMPRT_SUM)))
        return 1;
    REQUIRE(value == xmprt_this_image(team));
    return 0;
}

/* Two operations at the same time. */
static int begins(xmprt_team team)
{
    int32_t sum = 1, value = xmprt_this_image(team);
    int last = xmprt_num_images(team);
    xmprt_request requests[2] = {XMPRT_NO_REQUEST, XMPRT_NO_REQUEST};
    xmprt_status first = xmprt_begin_co_sum(team, &sum, 1, XMPRT_INT32, &requests[0]);
    xmprt_status second = xmprt_begin_co_broadcast(team, &value, sizeof value, last, &requests[1]);
    xmprt_status both = xmprt_wait_all(requests, 2);
    if (failed(first) | failed(second) | failed(both))
        return 1;
    REQUIRE(sum == last && value == last);
    return 0;
}

/* Memory of the team: each image puts its index into the block of the next one. */
static int allocates(xmprt_team team)
{
    int me = xmprt_this_image(team), n = xmprt_num_images(team), next = me % n + 1;
    int32_t *block = NULL, index = me;
    int has_failed = failed(xmprt_change_team(team));
    has_failed |= failed(xmprt_allocate(sizeof *block, (void **)&block));
    if (!has_failed)
        has_failed = failed(xmprt_put(XMPRT_CURRENT, next, block, &index, sizeof index));
    has_failed |= failed(xmprt_sync(XMPRT_CURRENT));
    if (!has_failed)
        REQUIRE(*block == (me + n - 2) % n + 1);
    return failed(xmprt_end_team()) | has_failed;
}

/* A sum in each half of the team. */
static int halves(xmprt_team team)
{
    xmprt_team half;
    int has_failed = failed(xmprt_change_team(team));
    has_failed |= failed(xmprt_form_team(1 + xmprt_this_image(XMPRT_CURRENT) % 2, 0, &half));
    has_failed |= sums(half, 1);
    return failed(xmprt_end_team()) | has_failed;
}

/* What images do one at a time; a failure of the image that has the lock concerns nothing else. */
static void locks(int image)
{
    xmprt_status status = xmprt_lock_acquire(XMPRT_INITIAL, image, &shared->lock);
    if (status != XMPRT_OK && status != XMPRT_UNLOCKED_FAILED_IMAGE) {
        REQUIRE(status == XMPRT_FAILED_IMAGE);
        return;
    }
    int32_t number;
    if (!failed(xmprt_get(XMPRT_INITIAL, image, &number, &shared->number, sizeof number)))
        REQUIRE(number == image);
    (void)failed(xmprt_lock_release(XMPRT_INITIAL, image, &shared->lock));
}

/* Executes a statement; whether a failure has kept this image from it. */
static int execute(xmprt_team team)
{
    int which = dice(12), image = 1 + dice(xmprt_num_images(XMPRT_INITIAL));
    int member = 1 + image % xmprt_num_images(team);
    switch (which) {
    case 0: return failed(xmprt_sync(team));
    case 1: return sums(team, 1);
    case 2: return sums(team, MANY);
    case 3: return broadcasts(team, 1, member);
    case 4: return broadcasts(team, MANY, member);
    case 5: return exchanges(team, 1);
    case 6: return exchanges(team, 1000);
    case 7: return gathers(team);
    case 8: return scans(team);
    case 9: return begins(team);
    case 10: return dice(2) ? allocates(team) : halves(team);
    default: locks(image); return 0;
    }
}

int main(int argc, char **argv)
{
    REQUIRE(argc >= 3);
    uint64_t program = strtoull(argv[1], NULL, 10);
    int steps = atoi(argv[2]), me = xmprt_this_image(XMPRT_INITIAL), doomed = 0;
    for (int k = 3; k < argc; k++)
        doomed |= atoi(argv[k]) == me;
    many = malloc(MANY * sizeof *many);
    others = malloc(MANY * sizeof *others);
    DO(xmprt_allocate(sizeof *shared, (void **)&shared));
    shared->number = me;
    DO(xmprt_sync(XMPRT_INITIAL));
    printf("process %d %d\n", me, (int)getpid());
    fflush(stdout);

    xmprt_team team = XMPRT_INITIAL;
    for (int step = 0, met = 0; step <= steps || !met; step++) {
        seed = program * 1000003 + (uint64_t)step;
        if (step < steps)
            (void)execute(team);
        else if (doomed)
            sleep(600);
        met = !failed(xmprt_sync_active(team));
        if (!met)
            REQUIRE(failed(xmprt_form_team(1, 0, &team)));
    }
    printf("went on: %d\n", me);
    return 0;
}
