//! FORM TEAM, CHANGE TEAM, END TEAM, SYNC TEAM, TEAM_NUMBER, GET_TEAM; THIS_IMAGE and NUM_IMAGES in teams.
//! (GNU-LIBCAF section 10)
//!
//! gfortran 16 calls most of these with other arguments than 12 to 15: [`super::version`] tells which it was. What the
//! older ones do not pass is undefined, and not looked at. What a team variable holds is in [`variable`].

mod images;
mod new_index;
mod number;
mod variable;

pub use number::rank_in_numbered_team;
pub use variable::{rank_in_team, team_with};

use super::in_teams;
use super::status::Outcome;
use super::types::{ErrMsg, TeamHandle};
use super::version::{Convention, convention};
use crate::process::{self, Instance, enter, instance};
use std::ffi::{c_char, c_int, c_void};
use variable::{handle_of, team_of_statement};
use xmp_core::{Error, Result};
use xmp_teams::Team;

/// The outcome of a statement that has `stat=` and `errmsg=` since gfortran 16.
fn outcome(
    operation: &'static str,
    stat: *mut c_int,
    errmsg: *mut c_char,
    errmsg_len: usize,
) -> Outcome {
    match convention() {
        Convention::Until15 => Outcome::new(operation, std::ptr::null_mut()),
        Convention::Since16 => {
            Outcome { operation, stat, errmsg: ErrMsg { text: errmsg, len: errmsg_len } }
        }
    }
}

/// FORM TEAM. Up to gfortran 15 there is no NEW_INDEX= (the argument is the number 0), no `stat=` and no `errmsg=`.
///
/// # Safety
/// The arguments are those that the compiler passes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_form_team(
    number: c_int,
    team: *mut TeamHandle,
    new_index: *const c_int,
    stat: *mut c_int,
    errmsg: *mut c_char,
    errmsg_len: usize,
) {
    let outcome = outcome("form team", stat, errmsg, errmsg_len);
    let attempt = || -> Result<()> {
        let _entered = enter();
        let Instance { image, teams, .. } = instance();
        let new_index = match convention() {
            Convention::Until15 => None,
            // SAFETY: the caller's guarantee.
            Convention::Since16 => unsafe {
                new_index::new_index(new_index, image.executing().len())
            },
        };
        let (number, new_index) = (number.into(), new_index.map(c_int::into));
        let (formed, failures) = match outcome.stat.is_null() {
            true => (xmp_teams::form(image, number, new_index)?, Ok(())),
            // Images that have failed are left out, and STAT= says so.
            false => xmp_teams::form_active(image, number, new_index)?,
        };
        // SAFETY: the caller's guarantee: the team variable, which may be undefined.
        unsafe {
            let former = team.read_volatile().addr() as u64;
            *team = teams.borrow_mut().formed(image, formed, former) as TeamHandle;
        }
        failures
    };
    // SAFETY: the caller's guarantee.
    unsafe { outcome.deliver(attempt()) };
}

/// CHANGE TEAM. `team` is the address of the team variable up to gfortran 15, and its value since 16.
///
/// # Safety
/// The arguments are those that the compiler passes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_change_team(
    team: *mut c_void,
    stat: *mut c_int,
    errmsg: *mut c_char,
    errmsg_len: usize,
) {
    let _entered = enter();
    let Instance { image, gnu, .. } = instance();
    // SAFETY: the caller's guarantee.
    let team = unsafe { team_of_statement(team) };
    let outcome = outcome("change team", stat, errmsg, errmsg_len);
    let attempt = || match outcome.stat.is_null() {
        true => xmp_teams::change(image, &team?).map(Ok),
        false => xmp_teams::change_active(image, &team?),
    };
    let entered = attempt();
    if entered.is_err() {
        gnu.not_entered.borrow_mut().push(image.stack().depth());
    }
    // SAFETY: the caller's guarantee.
    unsafe { outcome.deliver(entered.flatten()) };
}

/// END TEAM. Up to gfortran 15 the only argument is null.
///
/// # Safety
/// `stat` is null or valid, and then `errmsg` is, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_end_team(
    stat: *mut c_int,
    errmsg: *mut c_char,
    errmsg_len: usize,
) {
    let _entered = enter();
    let instance = instance();
    let attempt = || -> Result<()> {
        let Instance { image, gnu, .. } = instance;
        let depth = image.stack().depth();
        // What CHANGE TEAM has not entered is not left.
        let not_entered = gnu.not_entered.borrow_mut().pop_if(|failed_at| *failed_at == depth);
        let ended = match not_entered {
            Some(_) => Ok(()),
            None if stat.is_null() => process::end_team(instance),
            None => process::end_team_active(instance),
        };
        in_teams::end_names(instance);
        ended
    };
    let errmsg = ErrMsg { text: errmsg, len: errmsg_len };
    // SAFETY: the caller's guarantee.
    unsafe { Outcome { operation: "end team", stat, errmsg }.deliver(attempt()) };
}

/// SYNC TEAM. `team` is the address of the team variable up to gfortran 15, and its value since 16.
///
/// # Safety
/// The arguments are those that the compiler passes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_sync_team(
    team: *mut c_void,
    stat: *mut c_int,
    errmsg: *mut c_char,
    errmsg_len: usize,
) {
    let _entered = enter();
    let image = &instance().image;
    let outcome = outcome("sync team", stat, errmsg, errmsg_len);
    let attempt = || -> Result<()> {
        // SAFETY: the caller's guarantee.
        let team = unsafe { team_of_statement(team)? };
        match outcome.stat.is_null() {
            true => xmp_teams::sync(image, &team),
            false => xmp_teams::sync_active(image, &team),
        }
    };
    // SAFETY: the caller's guarantee.
    unsafe { outcome.deliver(attempt()) };
}

/// TEAM_NUMBER of a team, by value, or of the current one (null).
#[unsafe(no_mangle)]
pub extern "C" fn _gfortran_caf_team_number(team: TeamHandle) -> c_int {
    let _entered = enter();
    let number = match team.is_null() {
        true => Ok(Team::current(&instance().image)),
        false => team_with(team),
    };
    // FORM TEAM has taken a number of this type.
    value("team_number", number.map(|team| team.number() as c_int))
}

/// GET_TEAM, which compiles since gfortran 16: the current team (null or 2), its parent (1), or the initial team (0).
///
/// # Safety
/// `level` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_get_team(level: *const i32) -> TeamHandle {
    let _entered = enter();
    let image = &instance().image;
    // SAFETY: the caller's guarantee.
    let team = match unsafe { level.as_ref() } {
        Some(0) => Ok(Team::initial(image)),
        Some(1) => Ok(Team::parent(image)),
        None | Some(2) => Ok(Team::current(image)),
        Some(other) => Err(Error::Invalid(format!(
            "level {other} is none of INITIAL_TEAM, PARENT_TEAM and CURRENT_TEAM"
        ))),
    };
    value("get_team", team.map(handle_of))
}

/// The value of a function, which has no `stat=`.
fn value<T>(operation: &'static str, result: Result<T>) -> T {
    // SAFETY: no pointers.
    let delivered = unsafe { Outcome::new(operation, std::ptr::null_mut()).deliver(result) };
    delivered.expect("without stat= an error ends the job")
}
