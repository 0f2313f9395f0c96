//! Statements that a Rust program executes on a team without changing to it.

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

impl Statements for OnTeam<'_> {
    #[inline]
    fn image_and_set(&self) -> (&Image, Rc<ImageSet>) {
        (self.image, self.set.clone())
    }
}
