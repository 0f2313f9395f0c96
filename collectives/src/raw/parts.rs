//! Gather, scatter and alltoall.

use super::begin;
use crate::alltoall::{alltoall_with, alltoallv_with};
use crate::check::Call;
use crate::gather::{Gathering, gather_with};
use crate::leaders::alltoall::Exchange;
use crate::parts::Parts;
use crate::scatter::{Scattering, scatter_with};
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// Gathers `len` bytes at `mine` of each image of the set at `all` of the image at the 0-based position `root`, in the
/// order of the set. All give the same length. The others may return before the root has the data.
///
/// # Errors
/// On the root, when an image of the set has stopped or failed without taking part; on the others, when they learn of
/// it. When the root is not in the set. What is at `all` is undefined then.
///
/// # Safety
/// `mine` is valid for reads of `len` bytes; on the root `all` is for writes of that times the number of images. They
/// do not overlap - but `mine` of the root may be its part of `all` - and no other image accesses them meanwhile.
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn gather(
    image: &Image,
    set: &ImageSet,
    root: usize,
    mine: *const u8,
    all: *mut u8,
    len: usize,
) -> Result<()> {
    let call = || Call::of("gather").elements(len, 1).root(root);
    let choices = begin(image, set, call)?;
    let gather = Gathering { mine, len, all, parts: Parts::Equal(len), equal: true };
    // SAFETY: the memory is as long as the parts say (contract above).
    unsafe { gather_with(image, set, root, &gather, &choices) }
}

/// As [`gather`], where each image gives as many bytes as it likes: `len` is its own number, `parts` is looked at on
/// the root only and says where what each gives goes (MPI_GATHERV: MPI 4.1, 6.5).
///
/// # Errors
/// As [`gather`]. On the root, when an image gives another number of bytes than expected, or there is not a part for
/// each image.
///
/// # Safety
/// As [`gather`], for these lengths and places.
///
/// # Panics
/// As [`gather`].
pub unsafe fn gatherv(
    image: &Image,
    set: &ImageSet,
    root: usize,
    gather: &Gathering<'_>,
) -> Result<()> {
    let call = || Call::of("gatherv").root(root);
    let gather = &Gathering { equal: false, ..*gather };
    let choices = begin(image, set, call)?;
    // SAFETY: the memory is as long as the parts say (contract above).
    unsafe { gather_with(image, set, root, gather, &choices) }
}

/// Gives each image of the set its `len` bytes, in the order of the set, of what is at `all` of the image at the
/// 0-based position `root`; it gets them at `mine`. All give the same length. The root may return before the others
/// have the data.
///
/// # Errors
/// When an image of the set has stopped or failed and this image learns of it: the root, when it gives data to that
/// image, and those that get their data through it. When the root is not in the set. What is at `mine` is undefined
/// then.
///
/// # Safety
/// `mine` is valid for writes of `len` bytes; on the root `all` is for reads of that times the number of images. They
/// do not overlap - but `mine` of the root may be its part of `all` - and no other image accesses them meanwhile.
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn scatter(
    image: &Image,
    set: &ImageSet,
    root: usize,
    all: *const u8,
    mine: *mut u8,
    len: usize,
) -> Result<()> {
    let call = || Call::of("scatter").elements(len, 1).root(root);
    let choices = begin(image, set, call)?;
    let scatter = Scattering { all, parts: Parts::Equal(len), mine, len, equal: true };
    // SAFETY: the memory is as long as the parts say (contract above).
    unsafe { scatter_with(image, set, root, &scatter, &choices) }
}

/// As [`scatter`], where images get different numbers of bytes: `len` is that of this image, `parts` is looked at on
/// the root only and says what each gets (MPI_SCATTERV: MPI 4.1, 6.6).
///
/// # Errors
/// As [`scatter`]. When the root gives this image another number of bytes than it expects; on the root, when there is
/// not a part for each image.
///
/// # Safety
/// As [`scatter`], for these lengths and places.
///
/// # Panics
/// As [`scatter`].
pub unsafe fn scatterv(
    image: &Image,
    set: &ImageSet,
    root: usize,
    scatter: &Scattering<'_>,
) -> Result<()> {
    let call = || Call::of("scatterv").root(root);
    let scatter = &Scattering { equal: false, ..*scatter };
    let choices = begin(image, set, call)?;
    // SAFETY: the memory is as long as the parts say (contract above).
    unsafe { scatter_with(image, set, root, scatter, &choices) }
}

/// Gives each image of the set `len` bytes of what is at `send`, in the order of the set, and gets at `receive` what
/// all images have for this one, in the order of the set. All give the same length.
///
/// # Errors
/// When an image of the set has stopped or failed without taking part. What is at `receive` is undefined then.
///
/// # Safety
/// `send` is valid for reads of `len` bytes times the number of images, `receive` for writes of as many; they do not
/// overlap and no other image accesses them meanwhile.
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn alltoall(
    image: &Image,
    set: &ImageSet,
    send: *const u8,
    receive: *mut u8,
    len: usize,
) -> Result<()> {
    let call = || Call::of("alltoall").elements(len, 1);
    let choices = begin(image, set, call)?;
    let parts = Parts::Equal(len);
    let exchange = Exchange { send, send_parts: parts, receive, receive_parts: parts };
    // SAFETY: the memory is as long as the parts say (contract above).
    unsafe { alltoall_with(image, set, &exchange, &choices) }
}

/// As [`alltoall`], with parts of any length, which lie anywhere (MPI_ALLTOALLV: MPI 4.1, 6.8).
///
/// # Errors
/// As [`alltoall`]. When an image gives this one another number of bytes than it expects (the others do not learn of
/// that), or there is not a part for each image.
///
/// # Safety
/// As [`alltoall`], for these lengths and places.
///
/// # Panics
/// As [`alltoall`].
pub unsafe fn alltoallv(image: &Image, set: &ImageSet, exchange: &Exchange<'_>) -> Result<()> {
    let call = || Call::of("alltoallv");
    let choices = begin(image, set, call)?;
    // SAFETY: the memory is as long as the parts say (contract above).
    unsafe { alltoallv_with(image, set, exchange, &choices) }
}
