// The yields of a process that another thread has used for longer than a millisecond: something computes there, and has had a time slice.
// sched_yield of this file takes the place of the C library's, for libxmprt and for an MPI.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const long long slice = 1000000;
static atomic_int long_yields;

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int sched_yield(void)
{
    long long began = now();
    long result = syscall(SYS_sched_yield);
    if (now() - began > slice)
        long_yields++;
    return (int)result;
}

// The number of long yields since the last call, by any thread of this process.
int long_yields_since(void)
{
    return atomic_exchange(&long_yields, 0);
}

static void *compute(void *core)
{
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET((long)core, &only);
    pthread_setaffinity_np(pthread_self(), sizeof only, &only);
    for (volatile long steps = 0;; steps++)
        ;
    return NULL;
}

// From now on a thread computes on each core on which this process may run.
void compute_beside(void)
{
    cpu_set_t cores;
    pthread_t thread;
    if (sched_getaffinity(0, sizeof cores, &cores) != 0) {
        perror("sched_getaffinity");
        exit(1);
    }
    for (long core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &cores) && pthread_create(&thread, NULL, compute, (void *)core) != 0) {
            fputs("no thread can be created\n", stderr);
            exit(1);
        }
}
