//! The blocking collectives for Rust programs: safe functions on slices.
//!
//! Elements are [`Pod`]: they have no padding and no pointer, and any bytes are a value. The bytes come from other images,
//! which may pass another type of the same size, and an operation that fails leaves a mixture.

mod parts;

pub use parts::{alltoall, alltoallv, gather, gatherv, scatter, scatterv};

use crate::fast_path;
use crate::parts::check_room;
use crate::raw;
use crate::reduction::{Located, Number, Op, Reduction};
use crate::values::{check_located, number_of, on_elements};
use bytemuck::Pod;
use xmp_core::counted::counted;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// Broadcasts the `data` of the image at the 0-based position `root` to all images of the set.
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
pub fn broadcast<T: Pod>(image: &Image, set: &ImageSet, root: usize, data: &mut [T]) -> Result<()> {
    // SAFETY: plain data that this call borrows exclusively.
    unsafe { raw::broadcast(image, set, root, data.as_mut_ptr().cast(), size_of_val(data)) }
}

/// Combines the `data` of all images, element by element; all images get the result, with the same bits.
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
pub fn allreduce<T: Number>(image: &Image, set: &ImageSet, data: &mut [T], op: Op) -> Result<()> {
    let (start, count) = (data.as_mut_ptr(), data.len());
    // SAFETY: numbers that this call borrows exclusively.
    unsafe {
        if let Some(outcome) = fast_path::allreduce(image, set, start, count, op) {
            return Ok(outcome?);
        }
        let reduction = Reduction::number::<T>(op);
        raw::allreduce(image, set, start.cast(), count, &reduction)
    }
}

/// Combines the `data` of all images, element by element, on the image at the 0-based position `root`. The `data` of the
/// others is undefined afterwards.
pub fn reduce<T: Number>(
    image: &Image,
    set: &ImageSet,
    root: usize,
    data: &mut [T],
    op: Op,
) -> Result<()> {
    let (start, count) = (data.as_mut_ptr(), data.len());
    // SAFETY: numbers that this call borrows exclusively.
    unsafe {
        if let Some(outcome) = fast_path::reduce(image, set, Some(root), start, count, op) {
            return Ok(outcome?);
        }
        let reduction = Reduction::number::<T>(op);
        raw::reduce(image, set, root, start.cast(), count, &reduction)
    }
}

/// Combines the `data` of all images, element by element, by an associative `operation`; all get the result. The
/// operation need not be commutative: the images of each host are combined in the order of the set, and the hosts in the
/// order in which the set first names them. All images give the same function or closure of the source.
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
pub fn allreduce_by<T: Pod>(
    image: &Image,
    set: &ImageSet,
    data: &mut [T],
    operation: impl Fn(T, T) -> T,
) -> Result<()> {
    let procedure = number_of(image, &operation);
    let combine = on_elements(operation);
    let reduction = Reduction::user(size_of::<T>(), &combine).by_procedure(procedure);
    // SAFETY: plain data that this call borrows exclusively.
    unsafe { raw::allreduce(image, set, data.as_mut_ptr().cast(), data.len(), &reduction) }
}

/// Gathers the elements `mine` of all images in `all` of every image, in the order of the set. All images give the same
/// number of elements.
///
/// # Errors
/// Those of [`raw::allgather`]; when `all` is not as long as all contributions together.
pub fn allgather<T: Pod>(image: &Image, set: &ImageSet, mine: &[T], all: &mut [T]) -> Result<()> {
    check_room("allgather", all.len(), mine.len(), set.len())?;
    let (mine, len) = (mine.as_ptr().cast(), size_of_val(mine));
    // SAFETY: plain data that this call borrows, of the right length.
    unsafe { raw::allgather(image, set, mine, all.as_mut_ptr().cast(), len) }
}

/// An [`allgather`] in place: `all` has a part of the same length for each image, and the part of this image is at its place.
///
/// # Errors
/// The errors of [`allgather`]; when the number of elements is no multiple of the number of images.
pub fn allgather_in_place<T: Pod>(image: &Image, set: &ImageSet, all: &mut [T]) -> Result<()> {
    let (elements, images) = (all.len(), set.len());
    if !elements.is_multiple_of(images) {
        return Err(Error::Invalid(format!(
            "allgather in place: {} cannot be divided equally among {}",
            counted(elements, "element"),
            counted(images, "image")
        )));
    }
    let (len, position) = (size_of_val(all) / images, set.position().expect("a member of the set"));
    let start = all.as_mut_ptr().cast::<u8>();
    // SAFETY: plain data that this call borrows, with the part of this image.
    unsafe { raw::allgather(image, set, start.wrapping_add(position * len), start, len) }
}

/// As [`allgather`], with parts of these lengths, in elements, one after the other in `all`.
///
/// # Errors
/// The errors of [`allgather`]; when there is not one length for each image, or the slices have other lengths.
pub fn allgatherv<T: Pod>(
    image: &Image,
    set: &ImageSet,
    mine: &[T],
    all: &mut [T],
    lens: &[usize],
) -> Result<()> {
    let own = set.position().and_then(|position| lens.get(position)).copied();
    let total = lens.iter().fold(0_usize, |total, &len| total.saturating_add(len));
    if lens.len() != set.len() || own != Some(mine.len()) || total != all.len() {
        return Err(Error::Invalid(format!(
            "allgatherv: {} for {}, which have {} together; this image gives {}, and there is room for {}",
            counted(lens.len(), "length"),
            counted(set.len(), "image"),
            counted(total, "element"),
            mine.len(),
            all.len()
        )));
    }
    let lens: Vec<usize> = lens.iter().map(|len| len * size_of::<T>()).collect();
    // SAFETY: plain data that this call borrows, of the right lengths.
    unsafe { raw::allgather_lens(image, set, mine.as_ptr().cast(), all.as_mut_ptr().cast(), &lens) }
}

/// Combines the vectors `all` of all images, element by element: they have a part for each image, in the order of the set, and each
/// image gets its part of the result in `mine`. All images give the same number of elements.
///
/// ```
/// use xmp_collectives::Op;
/// use xmp_core::transport::threads;
/// let results = threads::run(3, 1, |image| {
///     let (all, mut mine) = ([1, 10, 100], [0]);
///     xmp_collectives::reduce_scatter(image, &image.executing(), &all, &mut mine, Op::Sum)?;
///     Ok::<_, xmp_core::Error>(mine[0])
/// })?;
/// assert_eq!(results, [Ok(3), Ok(30), Ok(300)]);
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Errors
/// Those of [`raw::reduce_scatter`]; when `all` is not as long as all parts together.
pub fn reduce_scatter<T: Number>(
    image: &Image,
    set: &ImageSet,
    all: &[T],
    mine: &mut [T],
    op: Op,
) -> Result<()> {
    check_room("reduce_scatter", all.len(), mine.len(), set.len())?;
    let (reduction, count) = (Reduction::number::<T>(op), mine.len());
    let (all, mine) = (all.as_ptr().cast(), mine.as_mut_ptr().cast());
    // SAFETY: numbers that this call borrows, of the right length.
    unsafe { raw::reduce_scatter(image, set, all, mine, count, &reduction) }
}

/// Finds the least (or the greatest) of the `values` of all images, element by element, and the location that its image has given. Of
/// several locations the least one counts. All images get the results, or the one at the 0-based position `root`.
///
/// ```
/// use xmp_collectives::Located;
/// use xmp_core::transport::threads;
/// let results = threads::run(4, 1, |image| {
///     let me = image.rank().get();
///     let (mut values, mut locations) = ([(me as f64 - 1.5).abs()], [i64::from(me)]);
///     let (set, least) = (image.executing(), Located::least::<f64>());
///     xmp_collectives::locate(image, &set, &mut values, &mut locations, least, None)?;
///     Ok::<_, xmp_core::Error>((values[0], locations[0]))
/// })?;
/// assert!(results.into_iter().all(|least| least == Ok((0.5, 1))));
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Errors
/// Those of [`raw::locate`]; when the slices have different lengths, or `located` is of another type.
pub fn locate<T: Number>(
    image: &Image,
    set: &ImageSet,
    values: &mut [T],
    locations: &mut [i64],
    located: Located,
    root: Option<usize>,
) -> Result<()> {
    let count = check_located(values, locations, located)?;
    let (values, locations) = (values.as_mut_ptr().cast(), locations.as_mut_ptr());
    // SAFETY: numbers that this call borrows exclusively, as many of each.
    unsafe { raw::locate(image, set, values, locations, count, located, root) }
}

/// Combines the `data` of all images up to this one, in the order of the set, element by element.
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
pub fn scan<T: Number>(image: &Image, set: &ImageSet, data: &mut [T], op: Op) -> Result<()> {
    let reduction = Reduction::number::<T>(op);
    // SAFETY: numbers that this call borrows exclusively.
    unsafe { raw::scan(image, set, data.as_mut_ptr().cast(), data.len(), &reduction) }
}

/// Combines the `data` of all images before this one, in the order of the set, element by element. The first image of
/// the set keeps its `data`.
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
pub fn exscan<T: Number>(image: &Image, set: &ImageSet, data: &mut [T], op: Op) -> Result<()> {
    let reduction = Reduction::number::<T>(op);
    // SAFETY: numbers that this call borrows exclusively.
    unsafe { raw::exscan(image, set, data.as_mut_ptr().cast(), data.len(), &reduction) }
}

/// Combines the `data` of all images up to this one, in the order of the set, by an associative `operation`. It need not
/// be commutative: its left operand always comes from images before those of the right one.
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
pub fn scan_by<T: Pod>(
    image: &Image,
    set: &ImageSet,
    data: &mut [T],
    operation: impl Fn(T, T) -> T,
) -> Result<()> {
    let procedure = number_of(image, &operation);
    let combine = on_elements(operation);
    let reduction = Reduction::user(size_of::<T>(), &combine).by_procedure(procedure);
    // SAFETY: plain data that this call borrows exclusively.
    unsafe { raw::scan(image, set, data.as_mut_ptr().cast(), data.len(), &reduction) }
}

/// Combines the `data` of all images before this one, in the order of the set, by an associative `operation`. The first
/// image of the set keeps its `data`.
pub fn exscan_by<T: Pod>(
    image: &Image,
    set: &ImageSet,
    data: &mut [T],
    operation: impl Fn(T, T) -> T,
) -> Result<()> {
    let procedure = number_of(image, &operation);
    let combine = on_elements(operation);
    let reduction = Reduction::user(size_of::<T>(), &combine).by_procedure(procedure);
    // SAFETY: plain data that this call borrows exclusively.
    unsafe { raw::exscan(image, set, data.as_mut_ptr().cast(), data.len(), &reduction) }
}
