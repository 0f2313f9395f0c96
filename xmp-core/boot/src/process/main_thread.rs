//! The main thread of a process.

/// Whether this is the main thread of its process. By a system call: the C library's `gettid` is a weak symbol for the standard library,
/// which in a static program is null.
pub fn is_main_thread() -> bool {
    rustix::thread::gettid() == rustix::process::getpid()
}
