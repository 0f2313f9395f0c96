//! Gather, scatter and alltoall for Rust programs.

use crate::part_buffers::{AlltoallBuffers, GatherBuffers, ScatterBuffers};
use crate::parts::{Parts, Table, check_room};
use crate::raw;
use bytemuck::Pod;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// Gathers the elements `mine` of all images in `all` of the image at the 0-based position `root`, in the order of the
/// set. All images give the same number of elements. Only the root uses `all`; the others give an empty slice.
///
/// ```
/// use xmp_core::transport::threads;
/// let results = threads::run(3, 1, |image| {
///     let me = image.rank().get();
///     let mut all = vec![0; if me == 1 { 6 } else { 0 }];
///     xmp_collectives::gather(image, &image.executing(), 1, &[me, 10 * me], &mut all)?;
///     Ok::<_, xmp_core::Error>(all)
/// })?;
/// assert_eq!(results[1], Ok(vec![0, 0, 1, 10, 2, 20]));
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Errors
/// Those of [`raw::gather`]. On the root, when `all` is not as long as all parts together.
pub fn gather<T: Pod>(
    image: &Image,
    set: &ImageSet,
    root: usize,
    mine: &[T],
    all: &mut [T],
) -> Result<()> {
    if set.position() == Some(root) {
        check_room("gather", all.len(), mine.len(), set.len())?;
    }
    let (mine, len) = (mine.as_ptr().cast(), size_of_val(mine));
    // SAFETY: plain data that this call borrows, of the right length.
    unsafe { raw::gather(image, set, root, mine, all.as_mut_ptr().cast(), len) }
}

/// Gathers the elements `mine` of all images, which may give different numbers of them, on the image at the 0-based
/// position `root`. Only the root uses `all` and `parts`: `parts` says how many elements it expects of each image and
/// where in `all` they go.
///
/// ```
/// use xmp_collectives::Parts;
/// use xmp_core::transport::threads;
/// let results = threads::run(3, 1, |image| {
///     let me = image.rank().get();
///     let mine = vec![me; me as usize];
///     // Image i gives i elements; the root wants the last image's first.
///     let parts = Parts::Given { lens: &[0, 1, 2], offsets: &[3, 2, 0] };
///     let mut all = [0; 3];
///     xmp_collectives::gatherv(image, &image.executing(), 0, &mine, &mut all, parts)?;
///     Ok::<_, xmp_core::Error>(all)
/// })?;
/// assert_eq!(results[0], Ok([2, 2, 1]));
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Errors
/// Those of [`raw::gatherv`]. On the root, when the parts are not within `all`.
pub fn gatherv<T: Pod>(
    image: &Image,
    set: &ImageSet,
    root: usize,
    mine: &[T],
    all: &mut [T],
    parts: Parts<'_>,
) -> Result<()> {
    let mut target = Table::default();
    if set.position() == Some(root) {
        parts.check("gatherv", set.len(), all.len())?;
        target = parts.in_bytes(size_of::<T>(), set.len());
    }
    let (mine, len) = (mine.as_ptr().cast(), size_of_val(mine));
    let all = all.as_mut_ptr().cast();
    // SAFETY: plain data that this call borrows; the parts are within `all`.
    let buffers = unsafe { GatherBuffers::new(mine, len, all, target.parts()) };
    raw::gatherv(image, set, root, &buffers)
}

/// Scatters the elements `all` of the image at the 0-based position `root`: each image gets as many of them as `mine`
/// has, in the order of the set. All images get the same number of elements. Only the root uses `all`; the others give an
/// empty slice.
///
/// ```
/// use xmp_core::transport::threads;
/// let results = threads::run(3, 1, |image| {
///     let all = [1, 2, 3, 4, 5, 6];
///     let all = if image.rank().get() == 2 { &all[..] } else { &[] };
///     let mut mine = [0; 2];
///     xmp_collectives::scatter(image, &image.executing(), 2, all, &mut mine)?;
///     Ok::<_, xmp_core::Error>(mine)
/// })?;
/// assert_eq!(results, [Ok([1, 2]), Ok([3, 4]), Ok([5, 6])]);
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Errors
/// Those of [`raw::scatter`]. On the root, when `all` is not as long as all parts together.
pub fn scatter<T: Pod>(
    image: &Image,
    set: &ImageSet,
    root: usize,
    all: &[T],
    mine: &mut [T],
) -> Result<()> {
    if set.position() == Some(root) {
        check_room("scatter", all.len(), mine.len(), set.len())?;
    }
    let len = size_of_val(mine);
    // SAFETY: plain data that this call borrows, of the right length.
    unsafe { raw::scatter(image, set, root, all.as_ptr().cast(), mine.as_mut_ptr().cast(), len) }
}

/// Scatters elements of the image at the 0-based position `root`: each image gets as many as its `mine` has, and these
/// may be different numbers. Only the root uses `all` and `parts`: `parts` says which elements of `all` each image gets.
///
/// ```
/// use xmp_collectives::Parts;
/// use xmp_core::transport::threads;
/// let results = threads::run(3, 1, |image| {
///     let me = image.rank().get() as usize;
///     let parts = Parts::Given { lens: &[0, 1, 2], offsets: &[0, 2, 0] };
///     let mut mine = vec![0; me];
///     xmp_collectives::scatterv(image, &image.executing(), 0, &[7, 8, 9], parts, &mut mine)?;
///     Ok::<_, xmp_core::Error>(mine)
/// })?;
/// assert_eq!(results, [Ok(vec![]), Ok(vec![9]), Ok(vec![7, 8])]);
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Errors
/// Those of [`raw::scatterv`]. On the root, when the parts are not within `all`.
pub fn scatterv<T: Pod>(
    image: &Image,
    set: &ImageSet,
    root: usize,
    all: &[T],
    parts: Parts<'_>,
    mine: &mut [T],
) -> Result<()> {
    let mut source = Table::default();
    if set.position() == Some(root) {
        parts.check("scatterv", set.len(), all.len())?;
        source = parts.in_bytes(size_of::<T>(), set.len());
    }
    let (mine, len) = (mine.as_mut_ptr().cast(), size_of_val(mine));
    // SAFETY: plain data that this call borrows; the parts are within `all`.
    let buffers = unsafe { ScatterBuffers::new(all.as_ptr().cast(), source.parts(), mine, len) };
    raw::scatterv(image, set, root, &buffers)
}

/// Sends each image one part of `send`, and receives one part from each in `receive`, both in the order of the set. All
/// parts have the same length.
///
/// ```
/// use xmp_core::transport::threads;
/// let results = threads::run(3, 1, |image| {
///     let me = image.rank().get();
///     let mut receive = [0; 3];
///     let send = [10 * me, 10 * me + 1, 10 * me + 2];
///     xmp_collectives::alltoall(image, &image.executing(), &send, &mut receive)?;
///     Ok::<_, xmp_core::Error>(receive)
/// })?;
/// assert_eq!(results, [Ok([0, 10, 20]), Ok([1, 11, 21]), Ok([2, 12, 22])]);
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Errors
/// Those of [`raw::alltoall`]. When the slices are not of one length, which is a multiple of the number of images.
pub fn alltoall<T: Pod>(
    image: &Image,
    set: &ImageSet,
    send: &[T],
    receive: &mut [T],
) -> Result<()> {
    check_room("alltoall", send.len(), send.len() / set.len(), set.len())?;
    check_room("alltoall", receive.len(), send.len() / set.len(), set.len())?;
    let len = size_of_val(send) / set.len();
    let (send, receive) = (send.as_ptr().cast(), receive.as_mut_ptr().cast());
    // SAFETY: plain data that this call borrows, of the right length.
    unsafe { raw::alltoall(image, set, send, receive, len) }
}

/// Exchanges parts of different lengths: `send_parts` says which elements of `send` are for each image, `receive_parts`
/// how many elements come from each image and where in `receive` they go.
///
/// ```
/// use xmp_collectives::Parts;
/// use xmp_core::transport::threads;
/// // Image i has i + 1 numbers for image 0 and nothing for image 1.
/// let results = threads::run(2, 1, |image| {
///     let me = image.rank().get() as usize;
///     let send = vec![me; me + 1];
///     let send_parts = Parts::Given { lens: &[me + 1, 0], offsets: &[0, 0] };
///     let mut receive = vec![9; if me == 0 { 3 } else { 0 }];
///     let lens = if me == 0 { [1, 2] } else { [0, 0] };
///     let receive_parts = Parts::Given { lens: &lens, offsets: &[0, lens[0]] };
///     let set = image.executing();
///     xmp_collectives::alltoallv(image, &set, &send, send_parts, &mut receive, receive_parts)?;
///     Ok::<_, xmp_core::Error>(receive)
/// })?;
/// assert_eq!(results, [Ok(vec![0, 1, 1]), Ok(vec![])]);
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Errors
/// Those of [`raw::alltoallv`]. When the parts are not within the slices.
pub fn alltoallv<T: Pod>(
    image: &Image,
    set: &ImageSet,
    send: &[T],
    send_parts: Parts<'_>,
    receive: &mut [T],
    receive_parts: Parts<'_>,
) -> Result<()> {
    send_parts.check("alltoallv, to send", set.len(), send.len())?;
    receive_parts.check("alltoallv, to receive", set.len(), receive.len())?;
    let [send_parts, receive_parts] =
        [send_parts, receive_parts].map(|parts| parts.in_bytes(size_of::<T>(), set.len()));
    let (send, receive) = (send.as_ptr().cast(), receive.as_mut_ptr().cast());
    let (send_parts, receive_parts) = (send_parts.parts(), receive_parts.parts());
    // SAFETY: plain data that this call borrows; the parts are within the slices.
    let buffers = unsafe { AlltoallBuffers::new(send, send_parts, receive, receive_parts) };
    raw::alltoallv(image, set, &buffers)
}
