//! FORM TEAM, CHANGE TEAM, END TEAM, SYNC TEAM, GET_TEAM, TEAM_NUMBER.

use super::dummies::{NewTeam, TeamVariable};
use super::table::procedures;
use super::team_variable::team_of;
use crate::process::{self, instance};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_core::Error;
use xmp_teams::Team;

/// PRIF_CURRENT_TEAM, PRIF_INITIAL_TEAM and PRIF_PARENT_TEAM: the values that flang gives the constants of
/// ISO_FORTRAN_ENV.
pub(super) mod level {
    /// PRIF_CURRENT_TEAM.
    pub const CURRENT: i32 = -1;
    /// PRIF_INITIAL_TEAM.
    pub const INITIAL: i32 = -2;
    /// PRIF_PARENT_TEAM.
    pub const PARENT: i32 = -3;
}

procedures! {
    /// FORM TEAM: the images of the current team that give the same `team_number` form a team. With `stat` images that
    /// have failed are left out.
    entered fn form_team(team_number: &i64, team: &NewTeam, new_index: Option<&c_int>) [outcome: statement] {
        let instance = instance();
        let image = &instance.image;
        let new_index = new_index.map(|&index| index.into());
        let (formed, failures) = if outcome.has_stat() {
            xmp_teams::form_active(image, *team_number, new_index)?
        } else {
            (xmp_teams::form(image, *team_number, new_index)?, Ok(()))
        };
        team.set(process::teams(instance).formed(image, formed, team.former()));
        failures
    }

    /// GET_TEAM([LEVEL]): the current team without `level`.
    entered fn get_team(level: Option<&c_int>, team: &NewTeam) {
        let instance = instance();
        let image = &instance.image;
        let found = match level {
            None | Some(&level::CURRENT) => Team::current(image),
            Some(&level::INITIAL) => Team::initial(image),
            Some(&level::PARENT) => Team::parent(image),
            Some(other) => return Err(Error::Invalid(format!(
                "level {other} is none of PRIF_CURRENT_TEAM, PRIF_PARENT_TEAM and PRIF_INITIAL_TEAM"
            ))),
        };
        team.set(process::teams(instance).handle_of(found));
        Ok(())
    }

    /// TEAM_NUMBER([TEAM]): -1 for the initial team.
    entered fn team_number(team: Option<&TeamVariable>, team_number: &Cell<i64>) {
        let team = match team {
            Some(team) => team_of(team)?,
            None => Team::current(&instance().image),
        };
        team_number.set(team.number());
        Ok(())
    }

    /// CHANGE TEAM: the team becomes the current one.
    entered fn change_team(team: &TeamVariable) [outcome: statement] {
        let (image, team) = (&instance().image, team_of(team)?);
        if outcome.has_stat() {
            xmp_teams::change_active(image, &team)?
        } else {
            xmp_teams::change(image, &team)
        }
    }

    /// END TEAM: deallocates what was allocated since prif_change_team, and returns to the team before.
    entered fn end_team() [outcome: statement] {
        if outcome.has_stat() {
            process::end_team_active(instance())
        } else {
            process::end_team(instance())
        }
    }

    /// SYNC TEAM.
    entered fn sync_team(team: &TeamVariable) [outcome: statement] {
        let (image, team) = (&instance().image, team_of(team)?);
        if outcome.has_stat() {
            xmp_teams::sync_active(image, &team)
        } else {
            xmp_teams::sync(image, &team)
        }
    }
}
