//! Images and teams in numbers: NUM_IMAGES, THIS_IMAGE, FAILED_IMAGES, STOPPED_IMAGES, IMAGE_STATUS.

use super::arrays::{Allocatable, Results};
use super::dummies::TeamVariable;
use super::handle::Handle;
use super::outcome::stat;
use super::table::procedures;
use super::team_variable::set_of;
use crate::process::{any_thread, enter, indices_in_state, instance, numbered, state_of};
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::image_set::ImageSet;
use xmp_core::job::page::ImageState;
use xmp_core::{Error, Result};

procedures! {
    /// NUM_IMAGES(): the number of images of the current team.
    fast fn num_images(num_images: &Cell<c_int>) {
        num_images.set(own_index().1);
        Ok(())
    }

    /// NUM_IMAGES(TEAM).
    entered fn num_images_with_team(team: &TeamVariable, num_images: &Cell<c_int>) {
        num_images.set(set_of(Some(team))?.len() as c_int);
        Ok(())
    }

    /// NUM_IMAGES(TEAM_NUMBER): of the initial team (-1), the current team or a sibling of it.
    entered fn num_images_with_team_number(team_number: &i64, num_images: &Cell<c_int>) {
        num_images.set(numbered(&instance().image, *team_number)?.len() as c_int);
        Ok(())
    }

    /// THIS_IMAGE([TEAM]).
    fast fn this_image_no_coarray(team: Option<&TeamVariable>, this_image: &Cell<c_int>) {
        this_image.set(match team {
            None => own_index().0,
            Some(_) => index_in(team)?,
        });
        Ok(())
    }

    /// THIS_IMAGE(COARRAY [, TEAM]): the cosubscripts of this image.
    entered fn this_image_with_coarray(
        coarray_handle: &Handle,
        team: Option<&TeamVariable>,
        cosubscripts: &Results<i64>,
    ) {
        let coarray = coarray_handle.coarray("coarray_handle")?;
        let position = position_in(&*set_of(team)?)?;
        cosubscripts.set("cosubscripts", &coarray.bounds.subscripts(position))
    }

    /// THIS_IMAGE(COARRAY, DIM [, TEAM]): one cosubscript of this image.
    entered fn this_image_with_dim(
        coarray_handle: &Handle,
        dim: &c_int,
        team: Option<&TeamVariable>,
        cosubscript: &Cell<i64>,
    ) {
        let coarray = coarray_handle.coarray("coarray_handle")?;
        let dim = coarray.bounds.dim(*dim)?;
        let position = position_in(&*set_of(team)?)?;
        cosubscript.set(coarray.bounds.subscripts(position)[dim]);
        Ok(())
    }

    /// FAILED_IMAGES([TEAM]): the indices of the failed images, ascending.
    entered fn failed_images(team: Option<&TeamVariable>, failed_images: &Allocatable<c_int>) {
        failed_images.allocate(&indices(team, ImageState::Failed)?)
    }

    /// STOPPED_IMAGES([TEAM]): the indices of the stopped images, ascending.
    entered fn stopped_images(team: Option<&TeamVariable>, stopped_images: &Allocatable<c_int>) {
        stopped_images.allocate(&indices(team, ImageState::Stopped)?)
    }

    /// IMAGE_STATUS(IMAGE [, TEAM]): 0, PRIF_STAT_STOPPED_IMAGE or PRIF_STAT_FAILED_IMAGE. It is elemental.
    external fn image_status(image: &c_int, team: Option<&TeamVariable>, image_status: &Cell<c_int>) {
        let _entered = enter();
        let rank = set_of(team)?.rank_of_index((*image).into())?;
        image_status.set(match state_of(instance(), rank) {
            ImageState::Running => stat::OK,
            ImageState::Stopped => stat::STOPPED_IMAGE,
            ImageState::Failed => stat::FAILED_IMAGE,
        });
        Ok(())
    }
}

/// The index of this image in the current team and the number of its images, for any thread.
#[inline(always)]
fn own_index() -> (c_int, c_int) {
    let (index, images) = any_thread().image.stack().index_and_size();
    if images == 0 {
        // A process that an image has forked: it ends here with a message.
        drop(enter());
    }
    (index as c_int, images as c_int)
}

/// The index of this image in a team.
///
/// # Errors
/// When it is not in the team; those of [`set_of`].
fn index_in(team: Option<&TeamVariable>) -> Result<c_int> {
    let _entered = enter();
    Ok(position_in(&*set_of(team)?)? as c_int + 1)
}

/// The position of this image in a set.
///
/// # Errors
/// When it is not in the set.
pub fn position_in(set: &ImageSet) -> Result<usize> {
    set.position().ok_or_else(|| Error::Invalid("this image is not in the team".into()))
}

/// The indices of the images of a team that are in this state.
///
/// # Errors
/// Those of [`set_of`].
fn indices(team: Option<&TeamVariable>, state: ImageState) -> Result<Vec<c_int>> {
    let set: Rc<ImageSet> = set_of(team)?;
    let found = indices_in_state(instance(), &set, state);
    Ok(found.into_iter().map(|index| index as c_int).collect())
}
