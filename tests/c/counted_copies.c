// The copies between processes that libxmprt has the system make, counted: these functions take the place of the C library's
// in a program. (MPI makes such copies, too.)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_int copies;

static void count(void *caller)
{
    Dl_info library;
    if (dladdr(caller, &library) && strstr(library.dli_fname, "libxmprt.so"))
        copies++;
}

ssize_t process_vm_readv(pid_t process, const struct iovec *here, unsigned long here_count, const struct iovec *there,
                         unsigned long there_count, unsigned long flags)
{
    count(__builtin_return_address(0));
    return syscall(SYS_process_vm_readv, process, here, here_count, there, there_count, flags);
}

ssize_t process_vm_writev(pid_t process, const struct iovec *here, unsigned long here_count, const struct iovec *there,
                          unsigned long there_count, unsigned long flags)
{
    count(__builtin_return_address(0));
    return syscall(SYS_process_vm_writev, process, here, here_count, there, there_count, flags);
}

// The number of copies since the last call, by any thread of this process.
int copies_since(void)
{
    return atomic_exchange(&copies, 0);
}
