//! Copies to and from other images.

use super::outcome::{inquired, not_null, outcome};
use super::team::{TeamHandle, set_of};
use crate::process::{Instance, instance};
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use xmp_coarray::Location;
use xmp_coarray::transfer::{get, put};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Result};
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

/// # Safety
/// `from` has `bytes` bytes.
unsafe fn put_to(place: Result<Location>, from: *const c_void, bytes: usize) -> Result<()> {
    let to = place?;
    if bytes > 0 {
        not_null(from, "from")?;
    }
    // SAFETY: the caller's guarantee; the place is within a block. The order of accesses is the program's affair.
    unsafe { put(&instance().image, to, from.cast(), bytes) }
}

/// # Safety
/// `to` has `bytes` bytes.
unsafe fn get_from(place: Result<Location>, to: *mut c_void, bytes: usize) -> Result<()> {
    let from = place?;
    if bytes > 0 {
        not_null(to, "to")?;
    }
    // SAFETY: as in `put_to`.
    unsafe { get(&instance().image, from, to.cast(), bytes) }
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
    outcome("xmprt_put", unsafe { put_to(place(set_of(team), image, to, bytes), from, bytes) })
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
    outcome("xmprt_get", unsafe { get_from(place(set_of(team), image, from, bytes), to, bytes) })
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
    let place = place(sibling(number), image, to, bytes);
    // SAFETY: the caller's guarantee.
    outcome("xmprt_sibling_put", unsafe { put_to(place, from, bytes) })
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
    let place = place(sibling(number), image, from, bytes);
    // SAFETY: the caller's guarantee.
    outcome("xmprt_sibling_get", unsafe { get_from(place, to, bytes) })
}

/// The number of images of a team beside the current one.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_sibling_images(number: i64) -> c_int {
    inquired("xmprt_sibling_images", sibling(number).map(|set| set.len() as c_int))
}
