//! Non-blocking gather, scatter and alltoall on memory of the caller. Lengths and offsets are in bytes; they are used
//! during the call only.

use super::{begin, steps_for};
use crate::arguments::Accesses;
use crate::nonblocking::handle::Handle;
use crate::nonblocking::program::{Combine, Memory, Program};
use crate::nonblocking::steps::{self, Step};
use crate::part_buffers::{AlltoallBuffers, GatherBuffers, ScatterBuffers};
use crate::parts::{Parts, Table, bytes, bytes_mut, mismatch};
use crate::reduce_scatter::{self, Operands};
use crate::schedules::binomial_parts;
use crate::signature::{Kind, Signature};
use crate::two_level::rank_at;
use std::ptr::NonNull;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// Begins a gather of the `len` bytes at `mine` of each image, to `all` of the image at the 0-based position `root`.
///
/// # Safety
/// `mine` is valid for `len` bytes during the call; on the root `all` is for that times the number of images as long as
/// the module says. They do not overlap, but `mine` of the root may be its part of `all`.
pub unsafe fn gather<'i>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    mine: *const u8,
    all: *mut u8,
    len: usize,
) -> Result<Handle<'i, ()>> {
    rank_at(set, root)?;
    let (n, relative) = (set.len(), from_root(set, root));
    let room = len * n;
    let room_of_root = if relative == 0 { room } else { 0 };
    let accesses = Accesses::of(image).reads(mine, len).writes(all, room_of_root).begin();
    // The parts that an image other than the root passes on.
    let mut held = vec![0; if relative == 0 { 0 } else { len * binomial_parts::held(n, relative) }];
    let start = if relative == 0 { all } else { held.as_mut_ptr() };
    let steps = steps_for(len, || steps::gather(set, root));
    let signature = Some(Signature::of_bytes(Kind::Gather, len).root(Some(root)));
    let memory = Memory::Blocks(start, len);
    let program = Program { steps, memory, combine: None, signature };
    // SAFETY: `mine` and `all` are valid (contract above); the operation owns `held` to its end.
    unsafe {
        if len > 0 {
            std::ptr::copy(mine, start, len);
        }
        let finish = move || {
            drop(held);
            if relative == 0 {
                // Blocks are numbered from the root on.
                bytes_mut(all, room).rotate_right(root * len);
            }
        };
        Ok(begin(image, set, program, finish).accessing(accesses).using(all, room_of_root))
    }
}

/// Begins a scatter of the bytes at `all` of the image at the 0-based position `root`, to the `len` bytes at `mine` of each
/// image.
///
/// # Safety
/// `mine` is valid for `len` bytes as long as the module says; on the root `all` is for that times the number of images
/// during the call. They do not overlap, but `mine` of the root may be its part of `all`.
pub unsafe fn scatter<'i>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    all: *const u8,
    mine: *mut u8,
    len: usize,
) -> Result<Handle<'i, ()>> {
    rank_at(set, root)?;
    let (n, relative) = (set.len(), from_root(set, root));
    let of_root = if relative == 0 { len * n } else { 0 };
    let accesses = Accesses::of(image).writes(mine, len).reads(all, of_root).begin();
    let mut held = match relative {
        0 => {
            // SAFETY: `all` of the root has a part for each image (contract above).
            let (before, from_root) = unsafe { bytes(all, len * n) }.split_at(root * len);
            [from_root, before].concat()
        }
        _ => vec![0; len * binomial_parts::held(n, relative)],
    };
    let steps = steps_for(len, || steps::scatter(set, root));
    let memory = Memory::Blocks(held.as_mut_ptr(), len);
    let signature = Some(Signature::of_bytes(Kind::Scatter, len).root(Some(root)));
    let program = Program { steps, memory, combine: None, signature };
    // SAFETY: the operation owns `held` to its end; `mine` stays valid (contract above).
    unsafe {
        let finish = move || bytes_mut(mine, len).copy_from_slice(&held[..len]);
        Ok(begin(image, set, program, finish).accessing(accesses).using(mine, len))
    }
}

/// Begins a gather of parts of different lengths to the image at the 0-based position `root`.
///
/// # Errors
/// When the root is not in the set; on the root, when there is not a part for each image, or its own has another
/// length. The operation has not begun then.
///
/// # Safety
/// The memory of `buffers` is valid as long as the module says.
pub unsafe fn gatherv<'i>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    buffers: &GatherBuffers<'_>,
) -> Result<Handle<'i, ()>> {
    rank_at(set, root)?;
    let (len, parts) = (buffers.own_len(), buffers.parts());
    let (own, nothing) = (Table::only(root, len, set.len()), Table::only(root, 0, set.len()));
    let (mut send_parts, mut receive_parts) = (own.parts(), nothing.parts());
    if set.position() == Some(root) {
        check("gatherv", set, len, parts)?;
        (send_parts, receive_parts) = (nothing.parts(), *parts);
        // SAFETY: this image is the root; its part is at its place or does not overlap it.
        unsafe { buffers.take(root, len, 0, usize::MAX, buffers.mine()) };
    }
    let (send, receive) = (buffers.mine(), buffers.all());
    // SAFETY: `mine` and the parts of `all` stay valid (contract above).
    unsafe {
        let exchange = AlltoallBuffers::new(send, send_parts, receive, receive_parts);
        let signature = Signature::of_any_parts(Kind::Gatherv).root(Some(root));
        Ok(deal(image, set, &exchange, steps::gatherv(set, root), Some(signature)))
    }
}

/// Begins a scatter of parts of different lengths from the image at the 0-based position `root`.
///
/// # Errors
/// Those of [`gatherv`].
///
/// # Safety
/// The memory of `buffers` is valid as long as the module says.
pub unsafe fn scatterv<'i>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    buffers: &ScatterBuffers<'_>,
) -> Result<Handle<'i, ()>> {
    rank_at(set, root)?;
    let (len, parts) = (buffers.own_len(), buffers.parts());
    let (own, nothing) = (Table::only(root, len, set.len()), Table::only(root, 0, set.len()));
    let (mut send_parts, mut receive_parts) = (nothing.parts(), own.parts());
    if set.position() == Some(root) {
        check("scatterv", set, len, parts)?;
        (send_parts, receive_parts) = (*parts, nothing.parts());
        // SAFETY: this image is the root.
        unsafe { buffers.take_own(root) };
    }
    let (send, receive) = (buffers.all(), buffers.mine());
    // SAFETY: `mine` and the parts of `all` stay valid (contract above).
    unsafe {
        let exchange = AlltoallBuffers::new(send, send_parts, receive, receive_parts);
        let signature = Signature::of_any_parts(Kind::Scatterv).root(Some(root));
        Ok(deal(image, set, &exchange, steps::scatterv(set, root), Some(signature)))
    }
}

/// Begins an alltoall of `len` bytes for each image at `send`, and of each image at `receive`.
///
/// # Safety
/// `send` and `receive` are valid for that times the number of images as long as the module says; they do not overlap.
pub unsafe fn alltoall<'i>(
    image: &'i Image,
    set: &ImageSet,
    send: *const u8,
    receive: *mut u8,
    len: usize,
) -> Handle<'i, ()> {
    let steps = steps_for(len, || steps::alltoall(set));
    let parts = Parts::Equal(len);
    // SAFETY: both hold a part for each image, and stay valid (contract above).
    unsafe {
        let signature = Some(Signature::of_bytes(Kind::Alltoall, len));
        let buffers = AlltoallBuffers::new(send, parts, receive, parts);
        deal(image, set, &buffers, steps, signature)
    }
}

/// Begins an alltoall of `len` bytes for each image at `receive`, which those of each image replace.
///
/// # Safety
/// `receive` is valid for that times the number of images as long as the module says.
pub unsafe fn alltoall_in_place<'i>(
    image: &'i Image,
    set: &ImageSet,
    receive: *mut u8,
    len: usize,
) -> Handle<'i, ()> {
    // SAFETY: there are as many bytes (contract above).
    let send = unsafe { bytes(receive, len * set.len()) }.to_vec();
    // SAFETY: both have a part for each image; the handle keeps the one until the operation is complete.
    unsafe { alltoall(image, set, send.as_ptr(), receive, len) }.map(|()| drop(send))
}

/// Begins a reduction of the vectors at `all`, which have `count` elements for each image. Each image gets its part of the result at
/// `mine`.
///
/// # Safety
/// `all` is valid for `count` elements for each image, and `mine` for as many, as long as the module says; they do not overlap.
pub unsafe fn reduce_scatter<'i>(
    image: &'i Image,
    set: &ImageSet,
    all: *const u8,
    mine: *mut u8,
    count: usize,
    combine: Combine,
) -> Handle<'i, ()> {
    let len = count * combine.element();
    let signature = Some(reduce_scatter::signature(count, &combine.reduction()));
    let mut operands = Operands::new(image, set, set.split(image), len);
    let parts = Parts::Equal(len);
    let steps = steps_for(len, || steps::alltoall(set));
    // SAFETY: both hold a part for each image, and stay valid (contract above); the operation owns the operands to its end.
    let handle = unsafe {
        let buffers = AlltoallBuffers::new(all, parts, operands.start(), parts);
        deal(image, set, &buffers, steps, signature)
    };
    let accesses = Accesses::of(image).writes(mine, len).begin();
    let handle = handle.map(move |()| {
        if count > 0 {
            // SAFETY: `mine` has room, and stays valid (contract above).
            unsafe { operands.combine(mine, count, &combine.reduction()) };
        }
    });
    handle.accessing(accesses).using(mine, len)
}

/// Begins an allgather of parts of any lengths: each image sends its own to every other one.
///
/// # Errors
/// Those of [`alltoallv`].
///
/// # Safety
/// `mine` is valid for the length of this image, and `all` for its parts, as long as the module says; these do not overlap one
/// another. `mine` is this image's part of `all`, or overlaps none of them.
pub unsafe fn allgatherv<'i>(
    image: &'i Image,
    set: &ImageSet,
    mine: *const u8,
    all: *mut u8,
    parts: &Parts<'_>,
) -> Result<Handle<'i, ()>> {
    parts.check_number("allgatherv", set.len())?;
    let me = set.position().expect("a member of the set");
    let (lens, offsets) = (vec![parts.len(me); set.len()], vec![0; set.len()]);
    let send_parts = Parts::Given { lens: &lens, offsets: &offsets };
    // SAFETY: the parts stay valid (contract above).
    unsafe {
        let buffers = AlltoallBuffers::new(mine, send_parts, all, *parts);
        let signature = Signature::of_any_parts(Kind::Allgather).of_parts(0);
        Ok(deal(image, set, &buffers, steps::alltoall(set), Some(signature)))
    }
}

/// Begins an alltoall of parts of any lengths, which are anywhere in the buffers.
///
/// # Errors
/// When there is not a part for each image, or this image does not give itself the length that it expects of itself. The
/// operation has not begun then.
///
/// # Safety
/// The memory of `buffers` is valid as long as the module says.
pub unsafe fn alltoallv<'i>(
    image: &'i Image,
    set: &ImageSet,
    buffers: &AlltoallBuffers<'_>,
) -> Result<Handle<'i, ()>> {
    buffers.send_parts().check_number("alltoallv, to send", set.len())?;
    let own = buffers.send_parts().len(set.position().expect("a member of the set"));
    check("alltoallv", set, own, buffers.receive_parts())?;
    let signature = Signature::of_any_parts(Kind::Alltoallv);
    // SAFETY: the parts stay valid (contract above).
    Ok(unsafe { deal(image, set, buffers, steps::alltoall(set), Some(signature)) })
}

/// Whether there is a part for each image, and that of this image has `own` bytes.
fn check(operation: &str, set: &ImageSet, own: usize, parts: &Parts<'_>) -> Result<()> {
    parts.check_number(operation, set.len())?;
    let me = set.position().expect("a member of the set");
    if parts.len(me) == own { Ok(()) } else { Err(mismatch(operation, me, own, parts.len(me))) }
}

/// The number of positions between the root and this image.
fn from_root(set: &ImageSet, root: usize) -> usize {
    (set.position().expect("a member of the set") + set.len() - root) % set.len()
}

/// Begins an operation whose blocks are the parts of an alltoall: those to send, then those to receive. Copies the part
/// of this image for itself, if it receives one. `signature`: the terms that images compare; `None` for none.
///
/// # Safety
/// The memory of `buffers` is valid as long as the module says.
pub(in crate::nonblocking) unsafe fn deal<'i>(
    image: &'i Image,
    set: &ImageSet,
    buffers: &AlltoallBuffers<'_>,
    steps: Vec<Step>,
    signature: Option<Signature>,
) -> Handle<'i, ()> {
    let me = set.position().expect("a member of the set");
    let n = set.len();
    let part = |start: *mut u8, parts: &Parts<'_>, position: usize| match parts.len(position) {
        // An address that is not used: the caller may give null where it has no bytes.
        0 => (NonNull::dangling().as_ptr(), 0),
        len => (start.wrapping_add(parts.offset(position)), len),
    };
    let given = (0..n).map(|to| part(buffers.send().cast_mut(), buffers.send_parts(), to));
    let received = (0..n).map(|from| part(buffers.receive(), buffers.receive_parts(), from));
    let blocks: Box<[_]> = given.chain(received).collect();
    let used = blocks.clone();
    let accesses = Accesses::of(image).of_alltoall(set, buffers).begin();
    buffers.keep(me);
    let memory = Memory::Parts(blocks);
    let program = Program { steps, memory, combine: None, signature };
    // SAFETY: all parts stay valid (contract above).
    let handle = unsafe { begin(image, set, program, || ()) }.accessing(accesses);
    used.into_iter().fold(handle, |handle, (start, len)| handle.using(start, len))
}
