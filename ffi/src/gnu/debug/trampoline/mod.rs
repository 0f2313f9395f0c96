//! Trampolines: what GCC passes as the address of an internal procedure that uses variables of its host.

#[cfg(any(test, target_arch = "aarch64"))]
mod aarch64;
#[cfg(any(test, target_arch = "x86_64"))]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64::target_of;
use std::ffi::c_void;
#[cfg(target_arch = "x86_64")]
use x86_64::target_of;

/// The address of the procedure's own code.
///
/// # Safety
/// `function` is the address of a function. (The code that is read is as long as it is a trampoline.)
pub unsafe fn target(function: *const c_void) -> usize {
    // SAFETY: byte by byte, and the next one only if those before are of a trampoline, which is longer.
    unsafe { target_of(|at| function.cast::<u8>().add(at).read()) }.unwrap_or(function.addr())
}
