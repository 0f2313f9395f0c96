//! FORM TEAM, CHANGE TEAM, END TEAM, SYNC TEAM, TEAM_NUMBER, GET_TEAM; THIS_IMAGE and NUM_IMAGES in teams.
//! (GNU-LIBCAF section 10)
//!
//! gfortran 16 calls most of these with other arguments than 12 to 15: [`super::version`] tells which it was. What the
//! older ones do not pass is undefined, and not looked at. What a team variable holds is in [`specifier`].

mod images;
mod new_index;
mod specifier;

pub use specifier::{rank_in_numbered_team, rank_in_team, team_with};

use super::in_teams;
use super::types::TeamHandle;
use super::version::{Since16, errmsg_since_16};
use crate::entry::{decode, entries};
use crate::gfortran_abi::Outcome;
use crate::process::{self, enter, instance};
use new_index::NewIndex;
use specifier::{handle_of, team_of_statement};
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use xmp_core::{Error, Result};
use xmp_teams::Team;

entries! {
    /// FORM TEAM. Up to gfortran 15 there is no NEW_INDEX= (the argument is the number 0), no `stat=` and no `errmsg=`.
    fn _gfortran_caf_form_team(
        number: c_int,
        team: &Cell<TeamHandle>,
        new_index: Since16<'_, c_int>,
        stat: Since16<'_, Cell<c_int>>,
        errmsg: *mut c_char,
        errmsg_len: usize,
    )
    where errmsg = errmsg_since_16(errmsg, errmsg_len)
    {
        let outcome = Outcome::new("form team", stat.get()).with_errmsg(errmsg);
        let attempt = || -> Result<()> {
            let _entered = enter();
            let instance = instance();
            let image = &instance.image;
            let new_index = new_index.get().map(NewIndex);
            let new_index = new_index.map(|index| index.among(image.executing().len()).into());
            let (formed, failures) = if outcome.has_stat() {
                // Images that have failed are left out, and STAT= says so.
                xmp_teams::form_active(image, number.into(), new_index)?
            } else {
                (xmp_teams::form(image, number.into(), new_index)?, Ok(()))
            };
            let former = decode::undefined(team);
            team.set(process::teams(instance).formed(image, formed, former) as TeamHandle);
            failures
        };
        outcome.deliver(attempt());
    }

    /// CHANGE TEAM. `team` is the address of the team variable up to gfortran 15, and its value since 16.
    fn _gfortran_caf_change_team(
        team: *mut c_void,
        stat: Since16<'_, Cell<c_int>>,
        errmsg: *mut c_char,
        errmsg_len: usize,
    )
    where errmsg = errmsg_since_16(errmsg, errmsg_len)
    {
        let stat = stat.get();
        let _entered = enter();
        let instance = instance();
        let image = &instance.image;
        let entered = team_of_statement(team).and_then(|team| {
            if stat.is_some() {
                xmp_teams::change_active(image, &team)
            } else {
                xmp_teams::change(image, &team).map(Ok)
            }
        });
        if entered.is_err() {
            in_teams::note_not_entered(instance);
        }
        Outcome::new("change team", stat).with_errmsg(errmsg).deliver(entered.and_then(|entered| entered));
    }

    /// END TEAM. Up to gfortran 15 the only argument is null.
    fn _gfortran_caf_end_team(stat: Option<&Cell<c_int>>, errmsg: *mut c_char, errmsg_len: usize)
    where errmsg = errmsg_since_16(errmsg, errmsg_len)
    {
        let _entered = enter();
        let instance = instance();
        // What CHANGE TEAM has not entered is not left.
        let ended = if in_teams::was_not_entered(instance) {
            Ok(())
        } else if stat.is_none() {
            process::end_team(instance)
        } else {
            process::end_team_active(instance)
        };
        in_teams::end_names(instance);
        Outcome::new("end team", stat).with_errmsg(errmsg).deliver(ended);
    }

    /// SYNC TEAM. `team` is the address of the team variable up to gfortran 15, and its value since 16.
    fn _gfortran_caf_sync_team(
        team: *mut c_void,
        stat: Since16<'_, Cell<c_int>>,
        errmsg: *mut c_char,
        errmsg_len: usize,
    )
    where errmsg = errmsg_since_16(errmsg, errmsg_len)
    {
        let stat = stat.get();
        let _entered = enter();
        let image = &instance().image;
        let result = team_of_statement(team).and_then(|team| {
            if stat.is_some() {
                xmp_teams::sync_active(image, &team)
            } else {
                xmp_teams::sync(image, &team)
            }
        });
        Outcome::new("sync team", stat).with_errmsg(errmsg).deliver(result);
    }

    /// TEAM_NUMBER of a team, by value, or of the current one (null).
    fn _gfortran_caf_team_number(team: TeamHandle) -> c_int {
        let _entered = enter();
        let team = if team.is_null() { Ok(Team::current(&instance().image)) } else { team_with(team) };
        // FORM TEAM has taken a number of this type.
        Outcome::value("team_number", team.map(|team| team.number() as c_int))
    }

    /// GET_TEAM, which compiles since gfortran 16: the current team (null or 2), its parent (1), or the initial team
    /// (0).
    fn _gfortran_caf_get_team(level: Option<&i32>) -> TeamHandle {
        let _entered = enter();
        let image = &instance().image;
        let team = match level {
            Some(0) => Ok(Team::initial(image)),
            Some(1) => Ok(Team::parent(image)),
            None | Some(2) => Ok(Team::current(image)),
            Some(other) => Err(Error::Invalid(format!(
                "level {other} is none of INITIAL_TEAM, PARENT_TEAM and CURRENT_TEAM"
            ))),
        };
        Outcome::value("get_team", team.map(handle_of))
    }
}
