//! Collectives on a team that begin now, in which the images have parts of a whole, or combine up to each: gather,
//! scatter, alltoall, scans.

use super::collective::check;
use super::exchange::{equal_parts, parts, parts_of_root, root_of};
use super::request::{RequestHandle, begin};
use super::scan::operands;
use super::team::{TeamHandle, set_of};
use crate::process::instance;
use std::ffi::{c_int, c_uint, c_void};
use xmp_collectives::gather::Gathering;
use xmp_collectives::leaders::alltoall::Exchange;
use xmp_collectives::nonblocking::{Combine, Handle, raw};
use xmp_collectives::scatter::Scattering;
use xmp_core::Image;
use xmp_core::image_set::ImageSet;

/// Begins to gather the bytes of all images for one.
///
/// # Safety
/// `mine` has `bytes` bytes, and on the image that gets them `all` has that many for each image of the team, until the
/// operation is complete. They do not overlap. `request` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_begin_co_gather(
    team: TeamHandle,
    mine: *const c_void,
    all: *mut c_void,
    bytes: usize,
    result_image: c_int,
    request: *mut RequestHandle,
) -> c_int {
    let operation = || {
        let (set, root) = equal_parts(team, result_image, mine, all, bytes)?;
        // SAFETY: the caller's guarantee.
        unsafe { raw::gather(&instance().image, &set, root, mine.cast(), all.cast(), bytes) }
    };
    // SAFETY: the caller's guarantee.
    unsafe { begin("xmprt_begin_co_gather", request, operation) }
}

/// As [`xmprt_begin_co_gather`], with parts of any length, which lie anywhere.
///
/// # Safety
/// As there, for these parts; on the image that gets them `lens` and `offsets` have a number for each image of the team
/// during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_begin_co_gatherv(
    team: TeamHandle,
    mine: *const c_void,
    bytes: usize,
    all: *mut c_void,
    lens: *const usize,
    offsets: *const usize,
    result_image: c_int,
    request: *mut RequestHandle,
) -> c_int {
    let operation = || {
        let image = &instance().image;
        let (set, root) = root_of(team, result_image, mine, bytes)?;
        // SAFETY: the caller's guarantee.
        unsafe {
            let parts = parts_of_root(&set, root, all, (lens, offsets))?;
            let (mine, all) = (mine.cast(), all.cast());
            let gather = Gathering { mine, len: bytes, all, parts, equal: false };
            raw::gatherv(image, &set, root, &gather)
        }
    };
    // SAFETY: the caller's guarantee.
    unsafe { begin("xmprt_begin_co_gatherv", request, operation) }
}

/// Begins to give each image its part of the bytes of one.
///
/// # Safety
/// `mine` has `bytes` bytes, and on the image that gives them `all` has that many for each image of the team, until the
/// operation is complete. They do not overlap. `request` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_begin_co_scatter(
    team: TeamHandle,
    all: *const c_void,
    mine: *mut c_void,
    bytes: usize,
    source_image: c_int,
    request: *mut RequestHandle,
) -> c_int {
    let operation = || {
        let (set, root) = equal_parts(team, source_image, mine, all, bytes)?;
        // SAFETY: the caller's guarantee.
        unsafe { raw::scatter(&instance().image, &set, root, all.cast(), mine.cast(), bytes) }
    };
    // SAFETY: the caller's guarantee.
    unsafe { begin("xmprt_begin_co_scatter", request, operation) }
}

/// As [`xmprt_begin_co_scatter`], with parts of any length, which lie anywhere.
///
/// # Safety
/// As there, for these parts; on the image that gives them `lens` and `offsets` have a number for each image of the team
/// during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_begin_co_scatterv(
    team: TeamHandle,
    all: *const c_void,
    lens: *const usize,
    offsets: *const usize,
    mine: *mut c_void,
    bytes: usize,
    source_image: c_int,
    request: *mut RequestHandle,
) -> c_int {
    let operation = || {
        let image = &instance().image;
        let (set, root) = root_of(team, source_image, mine, bytes)?;
        // SAFETY: the caller's guarantee.
        unsafe {
            let parts = parts_of_root(&set, root, all, (lens, offsets))?;
            let (mine, all) = (mine.cast(), all.cast());
            let scatter = Scattering { all, parts, mine, len: bytes, equal: false };
            raw::scatterv(image, &set, root, &scatter)
        }
    };
    // SAFETY: the caller's guarantee.
    unsafe { begin("xmprt_begin_co_scatterv", request, operation) }
}

/// Begins to give each image a part of each.
///
/// # Safety
/// `send` and `receive` have `bytes` bytes for each image of the team until the operation is complete, and do not overlap;
/// `request` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_begin_co_alltoall(
    team: TeamHandle,
    send: *const c_void,
    receive: *mut c_void,
    bytes: usize,
    request: *mut RequestHandle,
) -> c_int {
    let operation = || {
        let (image, set) = (&instance().image, set_of(team)?);
        check(send, bytes, set.len())?;
        check(receive, bytes, set.len())?;
        // SAFETY: the caller's guarantee.
        Ok(unsafe { raw::alltoall(image, &set, send.cast(), receive.cast(), bytes) })
    };
    // SAFETY: the caller's guarantee.
    unsafe { begin("xmprt_begin_co_alltoall", request, operation) }
}

/// As [`xmprt_begin_co_alltoall`], with parts of any length, which lie anywhere.
///
/// # Safety
/// As there, for these parts; the lengths and offsets have a number for each image of the team during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_begin_co_alltoallv(
    team: TeamHandle,
    send: *const c_void,
    send_lens: *const usize,
    send_offsets: *const usize,
    receive: *mut c_void,
    receive_lens: *const usize,
    receive_offsets: *const usize,
    request: *mut RequestHandle,
) -> c_int {
    let operation = || {
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
    // SAFETY: the caller's guarantee.
    unsafe { begin("xmprt_begin_co_alltoallv", request, operation) }
}

/// [`raw::scan`] or [`raw::exscan`].
type Scan = unsafe fn(&'static Image, &ImageSet, *mut u8, usize, Combine) -> Handle<'static, ()>;

/// # Safety
/// `data` has `count` elements of the type until the operation is complete; `request` is null or valid.
unsafe fn combine(
    (function, scan): (&str, Scan),
    team: TeamHandle,
    (data, count): (*mut c_void, usize),
    (element, op): (c_uint, c_uint),
    request: *mut RequestHandle,
) -> c_int {
    let operation = || {
        let (set, reduction) = operands(team, data, count, (element, op))?;
        let combine = Combine::By(reduction);
        // SAFETY: the caller's guarantee.
        Ok(unsafe { scan(&instance().image, &set, data.cast(), count, combine) })
    };
    // SAFETY: the caller's guarantee.
    unsafe { begin(function, request, operation) }
}

/// Begins a combination of the images up to this one.
///
/// # Safety
/// `data` has `count` elements of the type until the operation is complete; `request` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_begin_co_scan(
    team: TeamHandle,
    data: *mut c_void,
    count: usize,
    element: c_uint,
    op: c_uint,
    request: *mut RequestHandle,
) -> c_int {
    let named = ("xmprt_begin_co_scan", raw::scan as Scan);
    // SAFETY: the caller's guarantee.
    unsafe { combine(named, team, (data, count), (element, op), request) }
}

/// Begins a combination of the images before this one.
///
/// # Safety
/// As [`xmprt_begin_co_scan`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_begin_co_exscan(
    team: TeamHandle,
    data: *mut c_void,
    count: usize,
    element: c_uint,
    op: c_uint,
    request: *mut RequestHandle,
) -> c_int {
    let named = ("xmprt_begin_co_exscan", raw::exscan as Scan);
    // SAFETY: the caller's guarantee.
    unsafe { combine(named, team, (data, count), (element, op), request) }
}
