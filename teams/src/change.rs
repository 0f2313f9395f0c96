//! CHANGE TEAM and END TEAM (Fortran 2018, 11.1.5).

use crate::region_guard::RegionGuard;
use crate::sync::{complete, synchronise, synchronise_active};
use crate::team::Team;
use std::ops::Range;
use xmp_collectives::{BarrierStatement, greatest_active, greatest_of};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// Makes `team` the current team: one that the executing set has formed, or the initial team. All images of the
/// team call it, and are synchronised by it; others are not concerned. Completes this image's transfers.
///
/// # Errors
/// [`Error::Team`] for another team. When an image of the team has stopped or failed. The team is not entered then,
/// and no END TEAM belongs to this call.
pub fn change(image: &Image, team: &Team) -> Result<()> {
    let floor = if is_formed_by_current(image, team)? {
        synchronise(image, team.set(), BarrierStatement::CHANGE_TEAM)?;
        None
    } else {
        Some(meet(image, team)?)
    };
    image.enter(team.set(), Some(team.to_owner()), floor);
    Ok(())
}

/// Enters a team for CHANGE TEAM with `stat=`: images that have *failed* do not prevent it. Those that are left
/// synchronise and enter the team, and the error is the value: an END TEAM belongs to this call then (Fortran 2018,
/// 11.1.5.2 and 11.6.11).
///
/// # Errors
/// The other errors of [`change`], a stopped image among them. For the initial team, whose images must
/// agree about their heaps, a failed image is an error, too, where those that are left cannot meet.
pub fn change_active(image: &Image, team: &Team) -> Result<Result<()>> {
    let (floor, failures) = if is_formed_by_current(image, team)? {
        match synchronise_active(image, team.set(), BarrierStatement::CHANGE_TEAM) {
            Err(failed @ Error::FailedImage(_)) => (None, Err(failed)),
            outcome => (None, Ok(outcome?)),
        }
    } else {
        complete(image)?;
        let edge = image.memory().teams_edge();
        let (edge, failures) = greatest_active(image, team.set(), edge, "change team")?;
        (Some(edge), failures)
    };
    image.enter(team.set(), Some(team.to_owner()), floor);
    Ok(failures)
}

/// Whether a team was formed by the current one; else it is the initial team.
///
/// # Errors
/// When it is neither, so that CHANGE TEAM cannot enter it.
fn is_formed_by_current(image: &Image, team: &Team) -> Result<bool> {
    image.threads().only_one()?;
    team.check_usable(image)?;
    let Some(origin) = team.origin() else { return Ok(false) };
    if image.stack().top().serial() == origin.entry {
        Ok(true)
    } else {
        Err(team.error(format!(
            "CHANGE TEAM needs a team formed by the current one (number {}), or the initial team",
            Team::current(image).number()
        )))
    }
}

/// Images come together that may be in different teams now, whose teams heaps differ: they agree on where all of
/// these end. Instead of a barrier.
fn meet(image: &Image, team: &Team) -> Result<u64> {
    complete(image)?;
    greatest_of(image, team.set(), image.memory().teams_edge(), "change team")
}

/// The outcome of END TEAM.
#[derive(Debug)]
#[must_use = "the team was left, but its images may not have synchronised"]
pub struct EndTeamOutcome {
    released: Vec<Range<u64>>,
    outcome: Result<()>,
}

impl EndTeamOutcome {
    /// How the synchronisation of the team's images went: the team was left in either case.
    ///
    /// # Errors
    /// When an image of the team has stopped or failed.
    pub fn outcome(&self) -> Result<()> {
        self.outcome.clone()
    }

    /// The blocks of the symmetric heaps that were freed, as offsets in the segment: code that keeps descriptors of
    /// them drops these.
    pub fn released(&self) -> &[Range<u64>] {
        &self.released
    }
}

/// Leaves the current team: synchronises its images, completes this image's transfers, and frees what the team
/// has allocated in the symmetric heaps since CHANGE TEAM and not freed.
///
/// Also when an image of the team has stopped or failed the team is left and the memory freed;
/// [`EndTeamOutcome::outcome`] says so.
///
/// # Errors
/// [`Error::Invalid`] when no CHANGE TEAM is left to end, or a task region that was entered later has not ended:
/// nothing has happened then.
pub fn end(image: &Image) -> Result<EndTeamOutcome> {
    end_after(image, synchronise)
}

/// Leaves the current team for END TEAM with `stat=`: its live images synchronise also when others have failed.
///
/// # Errors
/// The errors of [`end`].
pub fn end_active(image: &Image) -> Result<EndTeamOutcome> {
    end_after(image, synchronise_active)
}

fn end_after(
    image: &Image,
    synchronise: impl FnOnce(&Image, &ImageSet, BarrierStatement) -> Result<()>,
) -> Result<EndTeamOutcome> {
    image.threads().only_one()?;
    if image.stack().depth() == 1 {
        return Err(Error::Invalid("END TEAM without CHANGE TEAM".into()));
    }
    if image.stack().top().owner().is_none() {
        return Err(Error::Invalid("END TEAM within a task region that has not ended".into()));
    }
    let outcome = synchronise(image, &image.executing(), BarrierStatement::END_TEAM);
    let released = image.leave().expect("deeper than the initial set");
    Ok(EndTeamOutcome { released, outcome })
}

/// Runs `body` with `team` as the current team: [`change`], `body`, [`end`].
///
/// Also when `body` returns an error the images of the team are synchronised at the end. When it panics the team is
/// left without: the others may be anywhere.
///
/// # Errors
/// Those of [`change`]; of `body`; of the synchronisation at the end.
pub fn within<T>(image: &Image, team: &Team, body: impl FnOnce(&Image) -> Result<T>) -> Result<T> {
    let region = RegionGuard::watch(image);
    change(image, team)?;
    let value = body(image);
    region.close_inner();
    let ended = end(image)?.outcome();
    value.and_then(|value| ended.map(|()| value))
}
