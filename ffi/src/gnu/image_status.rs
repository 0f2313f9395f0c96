//! IMAGE_STATUS, FAILED_IMAGES and STOPPED_IMAGES (Fortran 2018, 16.9.77, 16.9.98, 16.9.183). (GNU-LIBCAF section 10)

use super::reference::result;
use super::team::team_with;
use super::types::TeamHandle;
use super::version::Since16;
use crate::entry::entries;
use crate::gfortran_abi::{Descriptor, Dim, Outcome, basic, stat};
use crate::process::{enter, indices_in_state, instance, state_of};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;
use xmp_core::image_set::ImageSet;
use xmp_core::job::page::ImageState;
use xmp_core::{Error, Result};

entries! {
    /// IMAGE_STATUS(image): 0, STAT_STOPPED_IMAGE or STAT_FAILED_IMAGE. An image index beyond the last is that of an
    /// image which has stopped, as with the libraries that come with gfortran.
    fn _gfortran_caf_image_status(image: c_int, team: Since16<'_, TeamHandle>) -> c_int {
        let attempt = || -> Result<c_int> {
            let _entered = enter();
            let set = set_of(team)?;
            if usize::try_from(image).is_ok_and(|image| image > set.len()) {
                return Ok(stat::STOPPED_IMAGE);
            }
            let rank = set.rank_of_index(image.into())?;
            Ok(match state_of(instance(), rank) {
                ImageState::Running => stat::OK,
                ImageState::Stopped => stat::STOPPED_IMAGE,
                ImageState::Failed => stat::FAILED_IMAGE,
            })
        };
        Outcome::value("image_status", attempt())
    }

    /// FAILED_IMAGES().
    fn _gfortran_caf_failed_images(
        array: &mut Descriptor,
        team: Since16<'_, TeamHandle>,
        kind: Option<&c_int>,
    ) {
        Outcome::value("failed_images", list(ImageState::Failed, array, team, kind));
    }

    /// STOPPED_IMAGES().
    fn _gfortran_caf_stopped_images(
        array: &mut Descriptor,
        team: Since16<'_, TeamHandle>,
        kind: Option<&c_int>,
    ) {
        Outcome::value("stopped_images", list(ImageState::Stopped, array, team, kind));
    }
}

/// The kind of a default integer.
const DEFAULT_KIND: c_int = 4;

/// The indices of the images in this state, ascending, as an array that the program frees.
fn list(
    state: ImageState,
    array: &mut Descriptor,
    team: Since16<'_, TeamHandle>,
    kind: Option<&c_int>,
) -> Result<()> {
    let _entered = enter();
    let kind = kind.copied().unwrap_or(DEFAULT_KIND);
    let indices = indices_in_state(instance(), &*set_of(team)?, state);
    array.base = ptr::null_mut();
    array.dtype.elem_len = kind as usize;
    array.dtype.rank = 1;
    array.dtype.basic = basic::INTEGER;
    // SAFETY: the contract of entries: the result of the function, which is an allocatable vector without memory.
    unsafe { result::allocate(instance(), array, None, &[indices.len()])?.release() };
    // Callers count from the lower bound, and expect it to be 0.
    let upper = indices.len() as isize - 1;
    array.set_dims([Dim { stride: 1, lower: 0, upper }].into_iter());
    array.offset = 0;
    for (at, &index) in indices.iter().enumerate() {
        // SAFETY: the elements were allocated just now.
        unsafe { write(array.base, kind, at, index)? };
    }
    Ok(())
}

/// Writes an element of an integer array of this kind.
///
/// # Safety
/// The array has the element.
unsafe fn write(array: *mut c_void, kind: c_int, at: usize, value: usize) -> Result<()> {
    let too_small = || Error::Invalid(format!("image index {value} is no integer of kind {kind}"));
    // SAFETY: the array has an element `at` of this kind.
    unsafe {
        match kind {
            1 => *array.cast::<i8>().add(at) = value.try_into().map_err(|_| too_small())?,
            2 => *array.cast::<i16>().add(at) = value.try_into().map_err(|_| too_small())?,
            4 => *array.cast::<i32>().add(at) = value.try_into().map_err(|_| too_small())?,
            8 => *array.cast::<i64>().add(at) = value as i64,
            // From `malloc`, which aligns for it.
            16 => *array.cast::<i128>().add(at) = value as i128,
            _ => return Err(too_small()),
        }
    }
    Ok(())
}

/// The images of a team, or of the current one.
///
/// # Errors
/// When the variable of the team is not defined.
fn set_of(team: Since16<'_, TeamHandle>) -> Result<Rc<ImageSet>> {
    match team.get() {
        Some(&team) => Ok(team_with(team)?.set().clone()),
        None => Ok(instance().image.executing()),
    }
}
