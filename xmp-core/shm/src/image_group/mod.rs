//! Groups: ordered lists of images, and the position of one image in it (as `MPI_Group`). Groups communicate nothing
//! and own no shared memory; an image set ([`crate::image_set`]) is a group with such memory.

mod split;

pub use split::Split;

use crate::endpoint::Endpoint;
use crate::error::{Error, Result};
use crate::members::{Key, Members};
use crate::rank::Rank;
use std::cell::OnceCell;
use std::rc::Rc;

/// An ordered list of images, with the position of this image in it.
#[derive(Debug)]
pub struct ImageGroup {
    members: Members,
    position: Option<usize>,
    key: OnceCell<Key>,
    split: OnceCell<Rc<Split>>,
}

impl ImageGroup {
    /// The group of `members` as seen by the image `rank`.
    pub fn new(members: Members, rank: Rank) -> ImageGroup {
        let position = members.position(rank);
        ImageGroup { members, position, key: OnceCell::new(), split: OnceCell::new() }
    }

    /// Number of images.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Never: a set has at least one image.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The members.
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// The 0-based position of this image, if it is a member.
    #[inline(always)]
    pub fn position(&self) -> Option<usize> {
        self.position
    }

    /// The image at a 0-based position.
    #[inline]
    pub fn rank_at(&self, position: usize) -> Option<Rank> {
        self.members.rank(position)
    }

    /// The image with a 1-based index.
    ///
    /// # Errors
    /// [`Error::ImageIndex`].
    pub fn rank_of_index(&self, index: i64) -> Result<Rank> {
        index
            .checked_sub(1)
            .and_then(|position| self.rank_at(usize::try_from(position).ok()?))
            .ok_or(Error::ImageIndex { index, images: self.len() })
    }

    /// The 0-based position of an image, if it is a member.
    pub fn position_of(&self, rank: Rank) -> Option<usize> {
        self.members.position(rank)
    }

    /// The members in order.
    pub fn ranks(&self) -> impl Iterator<Item = Rank> + Clone + '_ {
        (0..self.len()).map(|position| self.members.rank(position).expect("within the set"))
    }

    /// The key of this set, the same on all images.
    pub fn key(&self) -> Key {
        *self.key.get_or_init(|| Key::of(self.ranks()))
    }

    /// The split of the set over hosts. Computed at the first call, without communication.
    ///
    /// # Panics
    /// When this image is not a member.
    pub fn split(&self, image: &Endpoint) -> &Rc<Split> {
        self.split.get_or_init(|| {
            let position = self.position.expect("only members look at the hosts of a set");
            Rc::new(Split::find(image, self.ranks(), position))
        })
    }
}
