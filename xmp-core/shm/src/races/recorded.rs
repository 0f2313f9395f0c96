//! The functions for races of the library that records traces (`ffi/trace`).

use std::ffi::CStr;

/// The symbol of the function, a [`Record`], in the library that records. Programs that are not recorded have none.
pub const SYMBOL: &CStr = c"xmprt_trace_races";

/// Takes the races of the job: a text in the form of `xmp_trace::races`, and its length in bytes.
pub type Record = unsafe extern "C" fn(lines: *const u8, len: usize);
