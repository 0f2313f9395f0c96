//! Gather, scatter and alltoall of memory that the caller keeps. Lengths and offsets are in bytes, and are looked at
//! during the call only.

use super::{begin, steps_for};
use crate::gather::Gathering;
use crate::leaders::alltoall::Exchange;
use crate::nonblocking::handle::Handle;
use crate::nonblocking::program::{Memory, Program};
use crate::nonblocking::steps::{self, Step};
use crate::parts::{Parts, Table, bytes, bytes_mut, mismatch};
use crate::scatter::Scattering;
use crate::schedules::binomial_parts;
use crate::two_level::rank_at;
use std::ptr::NonNull;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// As [`crate::nonblocking::gather`], of `len` bytes at `mine`, to `all` of the root.
///
/// # Errors
/// When the root is not in the set.
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
    // What others than the root pass on.
    let mut held = vec![0; if relative == 0 { 0 } else { len * binomial_parts::held(n, relative) }];
    let start = if relative == 0 { all } else { held.as_mut_ptr() };
    let steps = steps_for(len, || steps::gather(set, root));
    let program = Program { steps, memory: Memory::Blocks(start, len), combine: None };
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
        Ok(begin(image, set, program, finish))
    }
}

/// As [`crate::nonblocking::scatter`], of the bytes at `all` of the root, to the `len` bytes at `mine`.
///
/// # Errors
/// When the root is not in the set.
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
    let program = Program { steps, memory, combine: None };
    // SAFETY: the operation owns `held` to its end; `mine` stays valid (contract above).
    unsafe {
        let finish = move || bytes_mut(mine, len).copy_from_slice(&held[..len]);
        Ok(begin(image, set, program, finish))
    }
}

/// As [`gather`], where each image gives as many bytes as it likes: `len` is its own number, `parts` is looked at on
/// the root only and says where what each gives goes.
///
/// # Errors
/// When the root is not in the set; on the root, when there is not a part for each image, or its own has another
/// length. Nothing has begun then.
///
/// # Safety
/// `mine` is valid for `len` bytes as long as the module says, and so are on the root the parts of `all`. They do not
/// overlap, but `mine` of the root may be its part of `all`.
pub unsafe fn gatherv<'i>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    gather: &Gathering<'_>,
) -> Result<Handle<'i, ()>> {
    let Gathering { mine, len, all, parts, .. } = *gather;
    rank_at(set, root)?;
    let is_root = set.position() == Some(root);
    if is_root {
        check("gatherv", set, len, &parts)?;
    }
    let own = Table::only(root, len, set.len());
    let nothing = Table::only(root, 0, set.len());
    let exchange = Exchange {
        send: mine,
        send_parts: own.parts(),
        receive: all,
        receive_parts: if is_root { parts } else { nothing.parts() },
    };
    // SAFETY: `mine` and the parts of `all` stay valid (contract above).
    Ok(unsafe { deal(image, set, &exchange, steps::gatherv(set, root)) })
}

/// As [`scatter`], where images get different numbers of bytes: `len` is that of this image, `parts` is looked at on
/// the root only and says what each gets.
///
/// # Errors
/// As [`gatherv`].
///
/// # Safety
/// As [`gatherv`].
pub unsafe fn scatterv<'i>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    scatter: &Scattering<'_>,
) -> Result<Handle<'i, ()>> {
    let Scattering { all, parts, mine, len, .. } = *scatter;
    rank_at(set, root)?;
    let is_root = set.position() == Some(root);
    if is_root {
        check("scatterv", set, len, &parts)?;
    }
    let own = Table::only(root, len, set.len());
    let nothing = Table::only(root, 0, set.len());
    let exchange = Exchange {
        send: all,
        send_parts: if is_root { parts } else { nothing.parts() },
        receive: mine,
        receive_parts: own.parts(),
    };
    // SAFETY: `mine` and the parts of `all` stay valid (contract above).
    Ok(unsafe { deal(image, set, &exchange, steps::scatterv(set, root)) })
}

/// As [`crate::nonblocking::alltoall`]: `len` bytes at `send` for each image, and of each at `receive`.
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
    let exchange = Exchange { send, send_parts: parts, receive, receive_parts: parts };
    // SAFETY: both hold a part for each image, and stay valid (contract above).
    unsafe { deal(image, set, &exchange, steps) }
}

/// As [`alltoall`], with parts of any length, which lie anywhere.
///
/// # Errors
/// When there is not a part for each image, or this image does not give itself what it expects of itself. Nothing has
/// begun then.
///
/// # Safety
/// As [`alltoall`], for these lengths and places.
pub unsafe fn alltoallv<'i>(
    image: &'i Image,
    set: &ImageSet,
    exchange: &Exchange<'_>,
) -> Result<Handle<'i, ()>> {
    let Exchange { send_parts, receive_parts, .. } = *exchange;
    send_parts.check_number("alltoallv, to send", set.len())?;
    let own = send_parts.len(set.position().expect("a member of the set"));
    check("alltoallv", set, own, &receive_parts)?;
    // SAFETY: the parts stay valid (contract above).
    Ok(unsafe { deal(image, set, exchange, steps::alltoall(set)) })
}

/// Whether there is a part for each image, and that of this one has so many bytes.
fn check(operation: &str, set: &ImageSet, own: usize, parts: &Parts<'_>) -> Result<()> {
    parts.check_number(operation, set.len())?;
    let me = set.position().expect("a member of the set");
    if parts.len(me) == own { Ok(()) } else { Err(mismatch(operation, me, own, parts.len(me))) }
}

/// How many places this image stands behind the root.
fn from_root(set: &ImageSet, root: usize) -> usize {
    (set.position().expect("a member of the set") + set.len() - root) % set.len()
}

/// Begins an operation whose blocks are the parts of an exchange: those to send, then those to receive. Copies the part
/// of this image to itself.
///
/// # Safety
/// The parts are valid for their lengths until the end of the operation, those to send for reads only.
pub(in crate::nonblocking) unsafe fn deal<'i>(
    image: &'i Image,
    set: &ImageSet,
    exchange: &Exchange<'_>,
    steps: Vec<Step>,
) -> Handle<'i, ()> {
    let Exchange { send, send_parts, receive, receive_parts } = *exchange;
    let me = set.position().expect("a member of the set");
    let n = set.len();
    let part = |start: *mut u8, parts: Parts<'_>, position: usize| match parts.len(position) {
        // Without bytes any address will do, and null may have been given.
        0 => (NonNull::dangling().as_ptr(), 0),
        len => (start.wrapping_add(parts.offset(position)), len),
    };
    let given = (0..n).map(|to| part(send.cast_mut(), send_parts, to));
    let blocks: Box<[_]> =
        given.chain((0..n).map(|from| part(receive, receive_parts, from))).collect();
    let ((own, len), (place, _)) = (blocks[me], blocks[n + me]);
    let program = Program { steps, memory: Memory::Parts(blocks), combine: None };
    // SAFETY: all parts are valid (contract above); the two of this image have one length.
    unsafe {
        if len > 0 {
            std::ptr::copy(own, place, len);
        }
        begin(image, set, program, || ())
    }
}
