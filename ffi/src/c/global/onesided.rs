//! Gmove `in` and `out`: one side may be on images that do not take part.

use super::array::Distributed;
use super::moves::sides;
use super::range::Range;
use super::{ObjectHandle, array_of};
use crate::c::outcome::outcome;
use crate::process::instance;
use std::ffi::c_int;
use xmp_collectives::allgather;
use xmp_collectives::global::{Place, Remote, gmove_in, gmove_out};
use xmp_core::{Error, Rank, Result};

impl Distributed {
    /// Where an image has its part.
    fn place_of(&self, rank: Rank) -> Result<Place> {
        let unknown = |what: &str| Error::Invalid(format!("the array was not exposed{what}"));
        let places = self.exposed.get().ok_or_else(|| unknown(""))?;
        places[rank.index()].ok_or_else(|| unknown(&format!(" by image {}", rank.image())))
    }
}

/// Lets images get at an array alone.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_array_expose(array: ObjectHandle) -> c_int {
    let attempt = || -> Result<()> {
        let array = array_of(array)?;
        let image = &instance().image;
        let set = image.executing();
        let mut offsets = vec![0; set.len()];
        allgather(image, &set, &[array.offset], &mut offsets)?;
        let mut places = vec![None; image.job().images()];
        for (rank, offset) in set.ranks().zip(offsets) {
            places[rank.index()] = Some(Place::Segment(offset));
        }
        // Once more says the same again.
        let _ = array.exposed.set(places);
        Ok(())
    };
    outcome("xmprt_array_expose", attempt())
}

/// Gmove in.
///
/// # Safety
/// Ranges are null or have one for each dimension of their array; nobody changes what is read or accesses what is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_gmove_in(
    to: ObjectHandle,
    to_ranges: *const Range,
    from: ObjectHandle,
    from_ranges: *const Range,
) -> c_int {
    let attempt = || -> Result<()> {
        // SAFETY: the caller's guarantee.
        let [(to, written), (from, read)] = unsafe { sides((to, to_ranges), (from, from_ranges))? };
        let (left, right) = (&to.storage, &from.storage);
        let place = |rank: Rank| from.place_of(rank);
        let remote = Remote { array: &right.array, element: right.element, place: &place };
        let image = &instance().image;
        let set = image.executing();
        // SAFETY: the storages are the arrays' own; the caller's guarantee.
        unsafe { gmove_in(image, &set, (left, &written), (remote, &read)) }
    };
    outcome("xmprt_gmove_in", attempt())
}

/// Gmove out.
///
/// # Safety
/// As [`xmprt_gmove_in`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_gmove_out(
    to: ObjectHandle,
    to_ranges: *const Range,
    from: ObjectHandle,
    from_ranges: *const Range,
) -> c_int {
    let attempt = || -> Result<()> {
        // SAFETY: the caller's guarantee.
        let [(to, written), (from, read)] = unsafe { sides((to, to_ranges), (from, from_ranges))? };
        let (left, right) = (&to.storage, &from.storage);
        let place = |rank: Rank| to.place_of(rank);
        let remote = Remote { array: &left.array, element: left.element, place: &place };
        let image = &instance().image;
        let set = image.executing();
        // SAFETY: the storages are the arrays' own; the caller's guarantee.
        unsafe { gmove_out(image, &set, (remote, &written), (right, &read)) }
    };
    outcome("xmprt_gmove_out", attempt())
}
