//! Gather, scatter and alltoall on memory of any type.

use super::begin;
use crate::alltoall::{alltoall_with, alltoallv_with};
use crate::check::Call;
use crate::gather::gather_with;
use crate::part_buffers::{AlltoallBuffers, GatherBuffers, ScatterBuffers};
use crate::parts::Parts;
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
    alltoall_with(image, set, &buffers, &choices)
}

/// Exchanges parts of any lengths, which are anywhere in the buffers (MPI_ALLTOALLV: MPI 4.1, 6.8).
///
/// # Errors
/// Those of [`alltoall`]. When an image gives this one another number of bytes than it expects, which the others do not
/// learn; when there is not a part for each image.
pub fn alltoallv(image: &Image, set: &ImageSet, buffers: &AlltoallBuffers<'_>) -> Result<()> {
    let choices = begin(image, set, || Call::of("alltoallv"))?;
    alltoallv_with(image, set, buffers, &choices)
}
