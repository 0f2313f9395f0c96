//! Non-blocking operations on memory of the caller, for front ends.
//!
//! The memory of an operation must stay valid, and nothing else may access it, until [`Handle::wait`] or
//! [`Handle::test`] has reported that the operation is complete or has failed; if the handle is dropped before that,
//! until the end of the image. The results are in their place after [`Handle::wait`]. All functions panic when this image
//! is not in the set.

mod parts;

pub(super) use parts::deal;
pub use parts::{
    allgatherv, alltoall, alltoall_in_place, alltoallv, gather, gatherv, reduce_scatter, scatter,
    scatterv,
};

use super::engine::Engine;
use super::handle::{Finish, Handle};
use super::program::{Combine, Memory, Program};
use super::steps::{self, Step};
use crate::arguments::Accesses;
use crate::parts::bytes_mut;
use crate::reduction::Located;
use crate::signature::{Kind, Signature};
use crate::two_level::rank_at;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// Begins an operation. An operation that needs no other image, or has no data, has no steps.
///
/// # Safety
/// The memory of the program is valid as the module says, or `finish` owns it.
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

/// The steps of an operation on `len` bytes; none for 0 bytes.
pub(super) fn steps_for(len: usize, steps: impl FnOnce() -> Vec<Step>) -> Vec<Step> {
    if len == 0 { Vec::new() } else { steps() }
}

/// Begins a broadcast of the `len` bytes at `buffer` from the image at the 0-based position `root`.
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
    let (position, root) = (root, rank_at(set, root)?);
    let accesses = Accesses::of(image).of_broadcast(image.rank() == root, buffer, len).begin();
    let steps = steps_for(len, || steps::broadcast(image, set, root));
    let signature = Some(Signature::of_bytes(Kind::Broadcast, len).root(Some(position)));
    let memory = Memory::Vector(buffer, len);
    let program = Program { steps, memory, combine: None, signature };
    // SAFETY: `buffer` stays valid (contract above).
    Ok(unsafe { begin(image, set, program, || ()) }.accessing(accesses).using(buffer, len))
}

/// Begins a reduction of the `count` elements at `buffer` to all images.
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
    let accesses = Accesses::of(image).writes(buffer, len).begin();
    let steps = steps_for(len, || steps::allreduce(image, set));
    let signature = Some(Signature::combined(Kind::Reduction, count, &combine.reduction()));
    let memory = Memory::Vector(buffer, len);
    let program = Program { steps, memory, combine: Some(combine), signature };
    // SAFETY: `buffer` stays valid (contract above).
    unsafe { begin(image, set, program, || ()) }.accessing(accesses).using(buffer, len)
}

/// Begins the search for extreme values and their locations ([`crate::raw::locate`]) for all images.
///
/// # Safety
/// `values` and `locations` have `count` entries, as long as the module says.
pub unsafe fn locate<'i>(
    image: &'i Image,
    set: &ImageSet,
    values: *mut u8,
    locations: *mut i64,
    count: usize,
    located: Located,
) -> Handle<'i, ()> {
    let value_len = located.value_len();
    let accesses = Accesses::of(image).of_locate(values, locations, count, value_len).begin();
    // SAFETY: there are as many values and locations (contract above).
    let mut pairs = unsafe { located.pairs(values, locations, count) };
    let (start, combine) = (pairs.as_mut_ptr(), Combine::By(located.reduction()));
    // SAFETY: `pairs` has `count` of them; the operation owns it from here to its end.
    let handle = unsafe { allreduce(image, set, start, count, combine) };
    // SAFETY: the values and locations are still there (contract above).
    let handle = handle.map(move |()| unsafe { located.put(&pairs, values, locations) });
    let handle = handle.accessing(accesses).using(values, count * value_len);
    handle.using(locations.cast(), count * size_of::<i64>())
}

/// Begins a reduction of the `count` elements at `buffer` to the image at the 0-based position `root`.
///
/// # Safety
/// Those of [`allreduce`].
pub unsafe fn reduce<'i>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    buffer: *mut u8,
    count: usize,
    combine: Combine,
) -> Result<Handle<'i, ()>> {
    let (position, root) = (root, rank_at(set, root)?);
    let len = count * combine.element();
    let accesses = Accesses::of(image).writes(buffer, len).begin();
    let steps = steps_for(len, || steps::reduce(image, set, root));
    let signature = Signature::combined(Kind::Reduction, count, &combine.reduction());
    let signature = Some(signature.root(Some(position)));
    let memory = Memory::Vector(buffer, len);
    let program = Program { steps, memory, combine: Some(combine), signature };
    // SAFETY: `buffer` stays valid (contract above).
    Ok(unsafe { begin(image, set, program, || ()) }.accessing(accesses).using(buffer, len))
}

/// Begins an allgather of the `len` bytes at `mine` of each image, to `all` of every image.
///
/// # Safety
/// `mine` is valid for `len` bytes during the call, `all` for that times the number of images as long as the module
/// says; they do not overlap, but `mine` may be the part of this image in `all`.
pub unsafe fn allgather<'i>(
    image: &'i Image,
    set: &ImageSet,
    mine: *const u8,
    all: *mut u8,
    len: usize,
) -> Handle<'i, ()> {
    let position = set.position().expect("a member of the set");
    let room = len * set.len();
    let accesses = Accesses::of(image).reads(mine, len).writes(all, room).begin();
    let steps = steps_for(len, || steps::allgather(set));
    let signature = Some(Signature::of_bytes(Kind::Allgather, len));
    let memory = Memory::Blocks(all, len);
    let program = Program { steps, memory, combine: None, signature };
    // SAFETY: `mine` and `all` are valid, and `all` stays so (contract above).
    unsafe {
        std::ptr::copy(mine, all, len);
        // Blocks are numbered from this image on.
        let finish = move || {
            bytes_mut(all, room).rotate_right(position * len);
        };
        begin(image, set, program, finish).accessing(accesses).using(all, room)
    }
}

/// Begins a scan of the `count` elements at `buffer`.
///
/// # Safety
/// Those of [`allreduce`].
pub unsafe fn scan<'i>(
    image: &'i Image,
    set: &ImageSet,
    buffer: *mut u8,
    count: usize,
    combine: Combine,
) -> Handle<'i, ()> {
    // SAFETY: `buffer` stays valid (contract above).
    unsafe { begin_scan(image, set, buffer, count, combine, false) }
}

/// Begins an exclusive scan of the `count` elements at `buffer`; the first image keeps its elements.
///
/// # Safety
/// Those of [`allreduce`].
pub unsafe fn exscan<'i>(
    image: &'i Image,
    set: &ImageSet,
    buffer: *mut u8,
    count: usize,
    combine: Combine,
) -> Handle<'i, ()> {
    // SAFETY: `buffer` stays valid (contract above).
    unsafe { begin_scan(image, set, buffer, count, combine, true) }
}

/// Begins a scan, inclusive or exclusive.
///
/// # Safety
/// Those of [`allreduce`].
unsafe fn begin_scan<'i>(
    image: &'i Image,
    set: &ImageSet,
    buffer: *mut u8,
    count: usize,
    combine: Combine,
    exclusive: bool,
) -> Handle<'i, ()> {
    let element = combine.element();
    let len = count * element;
    let accesses = Accesses::of(image).writes(buffer, len).begin();
    let steps = steps_for(len, || steps::scan(image, set, exclusive));
    let mut work = vec![0u128; steps::WORK_BLOCKS * Memory::work_block(len, element) / 16];
    let memory = Memory::VectorAndWork(buffer, len, work.as_mut_ptr().cast());
    let kind = if exclusive { Kind::Exscan } else { Kind::Scan };
    let signature = Some(Signature::combined(kind, count, &combine.reduction()));
    let program = Program { steps, memory, combine: Some(combine), signature };
    // SAFETY: `buffer` stays valid (contract above); the operation owns the work blocks to its end.
    unsafe { begin(image, set, program, move || drop(work)) }.accessing(accesses).using(buffer, len)
}
