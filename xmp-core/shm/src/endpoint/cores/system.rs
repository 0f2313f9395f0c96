//! The system calls about the core of this thread, and the moves.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::time::Duration;

/// The number, from 1, of the core on which this thread runs; 0 where the system does not tell. (Asked of the C library: rustix
/// looks in the vDSO, which valgrind does not map.)
pub fn current() -> u32 {
    // SAFETY: has no conditions.
    let core = unsafe { libc::sched_getcpu() };
    (core + 1) as u32
}

/// How often the core ran something else while this thread did not sleep: another thread was to run when it yielded, or its time slice
/// was over.
pub fn involuntary_switches() -> u64 {
    // SAFETY: all zeros are numbers, which the system replaces. It needs no more than room for them.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage);
        usage
    };
    usage.ru_nivcsw as u64
}

/// How long this thread could have run, but its core ran something else. `None` where the system does not tell.
pub fn run_delay() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

/// The cores on which this thread may run; none if it is bound to one, or if the system does not tell.
pub fn permitted() -> Box<[u32]> {
    let Ok(set) = sched_getaffinity(None) else { return Box::default() };
    let cores = (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core));
    let cores: Box<[u32]> = cores.map(|core| core as u32 + 1).collect();
    if cores.len() > 1 { cores } else { Box::default() }
}

/// Moves this thread to a core, from which the system may move it again. Where the system refuses, the thread stays.
pub fn move_to(core: u32) {
    let Ok(permitted) = sched_getaffinity(None) else { return };
    let mut only = CpuSet::new();
    only.set(core as usize - 1);
    if let Err(error) = sched_setaffinity(None, &only) {
        return tracing::debug!(%error, core, "the system does not move this image");
    }
    if let Err(error) = sched_setaffinity(None, &permitted) {
        tracing::warn!(%error, core, "this image stays bound to one core");
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_move_leaves_the_permitted_cores_as_they_were() {
        let cpus = || {
            let set = sched_getaffinity(None).unwrap();
            (0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect::<Vec<_>>()
        };
        let before = cpus();
        for core in permitted() {
            move_to(core);
            assert_eq!(cpus(), before);
        }
    }
}
