//! The return addresses on the stack of this thread.

use std::ffi::{c_int, c_void};

/// Return addresses that are looked at: enough for any chain of callers that a reader would want.
const DEPTH: usize = 256;

// The unwinder that the C library's tool chain brings, which Rust's own panics use as well. (Itanium C++ ABI, 1.6)
unsafe extern "C" {
    fn _Unwind_Backtrace(
        trace: extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        argument: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIPInfo(context: *mut c_void, before: *mut c_int) -> usize;
}

/// The addresses of the calls that this thread is in, innermost first. Each is within its call instruction, as
/// debugging information wants it, not after it.
pub fn callers() -> Vec<usize> {
    innermost_callers(DEPTH)
}

/// At most this many addresses of [`callers`], the innermost ones. Inlined, so that it adds no frame of its own.
#[inline(always)]
pub fn innermost_callers(most: usize) -> Vec<usize> {
    let mut addresses = Vec::with_capacity(most);
    walk(|address| {
        if addresses.len() < most {
            addresses.push(address);
        }
        addresses.len() < most
    });
    addresses
}

/// Calls `note` with the addresses of [`callers`] while it returns true. It allocates nothing, so signal handlers may call it.
/// Inlined, so that it adds no frame of its own.
#[inline(always)]
pub fn walk<N: FnMut(usize) -> bool>(mut note: N) {
    // SAFETY: `step` takes the context of the unwinder and the closure, which outlives the call.
    unsafe { _Unwind_Backtrace(step::<N>, (&raw mut note).cast()) };
}

extern "C" fn step<N: FnMut(usize) -> bool>(context: *mut c_void, note: *mut c_void) -> c_int {
    const GO_ON: c_int = 0;
    const STOP: c_int = 5;
    // SAFETY: what `walk` passes, which nothing else uses meanwhile.
    let note = unsafe { &mut *note.cast::<N>() };
    let mut before = 0;
    // SAFETY: the context that the unwinder has just given.
    let address = unsafe { _Unwind_GetIPInfo(context, &mut before) };
    // The frame of a signal handler has the address of the instruction itself.
    if address != 0 && note(if before == 0 { address - 1 } else { address }) { GO_ON } else { STOP }
}
