//! Images that have stopped or failed, and addresses of their memory.

use super::argument::{Data, OutputList, null, place};
use super::outcome::{functions, inquired, inquiries, status_of_state};
use super::shared::{own_words, place_of};
use super::team::{TeamHandle, set_of};
use crate::entry::entries;
use crate::process::{any_thread, fail_image, indices_in_state, instance, state_of};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr;
use xmp_core::counted::counted;
use xmp_core::job::page::ImageState;
use xmp_core::{Error, Result};

/// Gives the program the indices of the images in a state, ascending.
fn list(
    team: TeamHandle,
    state: ImageState,
    images: &OutputList<c_int>,
    most: usize,
    count: Option<&Cell<usize>>,
) -> Result<()> {
    let count = place(count, "count")?;
    let indices = indices_in_state(instance(), &*set_of(team)?, state);
    count.set(indices.len());
    if indices.len() > most {
        let number = indices.len();
        return Err(Error::Invalid(format!(
            "there is room for {}, and there {} {number}",
            counted(most, "image"),
            if number == 1 { "is" } else { "are" }
        )));
    }
    if let Some(room) = images.of(indices.len()) {
        room.iter().zip(&indices).for_each(|(cell, &index)| cell.set(index as c_int));
        return Ok(());
    }
    if indices.is_empty() { Ok(()) } else { Err(null("images")) }
}

functions! {
    /// IMAGE_STATUS.
    fn xmprt_image_status(team: TeamHandle, image: c_int, status: Option<&Cell<c_int>>) {
        let status = place(status, "status")?;
        let rank = set_of(team)?.rank_of_index(image.into())?;
        status.set(status_of_state(state_of(instance(), rank)));
        Ok(())
    }

    /// FAILED_IMAGES.
    fn xmprt_failed_images(team: TeamHandle, images: OutputList<c_int>, most: usize, count: Option<&Cell<usize>>) {
        list(team, ImageState::Failed, &images, most, count)
    }

    /// STOPPED_IMAGES.
    fn xmprt_stopped_images(team: TeamHandle, images: OutputList<c_int>, most: usize, count: Option<&Cell<usize>>) {
        list(team, ImageState::Stopped, &images, most, count)
    }
}

inquiries! {
    /// The number of hosts of the job.
    fn xmprt_num_hosts() -> c_int {
        Ok(instance().image.job().geometry().hosts as c_int)
    }

    /// The host of an image, from 1.
    fn xmprt_host_of(team: TeamHandle, image: c_int) -> c_int {
        let rank = set_of(team)?.rank_of_index(image.into())?;
        Ok(instance().image.host_of(rank) as c_int + 1)
    }
}

inquiries! {
    /// Whether bytes of this image are memory that images share.
    fn xmprt_is_shared(here: Data, bytes: usize) -> c_int {
        Ok(own_words(here.called("here"), bytes, 1).is_ok().into())
    }
}

/// The address at which this image can load and store the memory of another one; null if it is on another host.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_address(team: TeamHandle, image: c_int, here: Data) -> *mut c_void {
    let found = inquired("xmprt_address", || {
        let at = place_of(team, image, here.called("here"), 0)?;
        Ok(instance().image.local_address(at.rank, at.offset))
    });
    found.map_or(ptr::null_mut(), |address| address.cast())
}

entries! {
    /// FAIL IMAGE.
    pub fn xmprt_fail_image() -> ! {
        fail_image(any_thread())
    }
}
