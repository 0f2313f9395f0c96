//! Handles of teams, and the team that a call has named.

use crate::process::{self, instance};
use std::cell::Cell;
use std::ffi::c_int;
use std::ptr;
use std::rc::Rc;
use xmp_core::image_set::{ImageSet, Key};
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

/// How a call names a team.
#[derive(Clone, Copy)]
enum Name {
    Handle(TeamHandle),
    /// The number of a team beside the current one.
    Sibling(i64),
}

thread_local! {
    /// The team that the last call of this thread has named.
    static NAMED: Cell<Name> = const { Cell::new(Name::Handle(CURRENT)) };
}

/// The team that the last call of this thread has named, for messages where readers may count the images of the program; none
/// for the initial team.
#[cold]
pub fn named_team() -> Option<String> {
    let handle = match NAMED.get() {
        Name::Handle(handle) => handle,
        Name::Sibling(number) => return Some(format!("the sibling team (number {number})")),
    };
    let image = &instance().image;
    let team = team_of(handle).ok().filter(|team| *team != Team::initial(image))?;
    let is_current = team == Team::current(image);
    let which = if is_current { "the current team" } else { "the team" };
    Some(format!("{which} (number {})", team.number()))
}

/// The key of the team that the last call of this thread has named, if `set` has its images. Otherwise, as within a task, the key of
/// the team of these images that was formed first; the key of `set` if there is no such team. So images of a task may name it by
/// `XMPRT_CURRENT` or by the handle of that team.
pub fn named_key(set: &ImageSet) -> Key {
    let is_of = |team: &Team| ptr::eq(&**team.set(), set) || team.set().members() == set.members();
    let named = match NAMED.get() {
        Name::Handle(handle) => team_of(handle).ok().filter(is_of),
        Name::Sibling(_) => None,
    };
    let team = named.or_else(|| process::teams(instance()).first_formed(is_of));
    team.map_or_else(|| set.key(), |team| team.key())
}

/// An image index of the team that the last call of this thread has named, in the words of messages.
#[cold]
pub fn named_image(index: c_int) -> String {
    match named_team() {
        Some(team) => format!("image {index} of {team}"),
        None => format!("image {index}"),
    }
}

/// The images of the team of a handle.
///
/// # Errors
/// When there is no such team, or not any more.
pub fn set_of(handle: TeamHandle) -> Result<Rc<ImageSet>> {
    NAMED.set(Name::Handle(handle));
    match handle {
        CURRENT => Ok(instance().image.executing()),
        handle => Ok(team_of(handle)?.set().clone()),
    }
}

/// The images of the team with this number that was formed together with the current team.
///
/// # Errors
/// When there is no such team.
pub fn sibling(number: i64) -> Result<Rc<ImageSet>> {
    NAMED.set(Name::Sibling(number));
    let image = &instance().image;
    Team::current(image).sibling(image, number)
}
