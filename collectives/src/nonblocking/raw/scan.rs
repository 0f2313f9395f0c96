//! Scans of memory that the caller keeps.

use super::{begin, steps_for};
use crate::nonblocking::handle::Handle;
use crate::nonblocking::program::{Combine, Memory, Program};
use crate::nonblocking::steps;
use xmp_core::Image;
use xmp_core::image_set::ImageSet;

/// As [`crate::nonblocking::scan`], of `count` elements at `buffer`.
///
/// # Safety
/// As [`super::allreduce`].
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn scan<'i>(
    image: &'i Image,
    set: &ImageSet,
    buffer: *mut u8,
    count: usize,
    combine: Combine,
) -> Handle<'i, ()> {
    // SAFETY: the caller's guarantee.
    unsafe { begin_scan(image, set, buffer, count, combine, false, || ()) }
}

/// As [`crate::nonblocking::exscan`], of `count` elements at `buffer`.
///
/// # Safety
/// As [`super::allreduce`].
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn exscan<'i>(
    image: &'i Image,
    set: &ImageSet,
    buffer: *mut u8,
    count: usize,
    combine: Combine,
) -> Handle<'i, ()> {
    // SAFETY: the caller's guarantee.
    unsafe { begin_scan(image, set, buffer, count, combine, true, || ()) }
}

/// Begins a scan of `count` elements at an address.
///
/// # Safety
/// As [`begin`]: the elements are as the module says, or owned by `finish`.
pub(in crate::nonblocking) unsafe fn begin_scan<'i, T: 'static>(
    image: &'i Image,
    set: &ImageSet,
    buffer: *mut u8,
    count: usize,
    combine: Combine,
    exclusive: bool,
    finish: impl FnOnce() -> T + 'static,
) -> Handle<'i, T> {
    let element = combine.element();
    let len = count * element;
    let steps = steps_for(len, || steps::scan(image, set, exclusive));
    let mut work = vec![0u128; steps::WORK_BLOCKS * Memory::work_block(len, element) / 16];
    let memory = Memory::VectorAndWork(buffer, len, work.as_mut_ptr().cast());
    let program = Program { steps, memory, combine: Some(combine) };
    // SAFETY: the caller's guarantee; the work blocks go to the operation, and are not touched there before its end.
    unsafe {
        begin(image, set, program, move || {
            drop(work);
            finish()
        })
    }
}
