//! The teams that statements and image selectors name, by a team variable or by a team number, and what an image index
//! means there.
//!
//! A team variable holds a handle of the process's table of teams. Nothing gives it a value before FORM TEAM does - up
//! to gfortran 15 not even null -, and END TEAM of the team that has formed it makes it undefined. So it is only
//! compared with the handles that there are.

use crate::gnu::types::TeamHandle;
use crate::gnu::version::{Convention, OPTION, convention};
use crate::process::{self, enter, instance, is_handle, numbered};
use std::ffi::{c_int, c_void};
use xmp_core::{Error, Rank, Result};
use xmp_teams::Team;

/// The team that a team variable with this value stands for.
///
/// # Errors
/// When it is not defined.
pub fn team_with(value: TeamHandle) -> Result<Team> {
    process::teams(instance()).get(value.addr() as u64).ok_or_else(undefined)
}

/// The handle of a team that is known already, or the initial one.
pub fn handle_of(team: Team) -> TeamHandle {
    process::teams(instance()).handle_of(team) as TeamHandle
}

/// The team that CHANGE TEAM and SYNC TEAM name: by the address of the variable up to gfortran 15, by value since.
///
/// # Errors
/// When the variable is not defined. When the argument shows that the program was linked for another version.
pub fn team_of_statement(argument: *mut c_void) -> Result<Team> {
    match convention() {
        Convention::Since16 => team_with(argument),
        Convention::Until15 if is_handle(argument.addr() as u64) => Err(Error::Invalid(format!(
            "the program was compiled by gfortran 16 or later, but not linked for it: link with xmpfc, or with {OPTION}"
        ))),
        // SAFETY: the contract of entries: the address of a team variable.
        Convention::Until15 => team_with(unsafe { *argument.cast::<TeamHandle>() }),
    }
}

/// The rank of an image index in the team of a `TEAM=` specifier, for a coarray whose memory starts at `offset`.
///
/// # Errors
/// When the variable is not defined, or its team is not the current one or an ancestor of it; when the coarray was
/// allocated within that team, so that not all its images have it; [`Error::ImageIndex`].
pub fn rank_in_team(variable: &TeamHandle, index: c_int, offset: u64) -> Result<Rank> {
    let _entered = enter();
    let team = team_with(*variable)?;
    team.check_coindexable(&instance().image, offset)?;
    team.set().rank_of_index(index.into())
}

/// The rank of an image index in the team of a `TEAM_NUMBER=` specifier - the initial team (-1), the current team or a
/// sibling of it -, for a coarray whose memory starts at `offset`.
///
/// # Errors
/// When there is no such team; when the coarray was allocated within the current team, or within the initial one, so
/// that not all images of the other one have it; [`Error::ImageIndex`].
pub fn rank_in_numbered_team(number: c_int, index: c_int, offset: u64) -> Result<Rank> {
    let image = &instance().image;
    let current = Team::current(image);
    let set = numbered(image, number.into())?;
    let has_coarray = match number {
        -1 => Team::initial(image),
        _ if current.number() == i64::from(number) => current,
        // What the parent has, all that it has formed have.
        _ => Team::parent(image),
    };
    has_coarray.check_coindexable(image, offset)?;
    set.rank_of_index(index.into())
}

fn undefined() -> Error {
    Error::Invalid(
        "the team variable is not defined: FORM TEAM has not been executed for it, or the team that executed it has ended"
            .into(),
    )
}
