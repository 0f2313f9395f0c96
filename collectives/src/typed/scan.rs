//! Scans for Rust programs.

use super::{Plain, on_elements};
use crate::raw;
use crate::reduction::{Number, Op, Reduction};
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// Combines the `data` of all images up to this one in the order of the set, element by element.
///
/// ```
/// use xmp_collectives::Op;
/// use xmp_core::transport::threads;
/// let results = threads::run(4, 1, |image| {
///     let mut data = [f64::from(image.rank().image())];
///     xmp_collectives::scan(image, &image.executing(), &mut data, Op::Sum)?;
///     Ok::<_, xmp_core::Error>(data)
/// })?;
/// assert_eq!(results, [Ok([1.0]), Ok([3.0]), Ok([6.0]), Ok([10.0])]);
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Errors
/// As [`raw::scan`].
pub fn scan<T: Number>(image: &Image, set: &ImageSet, data: &mut [T], op: Op) -> Result<()> {
    let reduction = Reduction::number::<T>(op);
    // SAFETY: exclusive; numbers.
    unsafe { raw::scan(image, set, data.as_mut_ptr().cast(), data.len(), &reduction) }
}

/// As [`scan`], of all images before this one: the first image of the set keeps its `data`.
///
/// ```
/// use xmp_collectives::Op;
/// use xmp_core::transport::threads;
/// // Where each image's elements begin in what all have together.
/// let results = threads::run(3, 1, |image| {
///     let mut offset = [10 * image.rank().image()];
///     xmp_collectives::exscan(image, &image.executing(), &mut offset, Op::Sum)?;
///     Ok::<_, xmp_core::Error>(if image.rank().get() == 0 { 0 } else { offset[0] })
/// })?;
/// assert_eq!(results, [Ok(0), Ok(10), Ok(30)]);
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Errors
/// As [`raw::exscan`].
pub fn exscan<T: Number>(image: &Image, set: &ImageSet, data: &mut [T], op: Op) -> Result<()> {
    let reduction = Reduction::number::<T>(op);
    // SAFETY: exclusive; numbers.
    unsafe { raw::exscan(image, set, data.as_mut_ptr().cast(), data.len(), &reduction) }
}

/// As [`scan`] with an associative `operation`, which need not be commutative: its left operand is always of images
/// before those of its right one.
///
/// ```
/// use xmp_core::transport::threads;
/// // Maps x -> a x + b, one after the other.
/// let results = threads::run(3, 1, |image| {
///     let mut map = [[2i64, i64::from(image.rank().get())]];
///     xmp_collectives::scan_by(image, &image.executing(), &mut map, |first, then| {
///         [then[0] * first[0], then[0] * first[1] + then[1]]
///     })?;
///     Ok::<_, xmp_core::Error>(map[0])
/// })?;
/// assert_eq!(results, [Ok([2, 0]), Ok([4, 1]), Ok([8, 4])]);
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Errors
/// As [`raw::scan`].
pub fn scan_by<T: Plain>(
    image: &Image,
    set: &ImageSet,
    data: &mut [T],
    operation: impl Fn(T, T) -> T,
) -> Result<()> {
    let combine = on_elements(operation);
    let reduction = Reduction::user(size_of::<T>(), &combine);
    // SAFETY: exclusive; plain data.
    unsafe { raw::scan(image, set, data.as_mut_ptr().cast(), data.len(), &reduction) }
}

/// As [`scan_by`], of all images before this one: the first image of the set keeps its `data`.
///
/// # Errors
/// As [`raw::exscan`].
pub fn exscan_by<T: Plain>(
    image: &Image,
    set: &ImageSet,
    data: &mut [T],
    operation: impl Fn(T, T) -> T,
) -> Result<()> {
    let combine = on_elements(operation);
    let reduction = Reduction::user(size_of::<T>(), &combine);
    // SAFETY: exclusive; plain data.
    unsafe { raw::exscan(image, set, data.as_mut_ptr().cast(), data.len(), &reduction) }
}
