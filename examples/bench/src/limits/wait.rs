//! Waiting for a word: spin by the clock if there is a core for each process, then yield 16 times,
//! then sleep on a futex.
//!
//! Memory ordering: the writer stores the value (release), fences, and looks for sleepers; a sleeper
//! counts itself, fences, and looks at the value (acquire) before it sleeps. With both fences
//! sequentially consistent at least one of the two sees the other, so no wake-up is lost; the futex
//! itself compares the value once more.

use std::hint::spin_loop;
use std::ptr;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicU32, fence};
use std::time::{Duration, Instant};

/// How long to spin with a core each: a few times the longest wake-up by a flag.
const SPIN: Duration = Duration::from_micros(8);
/// Looks at the word between two looks at the clock.
const LOOKS: u32 = 32;
/// Yields before sleeping.
const YIELDS: u32 = 16;

/// A word that processes wait for, on a cache line of its own.
#[repr(C, align(64))]
pub struct WaitWord {
    value: AtomicU32,
    sleepers: AtomicU32,
}

impl WaitWord {
    /// The value as it is.
    pub fn load(&self) -> u32 {
        self.value.load(Acquire)
    }

    /// Sets the value and wakes whoever sleeps. What was written before is seen by who sees it.
    pub fn set(&self, value: u32) {
        self.value.store(value, Release);
        fence(SeqCst);
        if self.sleepers.load(Relaxed) != 0 {
            futex(&self.value, libc::FUTEX_WAKE, i32::MAX.cast_unsigned());
        }
    }
}

/// How a process waits.
#[derive(Clone, Copy)]
pub struct Policy {
    spins: bool,
}

impl Policy {
    /// For so many processes on so many cores.
    pub fn new(images: usize, cores: usize) -> Self {
        Self { spins: images <= cores }
    }

    /// Whether there is a core for each process.
    pub fn core_each(self) -> bool {
        self.spins
    }

    /// Returns when the word has reached `target`, counting on from it modulo 2^32.
    pub fn wait(self, word: &WaitWord, target: u32) {
        let reached = || word.load().wrapping_sub(target) < u32::MAX / 2;
        if reached() || self.spins && spin(reached) {
            return;
        }
        for _ in 0..YIELDS {
            // SAFETY: sched_yield takes nothing and cannot fail on Linux.
            unsafe { libc::sched_yield() };
            if reached() {
                return;
            }
        }
        word.sleepers.fetch_add(1, Relaxed);
        fence(SeqCst);
        loop {
            let seen = word.load();
            if seen.wrapping_sub(target) < u32::MAX / 2 {
                break;
            }
            futex(&word.value, libc::FUTEX_WAIT, seen);
        }
        word.sleepers.fetch_sub(1, Relaxed);
    }
}

/// Spins until the condition holds (true) or the time is over (false).
fn spin(reached: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + SPIN;
    loop {
        for _ in 0..LOOKS {
            if reached() {
                return true;
            }
            spin_loop();
        }
        if Instant::now() >= deadline {
            return false;
        }
    }
}

/// FUTEX_WAIT for a value or FUTEX_WAKE of a number. Waking for no reason, signals and a value that
/// has changed already are all the same to the callers: they look again.
fn futex(word: &AtomicU32, operation: libc::c_int, argument: u32) {
    // SAFETY: the word is a live, aligned 32-bit atomic; without a timeout nothing else is read.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            operation,
            argument,
            ptr::null::<libc::timespec>(),
        )
    };
}
