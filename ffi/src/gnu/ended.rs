//! IMAGE_STATUS, FAILED_IMAGES and STOPPED_IMAGES (Fortran 2018, 16.9.77, 16.9.98, 16.9.183). (GNU-LIBCAF section 10)
//!
//! A program that asks deals with failures itself: one that it has been told of ends it no more.

use super::reference::result;
use super::team::team_with;
use super::types::TeamHandle;
use super::version::{Convention, convention};
use crate::gfortran_abi::{Descriptor, Outcome, basic, stat};
use crate::process::{enter, instance};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;
use xmp_core::image_set::ImageSet;
use xmp_core::job::page::ImageState;
use xmp_core::{Error, Result, failure};

/// IMAGE_STATUS(image): 0, STAT_STOPPED_IMAGE or STAT_FAILED_IMAGE. An image index beyond the last is that of an image which has
/// stopped, as with the libraries that come with gfortran. Up to gfortran 15 the team is no address.
///
/// # Safety
/// The arguments are those that the compiler passes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_image_status(
    image: c_int,
    team: *const TeamHandle,
) -> c_int {
    let attempt = || -> Result<c_int> {
        let _entered = enter();
        // SAFETY: the caller's guarantee.
        let set = unsafe { set_of(team)? };
        if usize::try_from(image).is_ok_and(|image| image > set.len()) {
            return Ok(stat::STOPPED_IMAGE);
        }
        let rank = set.rank_of_index(image.into())?;
        let job = instance().image.job();
        Ok(match job.state(rank) {
            ImageState::Running => stat::OK,
            ImageState::Stopped => stat::STOPPED_IMAGE,
            ImageState::Failed => {
                failure::acknowledge(job);
                stat::FAILED_IMAGE
            }
        })
    };
    Outcome::new("image_status", None).deliver(attempt()).unwrap_or_default()
}

/// FAILED_IMAGES().
///
/// # Safety
/// The arguments are those that the compiler passes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_failed_images(
    array: *mut Descriptor,
    team: *const TeamHandle,
    kind: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    unsafe { list("failed_images", ImageState::Failed, array, team, kind) };
}

/// STOPPED_IMAGES().
///
/// # Safety
/// The arguments are those that the compiler passes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_stopped_images(
    array: *mut Descriptor,
    team: *const TeamHandle,
    kind: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    unsafe { list("stopped_images", ImageState::Stopped, array, team, kind) };
}

/// The indices of the images in this state, ascending, as an array that the program frees.
///
/// # Safety
/// The arguments are those that the compiler passes.
unsafe fn list(
    operation: &'static str,
    state: ImageState,
    array: *mut Descriptor,
    team: *const TeamHandle,
    kind: *const c_int,
) {
    let attempt = || -> Result<()> {
        let _entered = enter();
        let job = instance().image.job();
        // SAFETY: the caller's guarantee; the elements are those that were allocated just now.
        unsafe {
            let set = set_of(team)?;
            let kind = kind.as_ref().map_or(4, |&kind| kind);
            let indices: Vec<usize> = (1..=set.len())
                .filter(|index| set.rank_at(index - 1).is_some_and(|rank| job.state(rank) == state))
                .collect();
            if state == ImageState::Failed && !indices.is_empty() {
                failure::acknowledge(job);
            }
            (*array).base = ptr::null_mut();
            (*array).dtype.elem_len = kind as usize;
            (*array).dtype.rank = 1;
            (*array).dtype.basic = basic::INTEGER;
            result::allocate(instance(), array, None, &[indices.len()])?.release();
            // Callers count from the lower bound, and expect it to be 0.
            let dim = &mut *Descriptor::dims_of(array);
            (dim.lower, dim.upper) = (0, indices.len() as isize - 1);
            (*array).offset = 0;
            for (at, &index) in indices.iter().enumerate() {
                write((*array).base, kind, at, index)?;
            }
        }
        Ok(())
    };
    Outcome::new(operation, None).deliver(attempt());
}

/// Writes an element of an integer array of this kind.
///
/// # Safety
/// The array has the element.
unsafe fn write(array: *mut c_void, kind: c_int, at: usize, value: usize) -> Result<()> {
    let too_small = || Error::Invalid(format!("image index {value} is no integer of kind {kind}"));
    // SAFETY: the caller's guarantee.
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

/// The images of a team, by the address of its variable; null, and up to gfortran 15 everything, is the current one.
///
/// # Safety
/// As the compiler passes it.
unsafe fn set_of(team: *const TeamHandle) -> Result<Rc<ImageSet>> {
    match convention() {
        Convention::Since16 if !team.is_null() => {
            // SAFETY: the caller's guarantee.
            Ok(team_with(unsafe { *team })?.set().clone())
        }
        _ => Ok(instance().image.executing()),
    }
}
