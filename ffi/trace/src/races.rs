//! The races of the job, which `libxmprt.so` hands over at the end (`xmp_core::races::recorded`).

use crate::recorder;
use std::slice;
use xmp_core::races::recorded::Record;

/// Keeps the races for the timeline and the report.
///
/// # Safety
/// There are this many bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn xmprt_trace_races(lines: *const u8, len: usize) {
    // SAFETY: as the caller says.
    recorder::keep_races(unsafe { slice::from_raw_parts(lines, len) });
}

/// The type that the caller takes it for.
const _: Record = xmprt_trace_races;
