//! Statements that a Rust program executes on a team without changing to it.

use super::party::{LastingParty, Party};
use super::statements::Statements;
use std::rc::Rc;
use xmp_core::Image;
use xmp_core::image_set::ImageSet;

/// An image as a member of a team, whichever set executes: its [`Statements`] refer to that team. Made by
/// [`Regions::on`](super::Regions::on).
#[derive(Clone, Debug)]
pub struct OnTeam<'a> {
    pub(super) image: &'a Image,
    pub(super) set: Rc<ImageSet>,
}

impl Party for OnTeam<'_> {
    #[inline]
    fn image(&self) -> &Image {
        self.image
    }

    #[inline]
    fn set(&self) -> Rc<ImageSet> {
        self.set.clone()
    }
}

impl<'i> LastingParty<'i> for &OnTeam<'i> {
    fn image(&self) -> &'i Image {
        self.image
    }

    fn set(&self) -> Rc<ImageSet> {
        self.set.clone()
    }
}

impl Statements for OnTeam<'_> {}
