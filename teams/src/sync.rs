//! SYNC TEAM (Fortran 2018, 11.6.6).

use crate::team::Team;
use xmp_collectives::{BarrierStatement, barrier_of, barrier_of_active, complete_before_barrier};
use xmp_core::image_set::ImageSet;
use xmp_core::transport::FlushScope;
use xmp_core::{Image, Result};

const SYNC_TEAM: BarrierStatement = BarrierStatement::plain("sync team");

/// Synchronises the images of `team`: the current team, one of its ancestors, or a team formed by the current team
/// of which this image is a member. Completes this image's transfers.
///
/// # Errors
/// [`xmp_core::Error::Team`] for another team. When an image of the team has stopped or failed.
pub fn sync(image: &Image, team: &Team) -> Result<()> {
    check(image, team)?;
    synchronise(image, team.set(), SYNC_TEAM)
}

/// SYNC TEAM with `stat=`: the live images of the team synchronise also when others have failed.
///
/// # Errors
/// The errors of [`sync`].
pub fn sync_active(image: &Image, team: &Team) -> Result<()> {
    check(image, team)?;
    synchronise_active(image, team.set(), SYNC_TEAM)
}

fn check(image: &Image, team: &Team) -> Result<()> {
    team.check_usable(image)?;
    let Some(origin) = team.origin() else { return Ok(()) };
    let frames = image.stack().frames();
    let ancestor = frames.iter().any(|frame| team.owns(frame));
    // Formed by the current team, in the present task region or in one around it.
    let current = frames.iter().rposition(|frame| frame.owner().is_some()).unwrap_or(0);
    let child = frames[current..].iter().any(|frame| frame.serial() == origin.entry);
    if ancestor || child {
        Ok(())
    } else {
        Err(team.error(
            "SYNC TEAM needs the current team, an ancestor of it or a team that it has formed"
                .into(),
        ))
    }
}

/// Completes this image's transfers and waits for all images of the set, which execute this statement.
#[inline]
pub(crate) fn synchronise(
    image: &Image,
    set: &ImageSet,
    statement: BarrierStatement,
) -> Result<()> {
    complete_before_barrier(image, set)?;
    barrier_of(image, set, statement)
}

/// The barrier of a statement with `stat=`: where images have failed, the live ones synchronise before the error is
/// returned.
pub(crate) fn synchronise_active(
    image: &Image,
    set: &ImageSet,
    statement: BarrierStatement,
) -> Result<()> {
    // All of them: those that are left may meet without a message of this image, after which they would see them.
    complete(image)?;
    barrier_of_active(image, set, statement)
}

/// Completes this image's transfers. Those to its own host are complete; the synchronisation that follows orders
/// them.
#[inline]
pub(crate) fn complete(image: &Image) -> Result<()> {
    if image.one_host() { Ok(()) } else { image.transport().flush(FlushScope::All) }
}
