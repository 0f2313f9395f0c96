/*
 * Several POSIX threads of each image use xmprt.h at the same time: copies to and from the next image, atomic operations,
 * events and signals of one variable, inquiries, and
 * requests of teams of their own (for 4 images). With the argument "collectives" two threads of image 1 call xmprt_sync while image 2 does
 * not come: the second call is refused.
 */
#include "check.h"
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 60, WORDS = 300 };

static int64_t (*shared)[WORDS];
static xmprt_team teams[THREADS];
static struct {
    int64_t added, signal;
    xmprt_event event;
} *variables;
static int next;

static void *exchange(void *argument)
{
    int thread = (int)(intptr_t)argument;
    int64_t mine[WORDS], got[WORDS];
    for (int round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < WORDS; i++)
            mine[i] = 1000 * thread + round + i;
        DO(xmprt_put(XMPRT_CURRENT, next, shared[thread], mine, sizeof mine));
        DO(xmprt_get(XMPRT_CURRENT, next, got, shared[thread], sizeof got));
        REQUIRE(memcmp(mine, got, sizeof got) == 0);
        /* Each thread has its own message. */
        REFUSED(xmprt_put(XMPRT_CURRENT, next, &next, mine, 8), XMPRT_BAD_ARGUMENT, "xmprt_put");
        REQUIRE(xmprt_num_images(XMPRT_CURRENT) == xmprt_num_images(XMPRT_INITIAL));

        DO(xmprt_atomic_add64(XMPRT_CURRENT, next, &variables->added, thread, NULL));
        DO(xmprt_event_post(XMPRT_CURRENT, next, &variables->event));
        DO(xmprt_put_signal(XMPRT_CURRENT, next, shared[thread], mine, 8, &variables->signal, XMPRT_SIGNAL_ADD, 1));
        if (thread == 0) {
            DO(xmprt_event_wait(&variables->event, THREADS));
            DO(xmprt_wait_until64(&variables->signal, XMPRT_GREATER_EQUAL, (int64_t)round * THREADS));
        }

        /* The order of the operations of a team is that of its thread. */
        xmprt_request request;
        int64_t sum = round;
        DO(xmprt_begin_co_sum(teams[thread], &sum, 1, XMPRT_INT64, &request));
        DO(xmprt_wait(&request));
        REQUIRE(sum == (int64_t)round * xmprt_num_images(teams[thread]));
    }
    return NULL;
}

static void start(pthread_t *thread, void *(*body)(void *), intptr_t argument)
{
    REQUIRE(pthread_create(thread, NULL, body, (void *)argument) == 0);
}

static void *synchronise(void *refused)
{
    int code = xmprt_sync(XMPRT_CURRENT);
    if (code != XMPRT_OK) {
        REQUIRE(strstr(xmprt_message(), "another thread") != NULL);
        __atomic_add_fetch((int *)refused, 1, __ATOMIC_SEQ_CST);
        /* Image 2 may come now. */
        int64_t one = 1;
        DO(xmprt_put(XMPRT_CURRENT, 2, shared[0], &one, sizeof one));
        DO(xmprt_sync_images(XMPRT_CURRENT, NULL, 0));
    }
    return NULL;
}

static void two_collectives(void)
{
    int refused = 0;
    if (xmprt_this_image(XMPRT_CURRENT) == 1) {
        pthread_t other;
        start(&other, synchronise, (intptr_t)&refused);
        synchronise(&refused);
        pthread_join(other, NULL);
        REQUIRE(refused == 1);
        return;
    }
    int64_t come = 0;
    while (!come) {
        DO(xmprt_get(XMPRT_CURRENT, 2, &come, shared[0], sizeof come));
        usleep(1000);
    }
    DO(xmprt_sync(XMPRT_CURRENT));
}

int main(int argc, char **argv)
{
    (void)argv;
    next = xmprt_this_image(XMPRT_CURRENT) % xmprt_num_images(XMPRT_CURRENT) + 1;
    DO(xmprt_allocate(THREADS * sizeof *shared, (void **)&shared));
    DO(xmprt_allocate(sizeof *variables, (void **)&variables));
    if (argc > 1) {
        two_collectives();
        return 0;
    }
    /* Teams of different images, so that the operations of one are not those of another. */
    int me = xmprt_this_image(XMPRT_CURRENT);
    for (int thread = 0; thread < THREADS; thread++)
        DO(xmprt_form_team(1 + (thread > 0 && me > thread), 0, &teams[thread]));
    pthread_t threads[THREADS];
    for (int thread = 0; thread < THREADS; thread++)
        start(&threads[thread], exchange, thread);
    for (int thread = 0; thread < THREADS; thread++)
        pthread_join(threads[thread], NULL);
    DO(xmprt_sync(XMPRT_CURRENT));
    REQUIRE(variables->added == ROUNDS * THREADS * (THREADS - 1) / 2 && variables->signal == ROUNDS * THREADS);
    DO(xmprt_free(variables));
    DO(xmprt_free(shared));
    return 0;
}
