//! The clock of recordings: the counter of the processor where the system takes its own time from it, for then
//! it counts evenly and alike on all cores; otherwise the monotonic clock.

use std::sync::atomic::{AtomicU8, Ordering};

/// Where ticks come from. Monotonic time is chosen for tools, which get times, before anything else asks.
static SOURCE: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const MONOTONIC: u8 = 1;
const COUNTER: u8 = 2;

/// Time of a clock, in ns.
fn time(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the structure. Both clocks that this module asks exist on every Linux.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Monotonic and real time, in ns.
pub fn times() -> [u64; 2] {
    [time(libc::CLOCK_MONOTONIC), time(libc::CLOCK_REALTIME)]
}

/// Has ticks be ns of the monotonic clock.
pub fn be_monotonic() {
    // Relaxed: it guards no other memory.
    SOURCE.store(MONOTONIC, Ordering::Relaxed);
}

/// Now.
#[inline]
pub fn now() -> u64 {
    // Relaxed: it guards no other memory.
    match SOURCE.load(Ordering::Relaxed) {
        COUNTER => counter(),
        MONOTONIC => time(libc::CLOCK_MONOTONIC),
        _ => first(),
    }
}

#[cold]
fn first() -> u64 {
    let source = if is_trusted() { COUNTER } else { MONOTONIC };
    // Another thread comes to the same result.
    SOURCE.store(source, Ordering::Relaxed);
    now()
}

/// What the system calls the counter as a source of its time.
#[cfg(target_arch = "x86_64")]
const NAME: &str = "tsc";
#[cfg(target_arch = "aarch64")]
const NAME: &str = "arch_sys_counter";

#[cfg(target_arch = "x86_64")]
fn counter() -> u64 {
    // SAFETY: every x86-64 processor has the instruction; that it is allowed says the system's use of it.
    unsafe { std::arch::x86_64::_rdtsc() }
}

/// The virtual counter. It has a constant rate, from 25 MHz on older processors to 1 GHz since Armv8.6.
///
/// The barrier has the processor read it after the branches before. Otherwise it may read it while it still speculates that a wait
/// has ended, so that the wait ends before the post of another image begins, which ended it. The compiler, too, keeps the order.
#[cfg(target_arch = "aarch64")]
fn counter() -> u64 {
    let ticks;
    // SAFETY: reads a register. Linux permits it on machines that have this source of time.
    unsafe {
        std::arch::asm!("isb", "mrs {}, cntvct_el0", out(reg) ticks, options(nostack, preserves_flags));
    }
    ticks
}

/// Whether the system takes its time from the counter.
fn is_trusted() -> bool {
    let source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    std::fs::read_to_string(source).is_ok_and(|source| source.trim() == NAME)
}

/// One moment in ticks and in ns of the monotonic clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// Ticks.
    pub ticks: u64,
    /// Time.
    pub time: u64,
}

impl Pair {
    /// The present moment: the time is in the middle of the shortest of several spans of ticks.
    pub fn take() -> Pair {
        let attempt = || {
            let [before, time, after] = [now(), time(libc::CLOCK_MONOTONIC), now()];
            (
                after.wrapping_sub(before),
                Pair { ticks: before + after.wrapping_sub(before) / 2, time },
            )
        };
        let shortest = (0..4).map(|_| attempt()).min_by_key(|&(span, _)| span);
        shortest.map(|(_, pair)| pair).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_the_present_moment() {
        let [one, other] = [Pair::take(), Pair::take()];
        assert!(one.ticks <= other.ticks && one.time <= other.time);
        assert!(time(libc::CLOCK_MONOTONIC) - other.time < 1_000_000_000);
    }
}
