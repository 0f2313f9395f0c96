//! Gather, scatter and alltoall on memory of any type.

use super::{allgather_lens, begin};
use crate::alltoall::{alltoall_with, alltoallv_with};
use crate::arguments::Accesses;
use crate::check::Call;
use crate::gather::gather_with;
use crate::part_buffers::{AlltoallBuffers, GatherBuffers, ScatterBuffers};
use crate::parts::{Parts, bytes, bytes_mut, prefix_sums};
use crate::scatter::scatter_with;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// Gathers `len` bytes at `mine` of each image of the set at `all` of the image at the 0-based position `root`, in the
/// order of the set. All images give the same length. The others may return before the root has the data.
///
/// # Errors
/// On the root, when an image of the set has stopped or failed before it took part; on the others, when they learn of
/// it. When the root is not in the set. The contents of `all` are undefined then.
///
/// # Safety
/// The memory is valid as [`GatherBuffers::equal`] demands, and nothing else accesses it meanwhile.
pub unsafe fn gather(
    image: &Image,
    set: &ImageSet,
    root: usize,
    mine: *const u8,
    all: *mut u8,
    len: usize,
) -> Result<()> {
    let choices = begin(image, set, || Call::of("gather").elements(len, 1).root(root))?;
    // SAFETY: the memory is valid (contract above).
    let buffers = unsafe { GatherBuffers::equal(mine, len, all) };
    Accesses::of(image).of_gather(set, root, &buffers).enter();
    gather_with(image, set, root, &buffers, &choices)
}

/// Gathers parts of different lengths on the image at the 0-based position `root` (MPI_GATHERV: MPI 4.1, 6.5). The
/// others may return before the root has the data.
///
/// # Errors
/// Those of [`gather`]. On the root, when an image gives another number of bytes than the root expects, or there is not
/// a part for each image.
pub fn gatherv(
    image: &Image,
    set: &ImageSet,
    root: usize,
    buffers: &GatherBuffers<'_>,
) -> Result<()> {
    let choices = begin(image, set, || Call::of("gatherv").root(root))?;
    Accesses::of(image).of_gather(set, root, buffers).enter();
    gather_with(image, set, root, buffers, &choices)
}

/// Scatters the bytes at `all` of the image at the 0-based position `root`: each image of the set gets `len` of them at
/// `mine`, in the order of the set. All images give the same length. The root may return before the others have the
/// data.
///
/// # Errors
/// When an image of the set has stopped or failed and this image learns of it: the root if it sends data to that image,
/// and the images that get their data through it. When the root is not in the set. The contents of `mine` are undefined
/// then.
///
/// # Safety
/// The memory is valid as [`ScatterBuffers::equal`] demands.
pub unsafe fn scatter(
    image: &Image,
    set: &ImageSet,
    root: usize,
    all: *const u8,
    mine: *mut u8,
    len: usize,
) -> Result<()> {
    let choices = begin(image, set, || Call::of("scatter").elements(len, 1).root(root))?;
    // SAFETY: the memory is valid (contract above).
    let buffers = unsafe { ScatterBuffers::equal(all, mine, len) };
    Accesses::of(image).of_scatter(set, root, &buffers).enter();
    scatter_with(image, set, root, &buffers, &choices)
}

/// Scatters parts of different lengths from the image at the 0-based position `root` (MPI_SCATTERV: MPI 4.1, 6.6). The
/// root may return before the others have the data.
///
/// # Errors
/// Those of [`scatter`]. When the root gives this image another number of bytes than it expects; on the root, when there
/// is not a part for each image.
pub fn scatterv(
    image: &Image,
    set: &ImageSet,
    root: usize,
    buffers: &ScatterBuffers<'_>,
) -> Result<()> {
    let choices = begin(image, set, || Call::of("scatterv").root(root))?;
    Accesses::of(image).of_scatter(set, root, buffers).enter();
    scatter_with(image, set, root, buffers, &choices)
}

/// Sends each image of the set `len` of the bytes at `send`, and receives from each `len` bytes at `receive`, both in
/// the order of the set. All images give the same length.
///
/// # Errors
/// When an image of the set has stopped or failed before it took part. The contents of `receive` are undefined then.
///
/// # Safety
/// `send` is valid for reads of `len` bytes times the number of images, `receive` for writes of as many. They do not
/// overlap, and nothing else accesses them meanwhile.
pub unsafe fn alltoall(
    image: &Image,
    set: &ImageSet,
    send: *const u8,
    receive: *mut u8,
    len: usize,
) -> Result<()> {
    let choices = begin(image, set, || Call::of("alltoall").elements(len, 1))?;
    let parts = Parts::Equal(len);
    // SAFETY: both have a part for each image (contract above).
    let buffers = unsafe { AlltoallBuffers::new(send, parts, receive, parts) };
    Accesses::of(image).of_alltoall(set, &buffers).enter();
    alltoall_with(image, set, &buffers, &choices)
}

/// The [`alltoall`] of `len` bytes for each image at `receive`, which those of each image replace.
///
/// # Errors
/// Those of [`alltoall`].
///
/// # Safety
/// `receive` is valid for reads and writes of `len` bytes times the number of images, which nothing else accesses meanwhile.
pub unsafe fn alltoall_in_place(
    image: &Image,
    set: &ImageSet,
    receive: *mut u8,
    len: usize,
) -> Result<()> {
    // SAFETY: there are as many bytes (contract above).
    let send = unsafe { bytes(receive, len * set.len()) }.to_vec();
    // SAFETY: both have a part for each image.
    unsafe { alltoall(image, set, send.as_ptr(), receive, len) }
}

/// Gathers parts of different lengths on all images (MPI_ALLGATHERV: MPI 4.1, 6.7). All images know the lengths; the places
/// are each image's own.
///
/// # Errors
/// Those of [`allgather_lens`]; when there is not a part for each image.
///
/// # Safety
/// `mine` is valid for reads of the length of this image, `all` for writes of its parts, which do not overlap one another. `mine`
/// is this image's part of `all`, or overlaps none of them; nothing else accesses them meanwhile.
pub unsafe fn allgatherv(
    image: &Image,
    set: &ImageSet,
    mine: *const u8,
    all: *mut u8,
    parts: &Parts<'_>,
) -> Result<()> {
    parts.check_number("allgatherv", set.len())?;
    let lens: Vec<usize> = (0..set.len()).map(|position| parts.len(position)).collect();
    let packed = prefix_sums(lens.iter().copied());
    let is_packed = (0..set.len()).all(|i| lens[i] == 0 || parts.offset(i) == packed[i]);
    if is_packed {
        // SAFETY: `all` has the parts, one after the other (contract above).
        return unsafe { allgather_lens(image, set, mine, all, &lens) };
    }
    Accesses::of(image).writes_parts(set, all, parts).enter();
    let mut gathered = vec![0; packed[set.len()]];
    // SAFETY: `mine` is valid (contract above), and `gathered` has room for all parts, each of which has its place.
    unsafe {
        allgather_lens(image, set, mine, gathered.as_mut_ptr(), &lens)?;
        for (i, &len) in lens.iter().enumerate() {
            let place = all.wrapping_add(parts.offset(i));
            bytes_mut(place, len).copy_from_slice(&gathered[packed[i]..packed[i] + len]);
        }
    }
    Ok(())
}

/// Exchanges parts of any lengths, which are anywhere in the buffers (MPI_ALLTOALLV: MPI 4.1, 6.8).
///
/// # Errors
/// Those of [`alltoall`]. When an image gives this one another number of bytes than it expects, which the others do not
/// learn; when there is not a part for each image.
pub fn alltoallv(image: &Image, set: &ImageSet, buffers: &AlltoallBuffers<'_>) -> Result<()> {
    let choices = begin(image, set, || Call::of("alltoallv"))?;
    Accesses::of(image).of_alltoall(set, buffers).enter();
    alltoallv_with(image, set, buffers, &choices)
}
