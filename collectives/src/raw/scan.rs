//! Scans.

use super::begin;
use crate::check::Call;
use crate::host::scan::Operand;
use crate::reduction::Reduction;
use crate::scan::scan_with;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// Combines, element by element, the `count` elements at `buffer` of all images up to this one in the order of the set,
/// and leaves the result in `buffer`. All give the same count and reduction.
///
/// # Errors
/// When an image of the set before this one, or one on its host, has stopped or failed without taking part; others
/// may have returned before. What is at `buffer` is undefined then.
///
/// # Safety
/// `buffer` is valid for reads and writes of `count` elements, which no other image accesses meanwhile.
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn scan(
    image: &Image,
    set: &ImageSet,
    buffer: *mut u8,
    count: usize,
    reduction: &Reduction<'_>,
) -> Result<()> {
    let call = || Call::of("scan").combined(count, reduction);
    let choices = begin(image, set, call)?;
    let operand = Operand { buffer, count, reduction, exclusive: false };
    // SAFETY: `buffer` has `count` elements (contract above).
    unsafe { scan_with(image, set, &operand, &choices) }
}

/// As [`scan`], of all images before this one; the first image of the set keeps its elements.
///
/// # Errors
/// As [`scan`].
///
/// # Safety
/// As [`scan`].
///
/// # Panics
/// As [`scan`].
pub unsafe fn exscan(
    image: &Image,
    set: &ImageSet,
    buffer: *mut u8,
    count: usize,
    reduction: &Reduction<'_>,
) -> Result<()> {
    let call = || Call::of("exscan").combined(count, reduction);
    let choices = begin(image, set, call)?;
    let operand = Operand { buffer, count, reduction, exclusive: true };
    // SAFETY: `buffer` has `count` elements (contract above).
    unsafe { scan_with(image, set, &operand, &choices) }
}
