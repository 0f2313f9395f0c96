//! The launcher among images that use all cores.

/// The shortest time slice that Linux grants, in nanoseconds.
const SLICE_NANOSECONDS: u64 = 100_000;

/// The system call's argument of the version that all kernels know.
#[repr(C)]
#[derive(Default)]
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

/// Processes that this one starts are scheduled as usual.
const RESET_ON_FORK: u64 = 1;

/// Asks the system to give this thread short time slices, and each of them soon after it has become ready: a thread that sleeps most
/// of the time then does not wait until each of hundreds of images has used its slice. Its share of the cores remains the same.
/// Linux does so from 6.12 on; other kernels ignore it.
pub(super) fn ask_for_short_slices() {
    let mut attributes = Attributes::default();
    let size = size_of::<Attributes>();
    // SAFETY: room for the attributes of this size, of the calling thread.
    let known =
        unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) == 0 };
    let is_usual = [libc::SCHED_OTHER, libc::SCHED_BATCH].contains(&(attributes.policy as i32));
    // With the flag, processes do not inherit a negative value.
    if !known || !is_usual || attributes.nice < 0 {
        return;
    }
    attributes.size = size as u32;
    attributes.flags |= RESET_ON_FORK;
    attributes.runtime = SLICE_NANOSECONDS;
    // SAFETY: attributes that the system has filled in, with another slice. If it refuses, nothing changes.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
}
