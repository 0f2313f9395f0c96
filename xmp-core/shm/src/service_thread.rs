//! Threads of the library beside those of the program.

use std::io;
use std::mem::MaybeUninit;
use std::thread::{Builder, JoinHandle};

/// Starts a thread on which no handler of the program's signals runs: the thread may hold locks that a handler would
/// wait for, and programs expect signals on their own threads.
///
/// # Errors
/// That of the system.
pub fn start(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let before = block_signals();
    // The new thread inherits the mask.
    let thread = Builder::new().name(name.into()).spawn(body);
    // SAFETY: a mask that the system has returned; null requests no old one.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut()) };
    thread
}

/// Blocks all signals for this thread but those that its own faults cause; returns the mask before.
fn block_signals() -> libc::sigset_t {
    const FAULTS: [libc::c_int; 5] =
        [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP];
    let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: sets of this function, each written before it is read: pthread_sigmask cannot fail with these arguments.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        for fault in FAULTS {
            libc::sigdelset(all.as_mut_ptr(), fault);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), before.as_mut_ptr());
        before.assume_init()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn is_blocked(signal: libc::c_int) -> bool {
        let mut mask = MaybeUninit::uninit();
        // SAFETY: only reads the mask of this thread.
        unsafe {
            libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), mask.as_mut_ptr());
            libc::sigismember(mask.as_ptr(), signal) == 1
        }
    }

    #[test]
    fn signals_of_the_program_stay_with_its_own_threads() {
        let before = is_blocked(libc::SIGUSR1);
        let inside = || {
            assert!(is_blocked(libc::SIGUSR1) && is_blocked(libc::SIGTERM));
            assert!(!is_blocked(libc::SIGSEGV));
        };
        start("test", inside).unwrap().join().unwrap();
        assert_eq!(is_blocked(libc::SIGUSR1), before);
    }
}
