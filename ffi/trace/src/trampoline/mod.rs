//! The way of a call through this library: all entries lead to [`through`], which keeps the arguments, has
//! [`observe`](crate::observe) look at them, and calls the function of `libxmprt.so` with the same arguments.
//!
//! The entries have integer arguments only, so no floating-point register is kept for them; functions that get a value
//! return it in one. Arguments on the stack are copied, as many as the longest list of any entry; what is after a shorter list is copied, too, and is not
//! looked at. The frame has call frame information, so messages about errors find the statement of the program after
//! it.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use crate::call::Call;
#[cfg(target_arch = "aarch64")]
pub(crate) use aarch64::{pass_on, through};
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{pass_on, through};

/// Bytes of arguments on the stack that are passed on: 16 words, of `_gfortran_caf_transfer_between_remotes`.
const STACK: usize = 8 * 16;
/// The frame: arguments on the stack, and the call above them. The frame pointer beside it keeps the alignment.
const FRAME: usize = (STACK + size_of::<Call>()).next_multiple_of(16);
