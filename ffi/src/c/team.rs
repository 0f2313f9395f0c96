//! Teams, and the synchronisation of their images.

use super::outcome::{inquired, not_null, outcome};
use crate::process::{self, Instance, instance};
use std::ffi::c_int;
use std::rc::Rc;
use xmp_coarray::{sync_all, sync_images};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Result};
use xmp_teams::Team;

/// `xmprt_team`: one of the constants, or a handle of the process's table of teams.
pub type TeamHandle = i64;

const CURRENT: TeamHandle = 0;
const INITIAL: TeamHandle = -1;
const PARENT: TeamHandle = -2;

/// The team that a handle stands for.
///
/// # Errors
/// When there is no such team, or not any more.
fn team_of(handle: TeamHandle) -> Result<Team> {
    let Instance { image, teams, .. } = instance();
    match handle {
        CURRENT => Ok(Team::current(image)),
        INITIAL => Ok(Team::initial(image)),
        PARENT => Ok(Team::parent(image)),
        handle => teams.borrow().get(handle as u64).ok_or_else(|| {
            Error::Invalid(format!(
                "{handle:#x} is not a team, or the team that formed it was left"
            ))
        }),
    }
}

/// The images of the team that a handle stands for.
///
/// # Errors
/// As [`team_of`].
pub fn set_of(handle: TeamHandle) -> Result<Rc<ImageSet>> {
    match handle {
        CURRENT => Ok(instance().image.executing()),
        handle => Ok(team_of(handle)?.set().clone()),
    }
}

/// FORM TEAM.
///
/// # Safety
/// `team` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_form_team(
    number: i64,
    new_index: c_int,
    team: *mut TeamHandle,
) -> c_int {
    let attempt = || -> Result<()> {
        let Instance { image, teams, .. } = instance();
        not_null(team, "team")?;
        let new_index = (new_index != 0).then_some(new_index.into());
        let formed = xmp_teams::form(image, number, new_index)?;
        // SAFETY: the caller's guarantee. What the variable has held is only compared with handles.
        unsafe {
            let former = team.read_volatile() as u64;
            *team = teams.borrow_mut().formed(image, formed, former) as TeamHandle;
        }
        Ok(())
    };
    outcome("xmprt_form_team", attempt)
}

/// CHANGE TEAM.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_change_team(team: TeamHandle) -> c_int {
    let attempt = || xmp_teams::change(&instance().image, &team_of(team)?);
    outcome("xmprt_change_team", attempt)
}

/// END TEAM.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_end_team() -> c_int {
    outcome("xmprt_end_team", || process::end_team(instance()))
}

/// SYNC ALL, SYNC TEAM; any team that this image is in.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_sync(team: TeamHandle) -> c_int {
    let attempt = || sync_all(&instance().image, &*set_of(team)?);
    outcome("xmprt_sync", attempt)
}

/// SYNC IMAGES.
///
/// # Safety
/// `images` has `count` elements, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_sync_images(
    team: TeamHandle,
    images: *const c_int,
    count: usize,
) -> c_int {
    let attempt = || -> Result<()> {
        let set = set_of(team)?;
        let images = match count {
            0 => &[],
            _ => {
                not_null(images, "images")?;
                // SAFETY: the caller's guarantee.
                unsafe { std::slice::from_raw_parts(images, count) }
            }
        };
        sync_images(&instance().image, &set, images)
    };
    outcome("xmprt_sync_images", attempt)
}

/// TEAM_NUMBER.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_team_number(team: TeamHandle) -> i64 {
    inquired("xmprt_team_number", || team_of(team).map(|team| team.number()))
}

/// THIS_IMAGE.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_this_image(team: TeamHandle) -> c_int {
    inquired("xmprt_this_image", || {
        let position = set_of(team)?.position();
        Ok(position.map_or(0, |position| position as c_int + 1))
    })
}

/// NUM_IMAGES.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_num_images(team: TeamHandle) -> c_int {
    inquired("xmprt_num_images", || set_of(team).map(|set| set.len() as c_int))
}
