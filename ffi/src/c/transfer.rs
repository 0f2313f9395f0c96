//! Copies to and from other images.

use super::argument::Data;
use super::outcome::{inquiries, outcome};
use super::team::{TeamHandle, set_of};
use crate::entry::entries;
use crate::process::{Instance, instance};
use std::ffi::c_int;
use std::rc::Rc;
use xmp_coarray::front_end::Location;
use xmp_coarray::front_end::plan::copy_block;
use xmp_coarray::front_end::transfer::{get, put};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};
use xmp_teams::{Team, holders};

/// The place on image `index` of a set that corresponds to `bytes` bytes at `shared` here.
///
/// # Errors
/// When these are not within one block that both images have; [`Error::ImageIndex`].
fn place(set: Result<Rc<ImageSet>>, index: c_int, shared: Data, bytes: usize) -> Result<Location> {
    let Instance { image, registry, .. } = instance();
    let rank = set?.rank_of_index(index.into())?;
    let registry = registry.borrow();
    let found = registry.find(image, shared.start());
    let (id, within) = found.ok_or(Error::UnmappedAddress(shared.start().addr() as u64))?;
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

/// Memory of this image that is copied from or to.
#[derive(Clone, Copy)]
struct Own {
    data: Data,
    /// What messages call it.
    name: &'static str,
    bytes: usize,
}

/// Executes a copy between own memory and a place on another image. What loads and stores reach is copied by
/// `local`, outside the lock of the image, so that several threads copy at the same time; anything else by
/// `remote`.
fn copy(
    function: &str,
    own: Own,
    place: impl FnOnce() -> Result<Location>,
    local: impl FnOnce(*mut u8),
    remote: impl FnOnce(&Image, Location) -> Result<()>,
) -> c_int {
    let mut reached = None;
    let code = outcome(function, || {
        let at = place()?;
        if own.bytes > 0 {
            own.data.not_null(own.name)?;
        }
        let image = &instance().image;
        reached = image.local_address(at.rank, at.offset);
        if reached.is_some() { Ok(()) } else { remote(image, at) }
    });
    if let Some(there) = reached {
        local(there);
    }
    code
}

/// Copies `bytes` bytes to a place on another image.
fn put_to(
    function: &str,
    place: impl FnOnce() -> Result<Location>,
    data: Data,
    bytes: usize,
) -> c_int {
    let from = data.start();
    // SAFETY: the contract of entries: `from` has `bytes` bytes. The place is within a block; the program orders
    // accesses.
    let local = |to| unsafe { copy_block(to, from, bytes) };
    // SAFETY: the contract of entries: `from` has `bytes` bytes; the transfer checks the place.
    let remote = |image: &Image, to| unsafe { put(image, to, from, bytes) };
    copy(function, Own { data, name: "from", bytes }, place, local, remote)
}

/// Copies `bytes` bytes from a place on another image.
fn get_from(
    function: &str,
    place: impl FnOnce() -> Result<Location>,
    data: Data,
    bytes: usize,
) -> c_int {
    let to = data.start();
    // SAFETY: the contract of entries: `to` has `bytes` bytes, and the place lies within a block.
    let local = |from: *mut u8| unsafe { copy_block(to, from, bytes) };
    // SAFETY: the contract of entries: `to` has `bytes` bytes; the transfer checks the place.
    let remote = |image: &Image, from| unsafe { get(image, from, to, bytes) };
    copy(function, Own { data, name: "to", bytes }, place, local, remote)
}

entries! {
    /// Copies to an image of a team.
    pub fn xmprt_put(team: TeamHandle, image: c_int, to: Data, from: Data, bytes: usize) -> c_int {
        put_to("xmprt_put", || place(set_of(team), image, to, bytes), from, bytes)
    }

    /// Copies from an image of a team.
    pub fn xmprt_get(team: TeamHandle, image: c_int, to: Data, from: Data, bytes: usize) -> c_int {
        get_from("xmprt_get", || place(set_of(team), image, from, bytes), to, bytes)
    }

    /// Copies to an image of a team beside the current one.
    pub fn xmprt_sibling_put(number: i64, image: c_int, to: Data, from: Data, bytes: usize) -> c_int {
        put_to("xmprt_sibling_put", || place(sibling(number), image, to, bytes), from, bytes)
    }

    /// Copies from an image of a team beside the current one.
    pub fn xmprt_sibling_get(number: i64, image: c_int, to: Data, from: Data, bytes: usize) -> c_int {
        get_from("xmprt_sibling_get", || place(sibling(number), image, from, bytes), to, bytes)
    }
}

inquiries! {
    /// The number of images of a team beside the current one.
    fn xmprt_sibling_images(number: i64) -> c_int {
        sibling(number).map(|set| set.len() as c_int)
    }
}
