//! An image set: a group of images, with the shared memory that it finds when a collective first needs it.

use super::levels::Levels;
use crate::coll_area::{Areas, CollArea};
use crate::endpoint::Endpoint;
use crate::error::Result;
use crate::image_group::ImageGroup;
use crate::members::Members;
use crate::rank::Rank;
use std::cell::OnceCell;
use std::ops::Deref;
use std::rc::Rc;

/// An [`ImageGroup`] with its shared memory on this host. (As an MPI communicator.)
#[derive(Debug)]
pub struct ImageSet {
    group: ImageGroup,
    /// The collective areas that this image has opened.
    areas: Rc<Areas>,
    levels: OnceCell<Rc<Levels>>,
}

impl Deref for ImageSet {
    type Target = ImageGroup;

    #[inline(always)]
    fn deref(&self) -> &ImageGroup {
        &self.group
    }
}

impl ImageSet {
    /// The set of `members` as seen by the image `rank`, which has opened these collective areas.
    pub fn new(members: Members, rank: Rank, areas: Rc<Areas>) -> ImageSet {
        ImageSet { group: ImageGroup::new(members, rank), areas, levels: OnceCell::new() }
    }

    /// The split of the set over hosts, with the collective area of this image's host. Computed at the first call.
    ///
    /// # Errors
    /// When a member ended while the area was set up.
    ///
    /// # Panics
    /// When this image is not a member.
    #[inline]
    pub fn levels(&self, image: &Endpoint) -> Result<&Levels> {
        match self.levels.get() {
            Some(levels) => Ok(levels),
            None => self.find_levels(image),
        }
    }

    /// The collective area of the fast path ([`Levels::fast_area`]); also `None` when [`ImageSet::levels`] fails.
    ///
    /// # Panics
    /// When this image is not a member.
    #[inline]
    pub fn fast_area(&self, image: &Endpoint) -> Option<&CollArea> {
        match self.levels.get() {
            Some(levels) => levels.fast_area(),
            None => self.find_levels(image).ok()?.fast_area(),
        }
    }

    #[cold]
    fn find_levels(&self, image: &Endpoint) -> Result<&Levels> {
        assert!(self.position().is_some(), "only members look at the levels of a set");
        let levels = Rc::new(Levels::find(image, self, &self.areas)?);
        Ok(self.levels.get_or_init(|| levels))
    }
}
