//! The views that all images of a set have of a file.

use crate::global::{StoredSection, check_nodes};
use xmp_core::Rank;
use xmp_core::global::{Along, Array, Coords, Sequence};
use xmp_core::image_set::ImageSet;

/// What all images see of the file, but for the displacement.
#[derive(Clone, Debug)]
pub enum Views {
    /// All bytes.
    All(Box<Sequence>),
    /// The sequence of each image, by position in the set.
    Parts(Vec<Sequence>),
}

impl Views {
    /// All images see all bytes.
    pub fn all() -> Views {
        Views::All(Box::new(Sequence::all(1)))
    }

    /// Each image sees the elements that it has of a section.
    ///
    /// # Errors
    /// [`xmp_core::Error::Invalid`] for more bytes than can be counted, and for elements that no image of the set has.
    pub fn parts(set: &ImageSet, stored: StoredSection<'_>) -> xmp_core::Result<Views> {
        let (array, section) = (stored.storage().array(), stored.section());
        let element = stored.storage().element();
        let of = |rank: Rank| {
            let coords = array.coords(rank);
            Sequence::new(array, section, coords.as_deref(), element)
        };
        let sequence = |rank| of(rank).map_err(|error| error.of("a view of an array"));
        check_nodes("a view of an array", set, array.nodes().members(), |rank| {
            of(rank).is_ok_and(|sequence| sequence.own() > 0) && !has_other_copies(array)
        })?;
        Ok(Views::Parts(set.ranks().map(sequence).collect::<xmp_core::Result<_>>()?))
    }

    /// What the image at a position sees.
    pub fn of(&self, position: usize) -> &Sequence {
        match self {
            Views::All(sequence) => sequence,
            Views::Parts(sequences) => &sequences[position],
        }
    }
}

/// Whether several images have the same elements.
fn has_other_copies(array: &Array) -> bool {
    let shape = array.nodes().shape();
    array.along().iter().zip(shape).any(|(along, &size)| *along == Along::All && size > 1)
}

/// Whether `rank` has the copy of its elements of an array that is written, where images of `set` write it.
pub fn is_writer(set: &ImageSet, array: &Array, rank: Rank) -> bool {
    let members = array.nodes().members();
    let executes =
        |position| members.rank(position).is_some_and(|rank| set.position_of(rank).is_some());
    let is_first = |coords: Coords| {
        array.along().iter().zip(coords).all(|(along, coord)| *along != Along::All || coord == 0)
    };
    !(0..members.len()).all(executes) || array.coords(rank).is_some_and(is_first)
}
