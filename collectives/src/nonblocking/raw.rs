//! Non-blocking operations on memory that the caller keeps, for front ends.
//!
//! In all of them the memory must stay valid, and must not be accessed by anything else, until [`Handle::wait`] or
//! [`Handle::test`] has reported that the operation is complete or has failed; if the handle is dropped before, until
//! the end of the image. Results are in their place after [`Handle::wait`]. All panic when this image is not in the
//! set.

mod parts;
mod scan;

pub(super) use parts::deal;
pub use parts::{alltoall, alltoallv, gather, gatherv, scatter, scatterv};
pub use scan::{exscan, scan};

use super::engine::Engine;
use super::handle::{Finish, Handle};
use super::program::{Combine, Memory, Program};
use super::steps::{self, Step};
use crate::parts::bytes_mut;
use crate::two_level::rank_at;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// Begins an operation. One that needs no other image, or has no data, has no steps.
///
/// # Safety
/// The memory of the program is as the module says, or owned by `finish`.
pub(super) unsafe fn begin<'i>(
    image: &'i Image,
    set: &ImageSet,
    program: Program,
    finish: impl FnOnce() + 'static,
) -> Handle<'i, ()> {
    let finish: Finish<()> = Box::new(finish);
    // SAFETY: the memory stays valid until the operation has an outcome (contract above).
    let operation = unsafe { Engine::of(image).begin(image, set, program, Box::new(finish)) };
    Handle::new(image, operation)
}

/// The steps of an operation on so many bytes; none without any.
pub(super) fn steps_for(len: usize, steps: impl FnOnce() -> Vec<Step>) -> Vec<Step> {
    if len == 0 { Vec::new() } else { steps() }
}

/// As [`super::broadcast`], of the `len` bytes at `buffer`.
///
/// # Errors
/// When the root is not in the set.
///
/// # Safety
/// `buffer` is valid for `len` bytes, as long as the module says.
pub unsafe fn broadcast<'i>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    buffer: *mut u8,
    len: usize,
) -> Result<Handle<'i, ()>> {
    let root = rank_at(set, root)?;
    let steps = steps_for(len, || steps::broadcast(image, set, root));
    let program = Program { steps, memory: Memory::Vector(buffer, len), combine: None };
    // SAFETY: `buffer` stays valid (contract above).
    Ok(unsafe { begin(image, set, program, || ()) })
}

/// As [`super::allreduce`], of `count` elements at `buffer`.
///
/// # Safety
/// `buffer` is valid for `count` elements of the operation, as long as the module says; so is what the operation uses.
pub unsafe fn allreduce<'i>(
    image: &'i Image,
    set: &ImageSet,
    buffer: *mut u8,
    count: usize,
    combine: Combine,
) -> Handle<'i, ()> {
    let len = count * combine.element();
    let steps = steps_for(len, || steps::allreduce(image, set));
    let program = Program { steps, memory: Memory::Vector(buffer, len), combine: Some(combine) };
    // SAFETY: `buffer` stays valid (contract above).
    unsafe { begin(image, set, program, || ()) }
}

/// As [`super::reduce`], of `count` elements at `buffer`.
///
/// # Errors
/// When the root is not in the set.
///
/// # Safety
/// As [`allreduce`].
pub unsafe fn reduce<'i>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    buffer: *mut u8,
    count: usize,
    combine: Combine,
) -> Result<Handle<'i, ()>> {
    let root = rank_at(set, root)?;
    let len = count * combine.element();
    let steps = steps_for(len, || steps::reduce(image, set, root));
    let program = Program { steps, memory: Memory::Vector(buffer, len), combine: Some(combine) };
    // SAFETY: `buffer` stays valid (contract above).
    Ok(unsafe { begin(image, set, program, || ()) })
}

/// As [`super::allgather`], of `len` bytes at `mine`, to `all`.
///
/// # Safety
/// `mine` is valid for `len` bytes during the call, `all` for that times the number of images as long as the module
/// says; they do not overlap.
pub unsafe fn allgather<'i>(
    image: &'i Image,
    set: &ImageSet,
    mine: *const u8,
    all: *mut u8,
    len: usize,
) -> Handle<'i, ()> {
    let position = set.position().expect("a member of the set");
    let room = len * set.len();
    let steps = steps_for(len, || steps::allgather(set));
    let program = Program { steps, memory: Memory::Blocks(all, len), combine: None };
    // SAFETY: `mine` and `all` do not overlap, and `all` stays valid (contract above).
    unsafe {
        std::ptr::copy_nonoverlapping(mine, all, len);
        // Blocks are numbered from this image on.
        let finish = move || {
            bytes_mut(all, room).rotate_right(position * len);
        };
        begin(image, set, program, finish)
    }
}
