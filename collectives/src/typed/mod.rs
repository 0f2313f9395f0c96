//! The collectives for Rust programs: safe, on slices.

mod parts;
mod scan;

pub use parts::{alltoall, alltoallv, gather, gatherv, scatter, scatterv};
pub use scan::{exscan, exscan_by, scan, scan_by};

use crate::fast_path;
use crate::parts::check_room;
use crate::raw;
use crate::reduction::{Number, Op, Reduction};
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// A type whose values other images can use as they are: any bytes that came from a value are one, and there is no
/// pointer in it.
///
/// # Safety
/// Implementors promise the above, and that there is no padding.
pub unsafe trait Plain: Copy + Send + 'static {}

// SAFETY: numbers have no padding and any bit pattern is valid.
unsafe impl<T: Number> Plain for T {}
// SAFETY: nothing but its elements.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// All images of the set get the `data` of the one at the 0-based position `root`.
///
/// ```
/// use xmp_core::transport::threads;
/// let results = threads::run(3, 1, |image| {
///     let mut data = [image.rank().get(); 4];
///     xmp_collectives::broadcast(image, &image.executing(), 2, &mut data)?;
///     Ok::<_, xmp_core::Error>(data)
/// })?;
/// assert!(results.into_iter().all(|data| data == Ok([2; 4])));
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Errors
/// As [`raw::broadcast`].
pub fn broadcast<T: Plain>(
    image: &Image,
    set: &ImageSet,
    root: usize,
    data: &mut [T],
) -> Result<()> {
    // SAFETY: exclusive; plain data.
    unsafe { raw::broadcast(image, set, root, data.as_mut_ptr().cast(), size_of_val(data)) }
}

/// Combines the `data` of all images, element by element; all get the result, the same bits everywhere.
///
/// ```
/// use xmp_collectives::Op;
/// use xmp_core::transport::threads;
/// let results = threads::run(4, 1, |image| {
///     let mut data = [1.0, f64::from(image.rank().get())];
///     xmp_collectives::allreduce(image, &image.executing(), &mut data, Op::Sum)?;
///     Ok::<_, xmp_core::Error>(data)
/// })?;
/// assert!(results.into_iter().all(|data| data == Ok([4.0, 6.0])));
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Errors
/// As [`raw::allreduce`].
pub fn allreduce<T: Number>(image: &Image, set: &ImageSet, data: &mut [T], op: Op) -> Result<()> {
    let (start, count) = (data.as_mut_ptr(), data.len());
    // SAFETY: exclusive; numbers.
    unsafe {
        fast_path::allreduce(image, set, start, count, op).unwrap_or_else(|| {
            let reduction = Reduction::number::<T>(op);
            raw::allreduce(image, set, start.cast(), count, &reduction)
        })
    }
}

/// As [`allreduce`]; only the image at the 0-based position `root` gets the result, and the `data` of the others
/// may be anything afterwards.
///
/// # Errors
/// As [`raw::reduce`].
pub fn reduce<T: Number>(
    image: &Image,
    set: &ImageSet,
    root: usize,
    data: &mut [T],
    op: Op,
) -> Result<()> {
    let reduction = Reduction::number::<T>(op);
    // SAFETY: exclusive; numbers.
    unsafe { raw::reduce(image, set, root, data.as_mut_ptr().cast(), data.len(), &reduction) }
}

/// As [`allreduce`] with an associative `operation`, which need not be commutative: images are combined in their
/// order on each host, and hosts in the order in which the set first names them.
///
/// ```
/// use xmp_core::transport::threads;
/// let results = threads::run(3, 1, |image| {
///     let mut data = [u64::from(image.rank().get()) + 2];
///     xmp_collectives::allreduce_by(image, &image.executing(), &mut data, |a, b| a * b)?;
///     Ok::<_, xmp_core::Error>(data)
/// })?;
/// assert!(results.into_iter().all(|data| data == Ok([2 * 3 * 4])));
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Errors
/// As [`raw::allreduce`].
pub fn allreduce_by<T: Plain>(
    image: &Image,
    set: &ImageSet,
    data: &mut [T],
    operation: impl Fn(T, T) -> T,
) -> Result<()> {
    let combine = on_elements(operation);
    let reduction = Reduction::user(size_of::<T>(), &combine);
    // SAFETY: exclusive; plain data.
    unsafe { raw::allreduce(image, set, data.as_mut_ptr().cast(), data.len(), &reduction) }
}

/// An operation on values as one on elements ([`crate::reduction::UserFn`]).
pub(crate) fn on_elements<'a, T: Plain>(
    operation: impl Fn(T, T) -> T + 'a,
) -> impl Fn(*mut u8, *const u8) + 'a {
    // SAFETY: called with pointers to elements; `T` may want more alignment than they have.
    move |acc, x| unsafe {
        let acc = acc.cast::<T>();
        acc.write_unaligned(operation(acc.read_unaligned(), x.cast::<T>().read_unaligned()));
    }
}

/// Gathers `mine` of all images, in the order of the set; all give the same number of elements.
///
/// # Errors
/// As [`raw::allgather`]; when `all` is not as long as all contributions together.
pub fn allgather<T: Plain>(image: &Image, set: &ImageSet, mine: &[T], all: &mut [T]) -> Result<()> {
    check_room("allgather", all.len(), mine.len(), set.len())?;
    let (mine, len) = (mine.as_ptr().cast(), size_of_val(mine));
    // SAFETY: exclusive, of the right length; plain data.
    unsafe { raw::allgather(image, set, mine, all.as_mut_ptr().cast(), len) }
}
