//! Gmove `in` and `out`: one side may be on images that do not take part.

use super::array::Distributed;
use super::moves::sides;
use super::range::Range;
use super::{ObjectHandle, array_of};
use crate::c::outcome::outcome;
use crate::process::instance;
use std::ffi::c_int;
use xmp_collectives::allgather;
use xmp_collectives::global::{Place, Remote, Storage, gmove_in, gmove_out};
use xmp_collectives::refusal::agreed;
use xmp_core::{Error, Image, Rank, Result};

impl Distributed {
    /// Where an image has its part.
    fn place_of(&self, rank: Rank) -> Result<Place> {
        let unknown = |what: &str| Error::Invalid(format!("the array was not exposed{what}"));
        let exposed = self.exposed.borrow();
        if exposed.is_empty() {
            return Err(unknown(""));
        }
        exposed[rank.index()].ok_or_else(|| unknown(&format!(" by image {}", rank.image())))
    }

    /// Notes where an image says that it has its part.
    ///
    /// # Errors
    /// When that cannot be: the image has said something else.
    fn note_place(&self, image: &Image, (rank, offset): (Rank, u64)) -> Result<()> {
        let Storage { array, element, .. } = &self.storage;
        let stored = match array.coords(rank) {
            Some(coords) => array.stored_len(&coords).map_err(|error| error.of("array"))? as u64,
            None => 0,
        };
        let end = stored.checked_mul(*element as u64).and_then(|bytes| bytes.checked_add(offset));
        if end.is_none_or(|end| end > image.layout().teams.end) {
            return Err(Error::Invalid(format!("{rank} exposes something else than the array")));
        }
        let mut exposed = self.exposed.borrow_mut();
        exposed.resize(image.job().images(), None);
        exposed[rank.index()] = Some(Place::Segment(offset));
        Ok(())
    }
}

/// Lets images get at an array alone.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_array_expose(array: ObjectHandle) -> c_int {
    let attempt = || -> Result<()> {
        let image = &instance().image;
        let set = image.executing();
        let array = agreed(image, &set, "array_expose", array_of(array))?;
        let mut offsets = vec![0; set.len()];
        allgather(image, &set, &[array.offset], &mut offsets)?;
        set.ranks().zip(offsets).try_for_each(|place| array.note_place(image, place))
    };
    outcome("xmprt_array_expose", attempt)
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
    outcome("xmprt_gmove_in", attempt)
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
    outcome("xmprt_gmove_out", attempt)
}
