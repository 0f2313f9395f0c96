//! Non-blocking scans for Rust programs: safe, on vectors that they own.

use super::handle::Handle;
use super::program::Combine;
use super::raw::begin_scan;
use crate::reduction::{Number, Op, Reduction};
use crate::typed::{Plain, on_elements};
use xmp_core::Image;
use xmp_core::image_set::ImageSet;

/// Combines the `data` of all images up to this one in the order of the set, element by element: the bits of the blocking
/// [`fn@crate::scan`].
///
/// ```
/// use xmp_collectives::{Op, nonblocking};
/// use xmp_core::transport::threads;
/// let results = threads::run(3, 1, |image| {
///     let (set, mine) = (image.executing(), vec![image.rank().image()]);
///     let upto = nonblocking::scan(image, &set, mine.clone(), Op::Sum);
///     let before = nonblocking::exscan(image, &set, mine, Op::Sum);
///     Ok::<_, xmp_core::Error>((before.wait()?[0], upto.wait()?[0]))
/// })?;
/// assert_eq!(results, [Ok((1, 1)), Ok((1, 3)), Ok((3, 6))]);
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Panics
/// When this image is not in the set.
pub fn scan<'i, T: Number>(
    image: &'i Image,
    set: &ImageSet,
    data: Vec<T>,
    op: Op,
) -> Handle<'i, Vec<T>> {
    on_vector(image, set, data, Combine::By(Reduction::number::<T>(op)), false)
}

/// As [`scan`], of all images before this one: the first image of the set keeps its `data`.
///
/// # Panics
/// When this image is not in the set.
pub fn exscan<'i, T: Number>(
    image: &'i Image,
    set: &ImageSet,
    data: Vec<T>,
    op: Op,
) -> Handle<'i, Vec<T>> {
    on_vector(image, set, data, Combine::By(Reduction::number::<T>(op)), true)
}

/// As [`scan`] with an associative `operation`, which need not be commutative; it is called as that of
/// [`super::allreduce_by`].
///
/// # Panics
/// When this image is not in the set.
pub fn scan_by<'i, T: Plain>(
    image: &'i Image,
    set: &ImageSet,
    data: Vec<T>,
    operation: impl Fn(T, T) -> T + 'static,
) -> Handle<'i, Vec<T>> {
    let combine = Combine::User(size_of::<T>(), Box::new(on_elements(operation)));
    on_vector(image, set, data, combine, false)
}

/// As [`scan_by`], of all images before this one: the first image of the set keeps its `data`.
///
/// # Panics
/// When this image is not in the set.
pub fn exscan_by<'i, T: Plain>(
    image: &'i Image,
    set: &ImageSet,
    data: Vec<T>,
    operation: impl Fn(T, T) -> T + 'static,
) -> Handle<'i, Vec<T>> {
    let combine = Combine::User(size_of::<T>(), Box::new(on_elements(operation)));
    on_vector(image, set, data, combine, true)
}

fn on_vector<'i, T: Plain>(
    image: &'i Image,
    set: &ImageSet,
    mut data: Vec<T>,
    combine: Combine,
    exclusive: bool,
) -> Handle<'i, Vec<T>> {
    let (start, count) = (data.as_mut_ptr().cast(), data.len());
    // SAFETY: `data` is plain, goes to the operation, and is not touched there before its end.
    unsafe { begin_scan(image, set, start, count, combine, exclusive, move || data) }
}
