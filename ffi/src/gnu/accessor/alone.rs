//! Whether this process has one thread: then an accessor may see the program's own descriptor of a coarray, with another address in
//! it ([`super::local`]). No other thread can look at it meanwhile. Accessors are code of the compiler, which starts no thread.
//!
//! glibc has a flag for that since version 2.32, which it clears before it makes a thread. The lock of
//! [`xmp_core::threads`] does not know of threads that never call this library.

use crate::gnu::weak::weak;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

/// Another byte than 0 if there is one thread.
static FLAG: AtomicPtr<AtomicU8> = AtomicPtr::new((&raw const NOT_KNOWN).cast_mut());
static NOT_KNOWN: AtomicU8 = AtomicU8::new(0);

/// To be called before the first accessor: from now on the C library's flag is looked at, if it has one.
pub fn prepare() {
    let flag = weak!("__libc_single_threaded").cast_mut();
    if !flag.is_null() {
        // Relaxed: each of the two flags is right.
        FLAG.store(flag.cast(), Ordering::Relaxed);
    }
}

/// Whether this is the only thread; it stays so until this thread makes another one.
#[inline(always)]
pub fn is_only_thread() -> bool {
    // Relaxed, both: the flag is set while there is one thread only, which has then seen all of what others have done; and the thread
    // that clears it is that one.
    // SAFETY: `NOT_KNOWN` or the flag of the C library, which stays.
    unsafe { (*FLAG.load(Ordering::Relaxed)).load(Ordering::Relaxed) != 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_with_two_threads_is_known() {
        prepare();
        let there = || assert!(!is_only_thread());
        std::thread::scope(|scope| {
            let other = scope.spawn(there);
            there();
            other.join().unwrap();
        });
    }
}
