//! The coarrays that the images of a team have, which can be coindexed with `TEAM=` (Fortran 2018, 5.4.8 and 9.6).

use crate::team::Team;
use std::rc::Rc;
use xmp_core::image_set::{Frame, ImageSet};
use xmp_core::{Image, Result};

/// The images that have the block in which `offset` of this image's segment is: those that allocated it together.
pub fn holders(image: &Image, offset: u64) -> Rc<ImageSet> {
    let frames = image.stack().frames();
    let entry = |entry: &&Frame| image.memory().is_of_team_since(offset, entry.scope());
    match frames.iter().rev().find(entry) {
        Some(entry) => entry.set().clone(),
        None => image.stack().initial(),
    }
}

impl Team {
    /// Whether a coarray with memory at this `offset` of the segment can be coindexed with image indices of this team:
    /// the current team or an ancestor of it, whose images all have the coarray.
    ///
    /// # Errors
    /// [`xmp_core::Error::Team`] for another team, and for a coarray that was allocated in a team within this one. (Where
    /// the memory would be, its other images have something else.)
    pub fn check_coindexable(&self, image: &Image, offset: u64) -> Result<()> {
        self.check_usable(image)?;
        let frames = image.stack().frames();
        let entered = frames.iter().rposition(|frame| self.owns(frame));
        let Some(entered) = entered.or_else(|| self.is_initial().then_some(0)) else {
            return Err(self.error("TEAM= needs the current team or an ancestor of it".into()));
        };
        let memory = image.memory();
        let lacking = if self.is_initial() {
            memory.is_of_team(offset)
        } else {
            frames
                .get(entered + 1)
                .is_some_and(|within| memory.is_of_team_since(offset, within.scope()))
        };
        if lacking {
            Err(self.error(
                "the coarray was allocated in a team within, so that not all images of TEAM= have it".into(),
            ))
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Team, form, holders, within};
    use xmp_core::transport::threads;

    #[test]
    fn coarrays_are_coindexed_in_the_teams_that_have_them() {
        threads::run(4, 1, |image| {
            let me = i64::from(image.rank().get());
            let allocate = || image.memory().allocate_symmetric(100, 64).unwrap();
            let initial = Team::initial(image);
            let outside = allocate();
            let half = form(image, 1 + me / 2, None).unwrap();
            assert!(half.check_coindexable(image, outside).is_err(), "not entered");
            within(image, &half, |image| {
                let of_half = allocate();
                let alone = form(image, 1 + me % 2, None)?;
                within(image, &alone, |image| {
                    let of_one = allocate();
                    for (offset, images) in
                        [(outside, 4), (of_half, 2), (of_half + 99, 2), (of_one, 1)]
                    {
                        assert_eq!(holders(image, offset).len(), images);
                    }
                    for (team, offset, good) in [
                        (&initial, outside, true),
                        (&initial, of_half, false),
                        (&initial, of_one, false),
                        (&half, outside, true),
                        (&half, of_half + 99, true),
                        (&half, of_one, false),
                        (&alone, of_one, true),
                        (&alone, of_half, true),
                    ] {
                        assert_eq!(team.check_coindexable(image, offset).is_ok(), good);
                    }
                    within(image, &initial, |image| {
                        let in_initial = allocate();
                        assert_eq!(holders(image, in_initial).len(), 4);
                        assert_eq!(holders(image, of_half).len(), 2);
                        for offset in [outside, in_initial] {
                            initial.check_coindexable(image, offset)?;
                            half.check_coindexable(image, offset)?;
                        }
                        assert!(initial.check_coindexable(image, of_half).is_err());
                        let pair = form(image, 1 + me % 2, None)?;
                        within(image, &pair, |image| {
                            let of_pair = allocate();
                            assert!(half.check_coindexable(image, of_pair).is_err());
                            pair.check_coindexable(image, of_pair)?;
                            half.check_coindexable(image, of_half)
                        })
                    })
                })
            })
            .unwrap();
            assert!(half.check_coindexable(image, outside).is_err(), "left");
        })
        .unwrap();
    }
}
