//! Teams, and the synchronisation of their images.

use super::argument::{List, place};
use super::outcome::{OK, functions, inquiries, outcome};
use super::team_handle::team_of;
pub use super::team_handle::{CURRENT, INITIAL, TeamHandle, set_of};
use crate::entry::{decode, entries};
use crate::process::{self, current, instance};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_coarray::front_end::{sync_all, sync_all_active, sync_images, sync_memory, sync_stores};
use xmp_core::Error;

functions! {
    /// FORM TEAM.
    fn xmprt_form_team(number: i64, new_index: c_int, team: Option<&Cell<TeamHandle>>) {
        let instance = instance();
        let image = &instance.image;
        let team = place(team, "team")?;
        let new_index = (new_index != 0).then_some(new_index.into());
        // Images that have failed are left out, and the status says so.
        let (formed, failures) = xmp_teams::form_active(image, number, new_index)?;
        let former = decode::undefined(team);
        team.set(process::teams(instance).formed(image, formed, former) as TeamHandle);
        failures
    }

    /// CHANGE TEAM.
    fn xmprt_change_team(team: TeamHandle) {
        xmp_teams::change_active(&instance().image, &team_of(team)?)?
    }

    /// END TEAM.
    fn xmprt_end_team() {
        let instance = instance();
        if instance.image.stack().depth() == 1 {
            return Err(Error::Invalid("no team was entered: xmprt_change_team enters one".into()));
        }
        process::end_team_active(instance)
    }

    /// The index of an image of a team in another team.
    fn xmprt_translate_image(from: TeamHandle, image: c_int, to: TeamHandle, index: Option<&Cell<c_int>>) {
        let index = place(index, "index")?;
        let rank = set_of(from)?.rank_of_index(image.into())?;
        let position = set_of(to)?.position_of(rank);
        index.set(position.map_or(0, |position| position as c_int + 1));
        Ok(())
    }

    /// SYNC ALL, SYNC TEAM; any team that this image is in.
    fn xmprt_sync(team: TeamHandle) {
        sync_all(&instance().image, &*set_of(team)?)
    }

    /// SYNC ALL, SYNC TEAM with STAT=: the active images meet.
    fn xmprt_sync_active(team: TeamHandle) {
        sync_all_active(&instance().image, &*set_of(team)?)
    }

    /// SYNC IMAGES.
    fn xmprt_sync_images(team: TeamHandle, images: List<c_int>, count: usize) {
        let set = set_of(team)?;
        let images = if count == 0 { &[] } else { images.of("images", count)? };
        sync_images(&instance().image, &set, images)
    }
}

entries! {
    /// SYNC MEMORY.
    pub fn xmprt_sync_memory() -> c_int {
        if current().is_some_and(|instance| sync_stores(&instance.image)) {
            return OK;
        }
        outcome("xmprt_sync_memory", || sync_memory(&instance().image))
    }
}

inquiries! {
    /// TEAM_NUMBER.
    fn xmprt_team_number(team: TeamHandle) -> i64 {
        team_of(team).map(|team| team.number())
    }

    /// THIS_IMAGE.
    fn xmprt_this_image(team: TeamHandle) -> c_int {
        Ok(set_of(team)?.position().map_or(0, |position| position as c_int + 1))
    }

    /// NUM_IMAGES.
    fn xmprt_num_images(team: TeamHandle) -> c_int {
        set_of(team).map(|set| set.len() as c_int)
    }
}
