//! Synchronisation of coarrays by name (XcalableMP 1.4, 5.2). Images count from 0; `status` becomes 0, or the number of what
//! is wrong, which ends the job where there is none.

use crate::gfortran_abi::Outcome as Status;
use crate::omni::error::{Outcome, Wrong};
use crate::process::{Instance, enter, instance};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_coarray::{sync_all, sync_images, sync_images_all, sync_memory};

/// Gives what came of it to `status`.
///
/// # Safety
/// `status` is null or valid.
unsafe fn reported(operation: &'static str, status: *mut c_int, outcome: Outcome) {
    // SAFETY: the caller's guarantee.
    let stat = unsafe { status.cast::<Cell<c_int>>().as_ref() };
    Status::new(operation, stat).deliver(outcome.map_err(Wrong::error));
}

/// All executing images wait for each other.
///
/// # Safety
/// `status` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_sync_all(status: *mut c_int) {
    let _entered = enter();
    let Instance { image, .. } = instance();
    let outcome = sync_all(image, &image.executing()).map_err(Wrong::from);
    // SAFETY: the caller's guarantee.
    unsafe { reported("xmp_sync_all", status, outcome) }
}

/// Completes what this image has put.
///
/// # Safety
/// `status` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_sync_memory(status: *mut c_int) {
    let _entered = enter();
    let outcome = sync_memory(&instance().image).map_err(Wrong::from);
    // SAFETY: the caller's guarantee.
    unsafe { reported("xmp_sync_memory", status, outcome) }
}

/// Waits for some images, which wait for this one.
///
/// # Safety
/// There are so many images; `status` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_sync_images(count: c_int, images: *const c_int, status: *mut c_int) {
    let _entered = enter();
    let outcome = || -> Outcome {
        let Instance { image, .. } = instance();
        let count =
            usize::try_from(count).map_err(|_| Wrong::because(format!("{count} images")))?;
        let first = image.settings().first_image_in_c;
        // SAFETY: the caller's guarantee.
        let said = |at| unsafe { images.add(at).read() };
        let images: Vec<c_int> = (0..count).map(|at| said(at).saturating_add(1 - first)).collect();
        Ok(sync_images(image, &image.executing(), &images)?)
    };
    // SAFETY: as above.
    unsafe { reported("xmp_sync_images", status, outcome()) }
}

/// The same with one image.
///
/// # Safety
/// `status` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_sync_image(index: c_int, status: *mut c_int) {
    // SAFETY: the caller's guarantee.
    unsafe { xmp_sync_images(1, &raw const index, status) }
}

/// The same with all executing images.
///
/// # Safety
/// `status` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_sync_images_all(status: *mut c_int) {
    let _entered = enter();
    let Instance { image, .. } = instance();
    let outcome = sync_images_all(image, &image.executing()).map_err(Wrong::from);
    // SAFETY: the caller's guarantee.
    unsafe { reported("xmp_sync_images_all", status, outcome) }
}
