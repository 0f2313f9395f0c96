//! Image sets: ordered lists of images, and the stack of executing ones.
//!
//! A set is immutable and shared by reference count. Sets given by a formula cost nothing to make and to enter: no
//! communication, no synchronisation. Their shared memory is found when a collective first needs it ([`Levels`]).

mod cache;
mod key;
mod levels;
mod list;
mod members;
mod split;
mod stack;

pub(crate) use cache::SetCache;
pub use key::Key;
pub use levels::Levels;
pub use list::by_rank;
pub use members::Members;
pub use split::Split;
pub(crate) use stack::Segments;
pub use stack::{Frame, Stack};

use crate::coll_area::CollArea;
use crate::error::{Error, Result};
use crate::image::Image;
use crate::rank::Rank;
use std::cell::OnceCell;
use std::rc::Rc;

/// An ordered list of images, with the position of this image in it.
#[derive(Debug)]
pub struct ImageSet {
    members: Members,
    position: Option<usize>,
    key: OnceCell<Key>,
    split: OnceCell<Rc<Split>>,
    levels: OnceCell<Rc<Levels>>,
}

impl ImageSet {
    /// The set of `members` as seen by the image `rank`.
    pub(crate) fn new(members: Members, rank: Rank) -> ImageSet {
        let position = members.position(rank);
        ImageSet {
            members,
            position,
            key: OnceCell::new(),
            split: OnceCell::new(),
            levels: OnceCell::new(),
        }
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
    pub fn split(&self, image: &Image) -> &Rc<Split> {
        self.split.get_or_init(|| Rc::new(Split::find(image, self)))
    }

    /// The split of the set over hosts, with the collective area of this image's host. Computed at the first call.
    ///
    /// # Errors
    /// When a member ended while the area was set up.
    ///
    /// # Panics
    /// When this image is not a member.
    #[inline]
    pub fn levels(&self, image: &Image) -> Result<&Levels> {
        match self.levels.get() {
            Some(levels) => Ok(levels),
            None => self.find_levels(image),
        }
    }

    /// The collective area of the fast path ([`Levels::express`]); also `None` when [`ImageSet::levels`] fails.
    ///
    /// # Panics
    /// When this image is not a member.
    #[inline]
    pub fn express(&self, image: &Image) -> Option<&CollArea> {
        match self.levels.get() {
            Some(levels) => levels.express(),
            None => self.find_levels(image).ok()?.express(),
        }
    }

    #[cold]
    fn find_levels(&self, image: &Image) -> Result<&Levels> {
        assert!(self.position.is_some(), "only members look at the levels of a set");
        let levels = Rc::new(Levels::find(image, self)?);
        Ok(self.levels.get_or_init(|| levels))
    }
}
