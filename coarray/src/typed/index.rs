//! Designators of images in Rust programs: an index in the executing set, in a team, or in a sibling team.

use super::party::Designator;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Rank, Result};
use xmp_teams::Team;

/// An image: by its index in the executing set, in a team, or in a sibling team. What Fortran writes as
/// `a[3]`, `a[3, team=t]` and `a[3, team_number=2]` is `3`, `(&t, 3)` and `(Sibling(2), 3)` here.
///
/// ```
/// use xmp_coarray::prelude::*;
///
/// run_on_threads(4, |image| {
///     let all = Team::current(image);
///     let halves = image.form_team(image.this_image() as i64 % 2 + 1)?;
///     let a = Coarray::filled(image, 1, image.this_image())?;
///     image.change_team(&halves, |image| {
///         // Team 2 has the images 1 and 3, team 1 the images 2 and 4.
///         assert_eq!(a.get_one((&all, 3), 0)?, 3);
///         assert_eq!(a.get_one((Sibling(2), 1), 0)?, 1);
///         assert_eq!(a.get_one(2, 0)?, if image.team_number() == 2 { 3 } else { 4 });
///         Ok(())
///     })
/// })?;
/// # Ok::<(), Error>(())
/// ```
pub trait Coindex: Designator {}

impl<D: Designator> Coindex for D {}

/// The number of a team that was formed together with the current team (Fortran's `team_number=`): by the same FORM
/// TEAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sibling(pub i64);

impl Designator for usize {
    #[inline(always)]
    fn rank(self, image: &Image) -> Result<Rank> {
        match i32::try_from(self).ok().and_then(|index| image.stack().rank_of_index(index)) {
            Some(rank) => Ok(rank),
            None => rank_in(&image.executing(), self),
        }
    }
}

impl Designator for (&Team, usize) {
    fn rank(self, image: &Image) -> Result<Rank> {
        let (team, index) = self;
        team.check_usable(image)?;
        rank_in(team.set(), index)
    }
}

impl Designator for (Sibling, usize) {
    fn rank(self, image: &Image) -> Result<Rank> {
        let (Sibling(number), index) = self;
        rank_in(&*Team::current(image).sibling(image, number)?, index)
    }
}

/// The 0-based position of a 1-based image index of a set.
///
/// # Errors
/// [`xmp_core::Error::ImageIndex`].
pub(super) fn position_of(set: &ImageSet, index: usize) -> Result<usize> {
    rank_in(set, index).map(|_| index - 1)
}

#[inline(never)]
fn rank_in(set: &ImageSet, index: usize) -> Result<Rank> {
    set.rank_of_index(i64::try_from(index).unwrap_or(i64::MAX))
}
