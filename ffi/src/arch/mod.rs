//! The properties of processors that the library needs: the calling convention, as far as Rust cannot express it, and the registers.
//!
//! Each file has the same items for one architecture. The convention of CO_REDUCE's operations is in
//! `gnu/collective/operation`, that of trampolines in `gnu/debug/trampoline`.

#[cfg(not(all(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_os = "linux",
    target_pointer_width = "64"
)))]
compile_error!("the front ends follow the ABIs of compilers on x86-64 and AArch64 Linux");

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
pub(crate) use aarch64::*;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::*;

/// The place at which a signal has interrupted a thread.
#[derive(Clone, Copy, Debug)]
pub struct Interrupted {
    /// The stack pointer.
    pub stack: usize,
    /// The address of the instruction.
    pub instruction: usize,
}
