//! Waiting for a word: spin by the clock if there is a core for each process, then yield 16 times,
//! then sleep on a futex.
//!
//! Memory ordering: the writer swaps the value in and looks for sleepers; a sleeper counts itself and
//! looks at the value before it sleeps. All four are sequentially consistent, so at least one of the
//! two sees the other and no wake-up is lost; the futex itself compares the value once more. The swap
//! also releases what was written before to the process that loads the value (acquire). A swap and not a store
//! with a fence: on x86 both are full barriers, but `mfence` costs several times `xchg`.

use std::hint::spin_loop;
use std::ptr;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
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

    /// Sets the value and wakes the processes that sleep. A process that sees the value sees what was written before.
    pub fn set(&self, value: u32) {
        self.value.swap(value, SeqCst);
        if self.sleepers.load(SeqCst) != 0 {
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
    /// For this many processes on this many cores.
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
        word.sleepers.fetch_add(1, SeqCst);
        loop {
            let seen = word.value.load(SeqCst);
            if seen.wrapping_sub(target) < u32::MAX / 2 {
                break;
            }
            futex(&word.value, libc::FUTEX_WAIT, seen);
        }
        // Relaxed: a writer that still counts this sleeper makes a needless call, nothing else.
        word.sleepers.fetch_sub(1, Relaxed);
    }
}

/// Spins until the condition holds (true) or the time is over (false). The clock is not read before
/// the first looks: reading it costs as much as a flag takes to arrive.
fn spin(reached: impl Fn() -> bool) -> bool {
    let mut deadline = None;
    loop {
        for _ in 0..LOOKS {
            if reached() {
                return true;
            }
            spin_loop();
        }
        let now = Instant::now();
        if now >= *deadline.get_or_insert(now + SPIN) {
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
