//! The number of this thread.

/// The number of this thread, unique in the process among the threads that exist. It is not 0.
///
/// On x86-64 it is the thread pointer, as of `pthread_self`, without a call: the ABI has its value in the word that it
/// points to, at `fs:0` (ELF Handling for Thread-Local Storage, 3.4.2 and 3.4.6).
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
#[inline(always)]
pub(super) fn this_thread() -> u64 {
    let pointer: u64;
    // SAFETY: reads a word that each thread has; it never changes.
    unsafe {
        std::arch::asm!("mov {}, fs:0", out(reg) pointer, options(pure, readonly, nostack, preserves_flags));
    }
    pointer
}

/// The number of this thread, unique in the process among the threads that exist: the thread pointer, which AArch64 has in
/// a register. It is not 0.
#[cfg(all(target_arch = "aarch64", target_os = "linux", not(miri)))]
#[inline(always)]
pub(super) fn this_thread() -> u64 {
    let pointer: u64;
    // SAFETY: reads a register that never changes while the thread exists.
    unsafe {
        std::arch::asm!("mrs {}, tpidr_el0", out(reg) pointer, options(pure, nomem, nostack, preserves_flags));
    }
    pointer
}

/// The number of this thread, unique in the process among the threads that exist. It is not 0.
#[cfg(any(miri, not(target_os = "linux")))]
#[inline(always)]
pub(super) fn this_thread() -> u64 {
    // SAFETY: has no preconditions.
    unsafe { libc::pthread_self() as u64 }
}
