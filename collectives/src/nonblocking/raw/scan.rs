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
pub unsafe fn scan<'i>(
    image: &'i Image,
    set: &ImageSet,
    buffer: *mut u8,
    count: usize,
    combine: Combine,
) -> Handle<'i, ()> {
    // SAFETY: `buffer` stays valid (contract above).
    unsafe { begin_scan(image, set, buffer, count, combine, false) }
}

/// As [`crate::nonblocking::exscan`], of `count` elements at `buffer`.
///
/// # Safety
/// As [`super::allreduce`].
pub unsafe fn exscan<'i>(
    image: &'i Image,
    set: &ImageSet,
    buffer: *mut u8,
    count: usize,
    combine: Combine,
) -> Handle<'i, ()> {
    // SAFETY: `buffer` stays valid (contract above).
    unsafe { begin_scan(image, set, buffer, count, combine, true) }
}

/// Begins a scan of `count` elements at an address.
///
/// # Safety
/// `buffer` is valid for the elements, as long as the module says.
unsafe fn begin_scan<'i>(
    image: &'i Image,
    set: &ImageSet,
    buffer: *mut u8,
    count: usize,
    combine: Combine,
    exclusive: bool,
) -> Handle<'i, ()> {
    let element = combine.element();
    let len = count * element;
    let steps = steps_for(len, || steps::scan(image, set, exclusive));
    let mut work = vec![0u128; steps::WORK_BLOCKS * Memory::work_block(len, element) / 16];
    let memory = Memory::VectorAndWork(buffer, len, work.as_mut_ptr().cast());
    let program = Program { steps, memory, combine: Some(combine) };
    // SAFETY: `buffer` stays valid (contract above); the operation owns the work blocks to its end.
    unsafe { begin(image, set, program, move || drop(work)) }
}
