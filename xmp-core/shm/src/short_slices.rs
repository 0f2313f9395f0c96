//! Short time slices for threads that sleep most of the time and have little to do, but soon.
//!
//! From version 6.12 on, Linux lets a thread with shorter slices run first when it wakes up, even in the middle of a longer slice of
//! another one (some milliseconds). Its share of the cores remains the same. Other kernels ignore the request.

use libc::c_int;

/// The shortest time slice that Linux grants, in nanoseconds.
const SLICE_NANOSECONDS: u64 = 100_000;
/// Processes that the thread starts are scheduled as usual.
const RESET_ON_FORK: u64 = 1;

/// The argument of `sched_getattr` and `sched_setattr` (Linux, `sched/types.h`), of the version that all kernels know.
#[repr(C)]
#[derive(Debug, Default)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
}

/// Asks the system for short slices for the calling thread, if its scheduling policy is one of `policies`. With
/// `resets_on_fork`, processes that it starts do not inherit them. They would not inherit a negative nice value, either, so that a
/// thread with one asks for nothing then.
pub fn request(policies: &[c_int], resets_on_fork: bool) {
    let mut attributes = Attributes::default();
    let size = size_of::<Attributes>();
    // SAFETY: room for the attributes of this size, of the calling thread.
    let known =
        unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) == 0 };
    let is_usual = policies.contains(&(attributes.policy as c_int));
    if !known || !is_usual || resets_on_fork && attributes.nice < 0 {
        return;
    }
    attributes.size = size as u32;
    attributes.flags |= if resets_on_fork { RESET_ON_FORK } else { 0 };
    attributes.runtime = SLICE_NANOSECONDS;
    // SAFETY: attributes that the system has filled in, with another slice. If it refuses, nothing changes.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use rustix::process::getpriority_process;

    /// The policy of this thread, with the flag for processes that it starts.
    fn policy() -> c_int {
        // SAFETY: reads the policy of the calling thread.
        unsafe { libc::sched_getscheduler(0) }
    }

    #[test]
    fn short_slices_change_no_priority() {
        let nice = || getpriority_process(None).unwrap();
        let before = (nice(), policy());
        request(&[], true);
        request(&[libc::SCHED_OTHER], false);
        assert_eq!((nice(), policy()), before);
        // In a thread of its own, because the flag stays.
        let changed = std::thread::spawn(move || {
            request(&[libc::SCHED_OTHER, libc::SCHED_BATCH], true);
            (nice(), policy())
        });
        let (nice, policy) = changed.join().unwrap();
        assert_eq!(nice, before.0);
        assert_eq!(policy & !libc::SCHED_RESET_ON_FORK, before.1);
        assert_eq!(policy & libc::SCHED_RESET_ON_FORK != 0, nice >= 0);
    }
}
