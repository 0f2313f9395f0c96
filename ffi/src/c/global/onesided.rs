//! Gmove `in` and `out`: the images of one side execute it; those of the other side need not take part.

use super::distributed::Distributed;
use super::moves::Sides;
use super::objects::{ObjectHandle, array_of};
use super::range::Range;
use crate::c::argument::List;
use crate::c::outcome::functions;
use crate::process::instance;
use xmp_collectives::allgather;
use xmp_collectives::global::{Remote, RemoteAddress, gmove_in, gmove_out};
use xmp_collectives::refusal::agreed;
use xmp_core::{Error, Image, Rank, Result};

impl Distributed {
    /// Where an image has its part.
    fn place_of(&self, rank: Rank) -> Result<RemoteAddress> {
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
    /// When that cannot be: the image has published something else.
    fn note_place(&self, image: &Image, rank: Rank, offset: u64) -> Result<()> {
        let (array, element) = (self.storage.array(), self.storage.element());
        let stored = match array.coords(rank) {
            Some(coords) => array.stored_len(&coords).map_err(|error| error.of("array"))? as u64,
            None => 0,
        };
        let end = stored.checked_mul(element as u64).and_then(|bytes| bytes.checked_add(offset));
        if end.is_none_or(|end| end > image.layout().teams.end) {
            return Err(Error::Invalid(format!("{rank} exposes something else than the array")));
        }
        let mut exposed = self.exposed.borrow_mut();
        exposed.resize(image.job().images(), None);
        exposed[rank.index()] = Some(RemoteAddress::Segment(offset));
        Ok(())
    }
}

functions! {
    /// Lets images access an array alone.
    fn xmprt_array_expose(array: ObjectHandle) {
        let image = &instance().image;
        let set = image.executing();
        let array = agreed(image, &set, "array_expose", array_of(array))?;
        let mut offsets = vec![0; set.len()];
        allgather(image, &set, &[array.offset], &mut offsets)?;
        set.ranks().zip(offsets).try_for_each(|(rank, offset)| array.note_place(image, rank, offset))
    }

    /// Gmove in: the images that have the left side execute it.
    fn xmprt_gmove_in(to: ObjectHandle, to_ranges: List<Range>, from: ObjectHandle, from_ranges: List<Range>) {
        let Sides { to, left, from, right } = Sides::new(to, to_ranges, from, from_ranges)?;
        let place = |rank: Rank| from.place_of(rank);
        let (array, element) = (from.storage.array(), from.storage.element());
        // SAFETY: the owners have published where their parts are; the contract of entries: no image accesses them in a
        // conflicting way.
        let remote = unsafe { Remote::new(array, element, &place) };
        let image = &instance().image;
        let set = image.executing();
        gmove_in(image, &set, to.storage.section(&left), remote.section(&right))
    }

    /// Gmove out: the images that have the right side execute it.
    fn xmprt_gmove_out(to: ObjectHandle, to_ranges: List<Range>, from: ObjectHandle, from_ranges: List<Range>) {
        let Sides { to, left, from, right } = Sides::new(to, to_ranges, from, from_ranges)?;
        let place = |rank: Rank| to.place_of(rank);
        let (array, element) = (to.storage.array(), to.storage.element());
        // SAFETY: the owners have published where their parts are; the contract of entries: no image accesses them in a
        // conflicting way.
        let remote = unsafe { Remote::new(array, element, &place) };
        let image = &instance().image;
        let set = image.executing();
        gmove_out(image, &set, remote.section(&left), from.storage.section(&right))
    }
}
