/* Events, locks, puts with signals, and waits for values, one or several. */
#include "check.h"

static int me, n, left, right;

/* A token goes round by events, with data that was put before. */
static void ring_of_events(void)
{
    struct { xmprt_event event; int64_t data; } *x;
    DO(xmprt_allocate(sizeof *x, (void **)&x));
    for (int64_t round = 1; round <= 30; round++) {
        if (me > 1)
            DO(xmprt_event_wait(&x->event, 1));
        int64_t next = me > 1 ? x->data + 1 : round;
        REQUIRE(next == round + me - 1);
        DO(xmprt_put(XMPRT_CURRENT, right, &x->data, &next, sizeof next));
        DO(xmprt_event_post(XMPRT_CURRENT, right, &x->event));
        if (me == 1) {
            DO(xmprt_event_wait(&x->event, 0));
            REQUIRE(x->data == round + n - 1);
        }
    }
    /* All post the event of the first one. */
    DO(xmprt_sync(XMPRT_CURRENT));
    DO(xmprt_event_post(XMPRT_INITIAL, 1, &x->event));
    int64_t count = -1;
    if (me == 1) {
        do
            DO(xmprt_event_query(&x->event, &count));
        while (count < n);
        REQUIRE(count == n);
        DO(xmprt_event_wait(&x->event, n));
        DO(xmprt_event_query(&x->event, &count));
        REQUIRE(count == 0);
    }
    DO(xmprt_sync(XMPRT_CURRENT));
    DO(xmprt_free(x));
}

/* A counter that is not atomic, under a lock of the last image. */
static void counter_under_a_lock(void)
{
    struct { xmprt_lock lock; int64_t count; } *x;
    DO(xmprt_allocate(sizeof *x, (void **)&x));
    int64_t mine = 0;
    for (int k = 0; k < 40; k++) {
        if (k % 2) {
            DO(xmprt_lock_acquire(XMPRT_CURRENT, n, &x->lock));
        } else {
            int acquired = 0;
            while (!acquired)
                DO(xmprt_lock_try(XMPRT_CURRENT, n, &x->lock, &acquired));
            REQUIRE(acquired == 1);
        }
        int64_t count;
        DO(xmprt_get(XMPRT_CURRENT, n, &count, &x->count, sizeof count));
        count++;
        mine++;
        DO(xmprt_put(XMPRT_CURRENT, n, &x->count, &count, sizeof count));
        DO(xmprt_lock_release(XMPRT_CURRENT, n, &x->lock));
    }
    DO(xmprt_sync(XMPRT_CURRENT));
    REQUIRE(mine == 40 && (me != n || x->count == 40 * n));
    /* Wrong states. */
    REFUSED(xmprt_lock_release(XMPRT_CURRENT, me, &x->lock), XMPRT_UNLOCKED, "xmprt_lock_release");
    DO(xmprt_lock_acquire(XMPRT_CURRENT, me, &x->lock));
    REFUSED(xmprt_lock_acquire(XMPRT_CURRENT, me, &x->lock), XMPRT_LOCKED, "xmprt_lock_acquire");
    DO(xmprt_sync(XMPRT_CURRENT));
    if (n > 1) {
        int acquired = 7;
        REFUSED(xmprt_lock_release(XMPRT_CURRENT, right, &x->lock), XMPRT_LOCKED_OTHER_IMAGE, "xmprt_lock_release");
        DO(xmprt_lock_try(XMPRT_CURRENT, right, &x->lock, &acquired));
        REQUIRE(acquired == 0);
    }
    DO(xmprt_sync(XMPRT_CURRENT));
    DO(xmprt_lock_release(XMPRT_CURRENT, me, &x->lock));
    DO(xmprt_free(x));
}

/* Halos of several lengths with signals that count rounds, and ones that are added up. */
static void halos_with_signals(void)
{
    enum { MOST = 40000 };
    struct { int64_t round, sum; unsigned char from_left[MOST], from_right[MOST]; } *x;
    static unsigned char mine[MOST];
    DO(xmprt_allocate(sizeof *x, (void **)&x));
    int64_t added = 0;
    for (int round = 1; round <= 30; round++) {
        size_t len = round * round * round % MOST;
        memset(mine, me + round, len);
        DO(xmprt_put_signal(XMPRT_CURRENT, right, x->from_left, mine, len, &x->round, XMPRT_SIGNAL_SET, round));
        DO(xmprt_put_signal(XMPRT_INITIAL, left, x->from_right, mine, len, &x->sum, XMPRT_SIGNAL_ADD, round));
        added += round;
        DO(xmprt_wait_until64(&x->round, XMPRT_GREATER_EQUAL, round));
        DO(xmprt_wait_until64(&x->sum, XMPRT_EQUAL, added));
        for (size_t k = 0; k < len; k++)
            REQUIRE(x->from_left[k] == left + round && x->from_right[k] == right + round);
        DO(xmprt_sync(XMPRT_CURRENT));
    }
    DO(xmprt_free(x));
}

/* Values that atomic operations change, by every comparison. */
static void waits_for_values(void)
{
    struct { int64_t wide; int32_t narrow; } *x;
    DO(xmprt_allocate(sizeof *x, (void **)&x));
    for (int64_t k = 1; k <= 10; k++) {
        DO(xmprt_atomic_add64(XMPRT_CURRENT, right, &x->wide, -1, NULL));
        DO(xmprt_wait_until64(&x->wide, XMPRT_LESS, 1 - k));
        DO(xmprt_atomic_add32(XMPRT_CURRENT, right, &x->narrow, -2, NULL));
        DO(xmprt_wait_until32(&x->narrow, XMPRT_LESS_EQUAL, -2 * (int32_t)k));
        DO(xmprt_sync(XMPRT_CURRENT));
    }
    DO(xmprt_atomic_store32(XMPRT_CURRENT, right, &x->narrow, 5));
    DO(xmprt_wait_until32(&x->narrow, XMPRT_GREATER, -20));
    DO(xmprt_wait_until32(&x->narrow, XMPRT_NOT_EQUAL, -20));
    DO(xmprt_wait_until32(&x->narrow, XMPRT_EQUAL, 5));
    DO(xmprt_wait_until32(&x->narrow, XMPRT_GREATER_EQUAL, 5));
    DO(xmprt_sync(XMPRT_CURRENT));
    DO(xmprt_free(x));
}

/* Waits for several values: each image sets one word of its right neighbour's after the other. */
static void waits_for_several_values(void)
{
    enum { COUNT = 5 };
    struct { int64_t wide[COUNT]; int32_t narrow[COUNT]; } *x;
    DO(xmprt_allocate(sizeof *x, (void **)&x));
    int skip[COUNT] = {0}, holds = 7;
    size_t index = 99, indices[COUNT], found = 99;
    DO(xmprt_test64(&x->wide[2], XMPRT_EQUAL, 1, &holds));
    REQUIRE(holds == 0 || holds == 1);
    DO(xmprt_sync(XMPRT_CURRENT));
    for (int k = COUNT - 1; k >= 0; k--) {
        DO(xmprt_atomic_store64(XMPRT_CURRENT, right, &x->wide[k], k + 1));
        DO(xmprt_atomic_add32(XMPRT_CURRENT, right, &x->narrow[k], -k - 1, NULL));
    }
    /* One after the other, each once. */
    int64_t sum = 0;
    for (int k = 0; k < COUNT; k++) {
        DO(xmprt_wait_until_any64(x->wide, COUNT, skip, XMPRT_GREATER, 0, &index));
        REQUIRE(index < COUNT && !skip[index] && x->wide[index] == (int64_t)index + 1);
        skip[index] = 1;
        sum += x->wide[index];
    }
    REQUIRE(sum == COUNT * (COUNT + 1) / 2);
    DO(xmprt_wait_until_any64(x->wide, COUNT, skip, XMPRT_GREATER, 0, &index));
    REQUIRE(index == COUNT);
    DO(xmprt_wait_until_some64(x->wide, COUNT, skip, XMPRT_EQUAL, 0, indices, &found));
    REQUIRE(found == 0);
    memset(skip, 0, sizeof skip);
    for (int taken = 0; taken < COUNT; taken += (int)found) {
        DO(xmprt_wait_until_some32(x->narrow, COUNT, skip, XMPRT_NOT_EQUAL, 0, indices, &found));
        REQUIRE(found >= 1 && found <= (size_t)(COUNT - taken));
        for (size_t k = 0; k < found; k++) {
            REQUIRE(x->narrow[indices[k]] == -(int32_t)indices[k] - 1 && !skip[indices[k]]);
            skip[indices[k]] = 1;
        }
    }
    DO(xmprt_wait_until_all32(x->narrow, COUNT, NULL, XMPRT_LESS, 0));
    DO(xmprt_wait_until_all64(x->wide, COUNT, NULL, XMPRT_GREATER_EQUAL, 1));
    DO(xmprt_wait_until_any32(x->narrow, COUNT, NULL, XMPRT_EQUAL, -COUNT, &index));
    REQUIRE(index == COUNT - 1);
    DO(xmprt_test32(&x->narrow[3], XMPRT_EQUAL, -4, &holds));
    REQUIRE(holds == 1);
    DO(xmprt_test64(&x->wide[3], XMPRT_LESS, 4, &holds));
    REQUIRE(holds == 0);
    DO(xmprt_wait_until_all64(NULL, 0, NULL, XMPRT_EQUAL, 1));
    int64_t here = 0;
    REFUSED(xmprt_wait_until_all64(&here, 1, NULL, XMPRT_EQUAL, 0), XMPRT_BAD_ARGUMENT, "not in memory that images share");
    REFUSED(xmprt_wait_until_all64(x->wide, 1000, NULL, XMPRT_EQUAL, 0), XMPRT_BAD_ARGUMENT, "bytes 0 to 7999");
    REFUSED(xmprt_wait_until_any64(x->wide, 1, NULL, XMPRT_EQUAL, 1, NULL), XMPRT_BAD_ARGUMENT, "index is a null pointer");
    REFUSED(xmprt_wait_until_some32(x->narrow, 1, NULL, XMPRT_EQUAL, -1, NULL, &found), XMPRT_BAD_ARGUMENT, "indices is a null pointer");
    REFUSED(xmprt_wait_until_some32(x->narrow, 1, NULL, XMPRT_EQUAL, -1, indices, NULL), XMPRT_BAD_ARGUMENT, "found is a null pointer");
    REFUSED(xmprt_wait_until_some64(x->wide, 1, NULL, (xmprt_comparison)7, 1, indices, &found), XMPRT_BAD_ARGUMENT, "comparison 7 is not");
    REFUSED(xmprt_wait_until_all32(x->narrow, 1000, NULL, XMPRT_EQUAL, 0), XMPRT_BAD_ARGUMENT, "bytes 40 to 4039");
    REFUSED(xmprt_wait_until_any32(x->narrow, 1, NULL, XMPRT_EQUAL, -1, NULL), XMPRT_BAD_ARGUMENT, "index is a null pointer");
    REFUSED(xmprt_test64(x->wide, (xmprt_comparison)0, 1, &holds), XMPRT_BAD_ARGUMENT, "comparison 0 is not");
    REFUSED(xmprt_test32(x->narrow, XMPRT_EQUAL, 1, NULL), XMPRT_BAD_ARGUMENT, "holds is a null pointer");
    DO(xmprt_sync(XMPRT_CURRENT));
    DO(xmprt_free(x));
}

static void bad_arguments(void)
{
    struct { xmprt_event event; xmprt_lock lock; int64_t value; int32_t narrow; char data[32]; } *x;
    DO(xmprt_allocate(sizeof *x, (void **)&x));
    xmprt_event event = {0};
    xmprt_lock lock = {0};
    int64_t value = 3;
    int acquired = 7;
    for (int k = 0; k < 2; k++) {
        REFUSED(xmprt_event_post(XMPRT_CURRENT, 0, &x->event), XMPRT_BAD_ARGUMENT, "xmprt_event_post: image index 0");
        REFUSED(xmprt_event_post(XMPRT_CURRENT, 1, &event), XMPRT_BAD_ARGUMENT, "not in memory that images share");
        REFUSED(xmprt_event_post(XMPRT_CURRENT, 1, (xmprt_event *)((char *)x + 4)), XMPRT_BAD_ARGUMENT, "not aligned to 8 bytes");
        REFUSED(xmprt_event_post(XMPRT_TEAM(5), 1, &x->event), XMPRT_BAD_ARGUMENT, "is not a team");
        REFUSED(xmprt_event_wait(&event, 1), XMPRT_BAD_ARGUMENT, "xmprt_event_wait: event (");
        REFUSED(xmprt_event_wait(NULL, 1), XMPRT_BAD_ARGUMENT, "not in memory that images share");
        REFUSED(xmprt_event_query(&event, &value), XMPRT_BAD_ARGUMENT, "not in memory that images share");
        REFUSED(xmprt_event_query(&x->event, NULL), XMPRT_BAD_ARGUMENT, "count is a null pointer");
        REFUSED(xmprt_lock_acquire(XMPRT_CURRENT, n + 1, &x->lock), XMPRT_BAD_ARGUMENT, "not in 1:");
        REFUSED(xmprt_lock_acquire(XMPRT_CURRENT, 1, &lock), XMPRT_BAD_ARGUMENT, "not in memory that images share");
        REFUSED(xmprt_lock_try(XMPRT_CURRENT, 0, &x->lock, &acquired), XMPRT_BAD_ARGUMENT, "xmprt_lock_try: image index 0");
        REFUSED(xmprt_lock_try(XMPRT_CURRENT, 1, &x->lock, NULL), XMPRT_BAD_ARGUMENT, "acquired is a null pointer");
        REFUSED(xmprt_lock_release(XMPRT_CURRENT, 1, NULL), XMPRT_BAD_ARGUMENT, "not in memory that images share");
        REFUSED(xmprt_wait_until64(&value, XMPRT_EQUAL, 3), XMPRT_BAD_ARGUMENT, "not in memory that images share");
        REFUSED(xmprt_wait_until64(&x->value, (xmprt_comparison)9, 3), XMPRT_BAD_ARGUMENT, "comparison 9 is not an xmprt_comparison");
        REFUSED(xmprt_wait_until32((int32_t *)((char *)&x->narrow + 1), XMPRT_EQUAL, 0), XMPRT_BAD_ARGUMENT, "not aligned to 4 bytes");
        REFUSED(xmprt_wait_until32(NULL, XMPRT_EQUAL, 0), XMPRT_BAD_ARGUMENT, "not in memory that images share");
#define PUT(image, to, from, bytes, signal, op) xmprt_put_signal(XMPRT_CURRENT, image, to, from, bytes, signal, op, 1)
        REFUSED(PUT(0, x->data, "abc", 3, &x->value, XMPRT_SIGNAL_ADD), XMPRT_BAD_ARGUMENT, "xmprt_put_signal: image index 0");
        REFUSED(PUT(1, &value, "abc", 3, &x->value, XMPRT_SIGNAL_ADD), XMPRT_BAD_ARGUMENT, "not in memory that images share");
        REFUSED(PUT(1, x->data, "abc", 3, &value, XMPRT_SIGNAL_SET), XMPRT_BAD_ARGUMENT, "not in memory that images share");
        REFUSED(PUT(1, x->data, NULL, 3, &x->value, XMPRT_SIGNAL_SET), XMPRT_BAD_ARGUMENT, "from is a null pointer");
        REFUSED(PUT(1, x->data, "abc", 99, &x->value, XMPRT_SIGNAL_SET), XMPRT_BAD_ARGUMENT, "bytes");
        REFUSED(PUT(1, x->data, "abc", 3, &x->value, (xmprt_signal_op)3), XMPRT_BAD_ARGUMENT, "operator 3 is not an xmprt_signal_op");
        REFUSED(PUT(1, x->data, "abc", 3, (int64_t *)&x->narrow + 0, (xmprt_signal_op)0), XMPRT_BAD_ARGUMENT, "xmprt_signal_op");
        DO(xmprt_atomic_load64(XMPRT_CURRENT, me, &x->value, &value));
        REQUIRE(value == 0 && x->data[0] == 0 && acquired == 7);
        value = 3;
    }
    DO(xmprt_free(x));
}

/* Memory that is no lock, because it did not start with zeros: nothing waits for an image that does not exist. */
static void memory_that_is_no_lock(void)
{
    struct { xmprt_lock lock; } *x;
    DO(xmprt_allocate(sizeof *x, (void **)&x));
    const int32_t owners[] = {0x55555555, -1, n + 1};
    for (int k = 0; k < 3; k++) {
        int acquired = 7;
        memset(x, 0, sizeof *x);
        memcpy(x, &owners[k], sizeof *owners);
        DO(xmprt_sync(XMPRT_CURRENT));
        REFUSED(xmprt_lock_acquire(XMPRT_CURRENT, right, &x->lock), XMPRT_BAD_ARGUMENT, "the memory is no lock");
        REFUSED(xmprt_lock_try(XMPRT_CURRENT, right, &x->lock, &acquired), XMPRT_BAD_ARGUMENT, "starts with zeros");
        REFUSED(xmprt_lock_release(XMPRT_CURRENT, right, &x->lock), XMPRT_BAD_ARGUMENT, "the memory is no lock");
        REQUIRE(acquired == 7);
        DO(xmprt_sync(XMPRT_CURRENT));
    }
    DO(xmprt_free(x));
}

/* C may evaluate xmprt_message() before the call beside it. */
static void message_beside_a_call(void)
{
    const char *text = xmprt_message();
    REFUSED(xmprt_event_wait(NULL, 1), XMPRT_BAD_ARGUMENT, "xmprt_event_wait");
    REQUIRE(xmprt_message() == text && strstr(text, "xmprt_event_wait: event is a null pointer") == text);
}

int main(void)
{
    me = xmprt_this_image(XMPRT_CURRENT);
    n = xmprt_num_images(XMPRT_CURRENT);
    left = (me + n - 2) % n + 1, right = me % n + 1;
    ring_of_events();
    counter_under_a_lock();
    halos_with_signals();
    waits_for_values();
    waits_for_several_values();
    bad_arguments();
    memory_that_is_no_lock();
    message_beside_a_call();
    return 0;
}
