//! A futex word: Linux's, or under loom a model of it.

#[cfg(loom)]
pub(crate) use model::Word;
#[cfg(not(loom))]
pub(crate) use real::Word;

#[cfg(not(loom))]
mod real {
    use crate::sync::AtomicU32;
    use std::ops::Deref;
    use std::time::Duration;

    /// A 32-bit word that the kernel can put threads to sleep on; shared between processes.
    #[repr(transparent)]
    #[derive(Debug, Default)]
    pub struct Word(AtomicU32);

    impl Word {
        /// Sleeps while the word is `expected`, until a [`Word::wake`], the end of `nap`, a signal, or spuriously.
        pub fn wait(&self, expected: u32, nap: Option<Duration>) {
            let nap = nap.map(|nap| libc::timespec {
                tv_sec: nap.as_secs() as libc::time_t,
                tv_nsec: nap.subsec_nanos().into(),
            });
            let nap = nap.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
            // SAFETY: the word and the time outlive the call, and FUTEX_WAIT only reads them. Every outcome (woken,
            // value changed, interrupted, timed out) is a valid return, so the result is ignored.
            unsafe {
                libc::syscall(libc::SYS_futex, self.0.as_ptr(), libc::FUTEX_WAIT, expected, nap);
            }
        }

        /// Wakes the thread that sleeps on the word.
        pub fn wake(&self) {
            // SAFETY: FUTEX_WAKE uses the address as a key only.
            unsafe {
                libc::syscall(libc::SYS_futex, self.0.as_ptr(), libc::FUTEX_WAKE, i32::MAX);
            }
        }
    }

    impl Deref for Word {
        type Target = AtomicU32;
        fn deref(&self) -> &AtomicU32 {
            &self.0
        }
    }
}

#[cfg(loom)]
mod model {
    use crate::sync::AtomicU32;
    use loom::sync::{Condvar, Mutex};
    use std::ops::Deref;
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    /// The futex contract in loom's terms: the comparison and going to sleep are one step with respect to a wake.
    #[derive(Debug, Default)]
    pub struct Word {
        word: AtomicU32,
        queue: Mutex<()>,
        sleepers: Condvar,
    }

    impl Word {
        pub fn wait(&self, expected: u32, nap: Option<Duration>) {
            assert!(nap.is_none(), "loom has no time");
            let guard = self.queue.lock().unwrap();
            if self.word.load(Ordering::SeqCst) == expected {
                drop(self.sleepers.wait(guard).unwrap());
            }
        }

        pub fn wake(&self) {
            let _guard = self.queue.lock().unwrap();
            self.sleepers.notify_all();
        }
    }

    impl Deref for Word {
        type Target = AtomicU32;
        fn deref(&self) -> &AtomicU32 {
            &self.word
        }
    }
}
