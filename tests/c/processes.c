/*
 * What C programs do with their processes beside coarrays: processes WAY [DIRECTORY]. Image 1 does it, then all images meet and exchange a
 * value; unless WAY ends the image.
 */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int *shared;
static int me, images;

/* All images put to the next one. */
static void meet(void)
{
    int next = me % images + 1, previous = (me + images - 2) % images + 1;
    DO(xmprt_put(XMPRT_CURRENT, next, shared, &me, sizeof me));
    DO(xmprt_sync(XMPRT_CURRENT));
    REQUIRE(*shared == previous);
    DO(xmprt_sync(XMPRT_CURRENT));
}

/* Forks a child that ends by `end`; its status. */
static int forked(void (*end)(void))
{
    int status;
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        end();
        _exit(77);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    return status;
}

static void end_at_once(void) { _exit(0); }
static void end_with_handlers(void) { exit(0); }
static void end_with_code(void) { exit(3); }

static void abort_alone(void)
{
    signal(SIGABRT, SIG_DFL);
    abort();
}

static void put_from_child(void)
{
    int wrong = -1;
    xmprt_put(XMPRT_CURRENT, 1, shared, &wrong, sizeof wrong);
}

static void sync_from_child(void) { xmprt_sync(XMPRT_CURRENT); }

/* SYNC MEMORY of gfortran, which takes no lock in an image. */
void _gfortran_caf_sync_memory(int *stat, char *errmsg, size_t errmsg_len);

static void sync_memory_from_child(void) { _gfortran_caf_sync_memory(NULL, NULL, 0); }

static void fork_children(void)
{
    REQUIRE(forked(end_at_once) == 0);
    REQUIRE(forked(end_with_handlers) == 0);
    REQUIRE(WEXITSTATUS(forked(end_with_code)) == 3);
    REQUIRE(WTERMSIG(forked(abort_alone)) == SIGABRT);
}

static void call_from_children(void)
{
    int before = *shared;
    REQUIRE(WEXITSTATUS(forked(put_from_child)) == 1);
    REQUIRE(WEXITSTATUS(forked(sync_from_child)) == 1);
    REQUIRE(WEXITSTATUS(forked(sync_memory_from_child)) == 1);
    REQUIRE(*shared == before);
}

static void *use_and_stop(void *unused)
{
    (void)unused;
    /* The main thread has ended when this one goes on. */
    while (access("/proc/self/task", F_OK) == 0 && xmprt_num_images(XMPRT_CURRENT) == images) {
        char path[64], state = 0;
        snprintf(path, sizeof path, "/proc/self/task/%d/stat", getpid());
        FILE *stat = fopen(path, "r");
        if (!stat || fscanf(stat, "%*d (%*[^)]) %c", &state) != 1)
            state = 'X';
        if (stat)
            fclose(stat);
        if (state == 'Z' || state == 'X')
            break;
        usleep(1000);
    }
    meet();
    exit(0);
}

static void *stop_here(void *unused)
{
    (void)unused;
    xmprt_stop(0);
}

static void in_thread(void *(*body)(void *))
{
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, body, NULL) == 0);
}

static volatile sig_atomic_t handled;

static void put_from_handler(int number)
{
    (void)number;
    int value = 5;
    if (xmprt_put(XMPRT_CURRENT, me, shared + 1, &value, sizeof value) == XMPRT_OK)
        handled++;
}

static void handle_signals(void)
{
    struct sigaction action = {.sa_handler = put_from_handler};
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    REQUIRE(sigaction(SIGALRM, &action, NULL) == 0);
    REQUIRE(setitimer(ITIMER_REAL, &often, NULL) == 0);
    while (handled < 20)
        usleep(100);
    REQUIRE(setitimer(ITIMER_REAL, &never, NULL) == 0);
    REQUIRE(shared[1] == 5);
}

static void call_at_exit(void)
{
    /* The image may have ended: then each call is an error, and none waits. */
    int value = 7;
    (void)xmprt_put(XMPRT_CURRENT, me % images + 1, shared, &value, sizeof value);
    (void)xmprt_this_image(XMPRT_CURRENT);
}

static void lose_rights(const char *root)
{
    REQUIRE(chroot(root) == 0 && chdir("/") == 0);
    REQUIRE(setgroups(0, NULL) == 0 && setgid(65534) == 0 && setuid(65534) == 0);
}

int main(int argc, char **argv)
{
    REQUIRE(argc >= 2);
    const char *way = argv[1];
    /* Registered before the library's own handler, so called after it. */
    if (strcmp(way, "after-end") == 0)
        atexit(call_at_exit);
    me = xmprt_this_image(XMPRT_CURRENT);
    images = xmprt_num_images(XMPRT_CURRENT);
    if (strcmp(way, "at-exit") == 0)
        atexit(call_at_exit);
    DO(xmprt_allocate(4 * sizeof *shared, (void **)&shared));
    meet();
    if (me == 1) {
        if (strcmp(way, "fork") == 0)
            fork_children();
        else if (strcmp(way, "fork-call") == 0)
            call_from_children();
        else if (strcmp(way, "system") == 0)
            REQUIRE(system("exit 4") >> 8 == 4);
        else if (strcmp(way, "close") == 0)
            closefrom(3);
        else if (strcmp(way, "rights") == 0)
            lose_rights(argv[2]);
        else if (strcmp(way, "signals") == 0)
            handle_signals();
        else if (strcmp(way, "main-exits") == 0) {
            in_thread(use_and_stop);
            pthread_exit(NULL);
        } else if (strcmp(way, "thread-stops") == 0) {
            in_thread(stop_here);
            for (;;)
                pause();
        }
    }
    if (strcmp(way, "thread-stops") != 0)
        meet();
    return 0;
}
