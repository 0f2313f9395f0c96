//! Copies to and from other images.

use super::outcome::{inquired, not_null, outcome};
use super::team::{TeamHandle, set_of};
use crate::process::{Instance, instance};
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use xmp_coarray::Location;
use xmp_coarray::plan::copy_block;
use xmp_coarray::transfer::{get, put};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};
use xmp_teams::{Team, holders};

/// The place on image `index` of a set that corresponds to `bytes` bytes at `shared` here.
///
/// # Errors
/// When these are not within one block that both images have; [`Error::ImageIndex`].
fn place(
    set: Result<Rc<ImageSet>>,
    index: c_int,
    shared: *const c_void,
    bytes: usize,
) -> Result<Location> {
    let Instance { image, registry, .. } = instance();
    let rank = set?.rank_of_index(index.into())?;
    let registry = registry.borrow();
    let found = registry.find(image, shared.cast());
    let (id, within) = found.ok_or(Error::UnmappedAddress(shared.addr() as u64))?;
    let block = registry.get(id).expect("found just now");
    let from = within as i64;
    block.check(from, from.saturating_add_unsigned(bytes as u64))?;
    let holders = holders(image, block.offset);
    if holders.position_of(rank).is_none() {
        let images = holders.len();
        return Err(Error::Invalid(format!(
            "{rank} does not have this memory, which a team of {images} images allocated"
        )));
    }
    Ok(Location { rank, offset: block.offset + within })
}

/// The images of the team with this number that was formed together with the current team.
fn sibling(number: i64) -> Result<Rc<ImageSet>> {
    let image = &instance().image;
    Team::current(image).sibling(image, number)
}

/// Executes a copy of `bytes` bytes between memory here, which messages call `name`, and a place on another image. What stores and
/// loads reach is copied by `near`, outside the lock of the image, so that several threads copy at the same time; anything
/// else by `far`.
fn copy(
    function: &str,
    (here, name, bytes): (*const c_void, &str, usize),
    place: impl FnOnce() -> Result<Location>,
    near: impl FnOnce(*mut u8),
    far: impl FnOnce(&Image, Location) -> Result<()>,
) -> c_int {
    let mut reached = None;
    let code = outcome(function, || {
        let at = place()?;
        if bytes > 0 {
            not_null(here, name)?;
        }
        let image = &instance().image;
        reached = image.near(at.rank, at.offset);
        if reached.is_some() { Ok(()) } else { far(image, at) }
    });
    if let Some(there) = reached {
        near(there);
    }
    code
}

/// # Safety
/// `from` has `bytes` bytes.
unsafe fn put_to(
    function: &str,
    place: impl FnOnce() -> Result<Location>,
    from: *const c_void,
    bytes: usize,
) -> c_int {
    // SAFETY: the caller's guarantee; the place is within a block. The order of accesses is the program's affair.
    let near = |to| unsafe { copy_block(to, from.cast(), bytes) };
    // SAFETY: as above.
    let far = |image: &Image, to| unsafe { put(image, to, from.cast(), bytes) };
    copy(function, (from, "from", bytes), place, near, far)
}

/// # Safety
/// `to` has `bytes` bytes.
unsafe fn get_from(
    function: &str,
    place: impl FnOnce() -> Result<Location>,
    to: *mut c_void,
    bytes: usize,
) -> c_int {
    // SAFETY: as in `put_to`.
    let near = |from: *mut u8| unsafe { copy_block(to.cast(), from, bytes) };
    // SAFETY: as above.
    let far = |image: &Image, from| unsafe { get(image, from, to.cast(), bytes) };
    copy(function, (to, "to", bytes), place, near, far)
}

/// Copies to an image of a team.
///
/// # Safety
/// `from` has `bytes` bytes; no image accesses what is copied in a conflicting way without synchronisation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_put(
    team: TeamHandle,
    image: c_int,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe { put_to("xmprt_put", || place(set_of(team), image, to, bytes), from, bytes) }
}

/// Copies from an image of a team.
///
/// # Safety
/// `to` has `bytes` bytes; as [`xmprt_put`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_get(
    team: TeamHandle,
    image: c_int,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe { get_from("xmprt_get", || place(set_of(team), image, from, bytes), to, bytes) }
}

/// Copies to an image of a team beside the current one.
///
/// # Safety
/// As [`xmprt_put`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_sibling_put(
    number: i64,
    image: c_int,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
) -> c_int {
    let place = || place(sibling(number), image, to, bytes);
    // SAFETY: the caller's guarantee.
    unsafe { put_to("xmprt_sibling_put", place, from, bytes) }
}

/// Copies from an image of a team beside the current one.
///
/// # Safety
/// As [`xmprt_get`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_sibling_get(
    number: i64,
    image: c_int,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
) -> c_int {
    let place = || place(sibling(number), image, from, bytes);
    // SAFETY: the caller's guarantee.
    unsafe { get_from("xmprt_sibling_get", place, to, bytes) }
}

/// The number of images of a team beside the current one.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_sibling_images(number: i64) -> c_int {
    inquired("xmprt_sibling_images", || sibling(number).map(|set| set.len() as c_int))
}
