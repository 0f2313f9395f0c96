// Copies a word from the memory of another process that permits it; a message and status 1 where the system refuses. Compiled and
// run by requirements.sh.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int word;

// The other process: it permits, has its own value, and waits until it is killed.
static void serve(int ready) {
    word = 42;
    // Fails without Yama, where no permission is needed.
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    if (write(ready, "", 1) == 1)
        for (;;)
            pause();
    _exit(1);
}

// A third process, no ancestor of the other one. Returns its status.
static int copy(pid_t other) {
    int found = 0;
    struct iovec here = {&found, sizeof found}, there = {(void *)&word, sizeof word};
    if (process_vm_readv(other, &here, 1, &there, 1, 0) == (ssize_t)sizeof found && found == 42)
        return 0;
    perror("process_vm_readv");
    return 1;
}

int main(void) {
    int ends[2], status = -1;
    char byte;
    if (pipe(ends))
        return perror("pipe"), 1;
    pid_t other = fork();
    if (other == 0)
        serve(ends[1]);
    if (other < 0 || read(ends[0], &byte, 1) != 1)
        return perror("the other process"), 1;
    pid_t copier = fork();
    if (copier == 0)
        _exit(copy(other));
    if (copier > 0)
        waitpid(copier, &status, 0);
    kill(other, SIGKILL);
    return status != 0;
}
