//! Handles of teams, and the team that a call has named.

use crate::process::{self, instance};
use std::cell::Cell;
use std::rc::Rc;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Result};
use xmp_teams::Team;

/// `xmprt_team`: one of the constants, or a handle of the process's table of teams.
pub type TeamHandle = i64;

/// `XMPRT_CURRENT`.
pub const CURRENT: TeamHandle = 0;
/// `XMPRT_INITIAL`.
pub const INITIAL: TeamHandle = -1;
const PARENT: TeamHandle = -2;

/// The team of a handle.
///
/// # Errors
/// When there is no such team, or not any more.
pub fn team_of(handle: TeamHandle) -> Result<Team> {
    let instance = instance();
    let image = &instance.image;
    match handle {
        CURRENT => Ok(Team::current(image)),
        INITIAL => Ok(Team::initial(image)),
        PARENT => Ok(Team::parent(image)),
        handle => process::teams(instance).get(handle as u64).ok_or_else(|| {
            Error::Invalid(format!(
                "{handle:#x} is not a team, or the team that formed it was left"
            ))
        }),
    }
}

thread_local! {
    /// The team that the last call of this thread has named.
    static NAMED: Cell<TeamHandle> = const { Cell::new(CURRENT) };
}

/// The addition to messages about the team that the last call of this thread has named, where readers may count the
/// images of the program: empty for the initial team.
#[cold]
pub fn named_team() -> Option<String> {
    let (handle, image) = (NAMED.get(), &instance().image);
    let team = team_of(handle).ok().filter(|team| *team != Team::initial(image))?;
    let is_current = team == Team::current(image);
    let which = if is_current { "the current team" } else { "the team" };
    Some(format!("the images of {which} (number {})", team.number()))
}

/// The images of the team of a handle.
///
/// # Errors
/// When there is no such team, or not any more.
pub fn set_of(handle: TeamHandle) -> Result<Rc<ImageSet>> {
    NAMED.set(handle);
    match handle {
        CURRENT => Ok(instance().image.executing()),
        handle => Ok(team_of(handle)?.set().clone()),
    }
}
