//! Collectives on a team in which the images have parts of a whole: gather, scatter, alltoall.

use super::collective::{check, position};
use super::outcome::{not_null, outcome};
use super::team::{TeamHandle, set_of};
use crate::process::instance;
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use xmp_collectives::gather::Gathering;
use xmp_collectives::leaders::alltoall::Exchange;
use xmp_collectives::scatter::Scattering;
use xmp_collectives::{Parts, raw};
use xmp_core::Result;
use xmp_core::image_set::ImageSet;

/// The bytes of all images for one.
///
/// # Safety
/// `mine` has `bytes` bytes; on the image that gets them `all` has that many for each image of the team. They do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_co_gather(
    team: TeamHandle,
    mine: *const c_void,
    all: *mut c_void,
    bytes: usize,
    result_image: c_int,
) -> c_int {
    let attempt = || -> Result<()> {
        let (set, root) = equal_parts(team, result_image, mine, all, bytes)?;
        // SAFETY: the caller's guarantee.
        unsafe { raw::gather(&instance().image, &set, root, mine.cast(), all.cast(), bytes) }
    };
    outcome("xmprt_co_gather", attempt)
}

/// As [`xmprt_co_gather`], with parts of any length, which lie anywhere.
///
/// # Safety
/// `mine` has `bytes` bytes; on the image that gets them `lens` and `offsets` have a number for each image of the team, and
/// `all` has room for these parts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_co_gatherv(
    team: TeamHandle,
    mine: *const c_void,
    bytes: usize,
    all: *mut c_void,
    lens: *const usize,
    offsets: *const usize,
    result_image: c_int,
) -> c_int {
    let attempt = || -> Result<()> {
        let image = &instance().image;
        let (set, root) = root_of(team, result_image, mine, bytes)?;
        // SAFETY: the caller's guarantee.
        let parts = unsafe { parts_of_root(&set, root, all, (lens, offsets))? };
        // SAFETY: the caller's guarantee.
        unsafe {
            let (mine, all) = (mine.cast(), all.cast());
            let gather = Gathering { mine, len: bytes, all, parts, equal: false };
            raw::gatherv(image, &set, root, &gather)
        }
    };
    outcome("xmprt_co_gatherv", attempt)
}

/// The bytes of one image, a part for each.
///
/// # Safety
/// `mine` has `bytes` bytes; on the image that gives them `all` has that many for each image of the team. They do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_co_scatter(
    team: TeamHandle,
    all: *const c_void,
    mine: *mut c_void,
    bytes: usize,
    source_image: c_int,
) -> c_int {
    let attempt = || -> Result<()> {
        let (set, root) = equal_parts(team, source_image, mine, all, bytes)?;
        // SAFETY: the caller's guarantee.
        unsafe { raw::scatter(&instance().image, &set, root, all.cast(), mine.cast(), bytes) }
    };
    outcome("xmprt_co_scatter", attempt)
}

/// As [`xmprt_co_scatter`], with parts of any length, which lie anywhere.
///
/// # Safety
/// `mine` has room for `bytes` bytes; on the image that gives them `lens` and `offsets` have a number for each image of the
/// team, and `all` has these parts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_co_scatterv(
    team: TeamHandle,
    all: *const c_void,
    lens: *const usize,
    offsets: *const usize,
    mine: *mut c_void,
    bytes: usize,
    source_image: c_int,
) -> c_int {
    let attempt = || -> Result<()> {
        let image = &instance().image;
        let (set, root) = root_of(team, source_image, mine, bytes)?;
        // SAFETY: the caller's guarantee.
        let parts = unsafe { parts_of_root(&set, root, all, (lens, offsets))? };
        // SAFETY: the caller's guarantee.
        unsafe {
            let (mine, all) = (mine.cast(), all.cast());
            let scatter = Scattering { all, parts, mine, len: bytes, equal: false };
            raw::scatterv(image, &set, root, &scatter)
        }
    };
    outcome("xmprt_co_scatterv", attempt)
}

/// A part of each image for each image.
///
/// # Safety
/// `send` and `receive` have `bytes` bytes for each image of the team and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_co_alltoall(
    team: TeamHandle,
    send: *const c_void,
    receive: *mut c_void,
    bytes: usize,
) -> c_int {
    let attempt = || -> Result<()> {
        let (image, set) = (&instance().image, set_of(team)?);
        check(send, bytes, set.len())?;
        check(receive, bytes, set.len())?;
        // SAFETY: the caller's guarantee.
        unsafe { raw::alltoall(image, &set, send.cast(), receive.cast(), bytes) }
    };
    outcome("xmprt_co_alltoall", attempt)
}

/// As [`xmprt_co_alltoall`], with parts of any length, which lie anywhere.
///
/// # Safety
/// The lengths and offsets have a number for each image of the team; `send` has these parts, `receive` has room for its. They
/// do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_co_alltoallv(
    team: TeamHandle,
    send: *const c_void,
    send_lens: *const usize,
    send_offsets: *const usize,
    receive: *mut c_void,
    receive_lens: *const usize,
    receive_offsets: *const usize,
) -> c_int {
    let attempt = || -> Result<()> {
        let (image, set) = (&instance().image, set_of(team)?);
        // SAFETY: the caller's guarantee.
        unsafe {
            let sent = parts(&set, send, send_lens, send_offsets)?;
            let received = parts(&set, receive, receive_lens, receive_offsets)?;
            let (send, receive) = (send.cast(), receive.cast());
            let exchange = Exchange { send, send_parts: sent, receive, receive_parts: received };
            raw::alltoallv(image, &set, &exchange)
        }
    };
    outcome("xmprt_co_alltoallv", attempt)
}

/// The images of a team, and the position of the one with this index, when this image has `bytes` bytes at `mine`.
///
/// # Errors
/// When there is no such team or image, or the bytes cannot be there.
pub fn root_of(
    team: TeamHandle,
    index: c_int,
    mine: *const c_void,
    bytes: usize,
) -> Result<(Rc<ImageSet>, usize)> {
    let set = set_of(team)?;
    let root = position(&set, index)?;
    check(mine, bytes, 1)?;
    Ok((set, root))
}

/// As [`root_of`], where that image has as many bytes for each at `all`.
///
/// # Errors
/// As there.
pub fn equal_parts(
    team: TeamHandle,
    index: c_int,
    mine: *const c_void,
    all: *const c_void,
    bytes: usize,
) -> Result<(Rc<ImageSet>, usize)> {
    let (set, root) = root_of(team, index, mine, bytes)?;
    if set.position() == Some(root) {
        check(all, bytes, set.len())?;
    }
    Ok((set, root))
}

/// Parts of `data`, one for each image of a team.
///
/// # Errors
/// When there are no numbers, or the parts cannot be there.
///
/// # Safety
/// `lens` and `offsets` are null, or have so many numbers for as long as the parts are used.
pub unsafe fn parts<'a>(
    set: &ImageSet,
    data: *const c_void,
    lens: *const usize,
    offsets: *const usize,
) -> Result<Parts<'a>> {
    not_null(lens, "lens")?;
    not_null(offsets, "offsets")?;
    // SAFETY: the caller's guarantee.
    let (lens, offsets) = unsafe {
        let of = |numbers| std::slice::from_raw_parts(numbers, set.len());
        (of(lens), of(offsets))
    };
    for (&len, &offset) in lens.iter().zip(offsets) {
        check(data, offset.saturating_add(len), 1)?;
    }
    Ok(Parts::Given { lens, offsets })
}

/// As [`parts`] on the image at the position `root`; on the others nothing is looked at.
///
/// # Errors
/// As there.
///
/// # Safety
/// As there, on that image.
pub unsafe fn parts_of_root<'a>(
    set: &ImageSet,
    root: usize,
    data: *const c_void,
    (lens, offsets): (*const usize, *const usize),
) -> Result<Parts<'a>> {
    match set.position() == Some(root) {
        // SAFETY: the caller's guarantee.
        true => unsafe { parts(set, data, lens, offsets) },
        false => Ok(Parts::Equal(0)),
    }
}
