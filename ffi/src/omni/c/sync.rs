//! Synchronisation of coarrays by name (XcalableMP 1.4, 5.2). Images count from 0; `status` becomes 0, for what is wrong
//! ends the job.

use crate::omni::error::{Outcome, Wrong, done};
use crate::process::{Instance, instance};
use std::ffi::c_int;
use xmp_coarray::{sync_all, sync_images, sync_images_all, sync_memory};

/// # Safety
/// `status` is null or valid.
unsafe fn good(status: *mut c_int) {
    // SAFETY: the caller's guarantee.
    if let Some(status) = unsafe { status.as_mut() } {
        *status = 0;
    }
}

/// All executing images wait for each other.
///
/// # Safety
/// `status` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_sync_all(status: *mut c_int) {
    done("xmp_sync_all", || {
        let Instance { image, .. } = instance();
        Ok(sync_all(image, &image.executing())?)
    });
    // SAFETY: the caller's guarantee.
    unsafe { good(status) }
}

/// Completes what this image has put.
///
/// # Safety
/// `status` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_sync_memory(status: *mut c_int) {
    done("xmp_sync_memory", || Ok(sync_memory(&instance().image)?));
    // SAFETY: the caller's guarantee.
    unsafe { good(status) }
}

/// Waits for some images, which wait for this one.
///
/// # Safety
/// There are so many images; `status` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_sync_images(count: c_int, images: *const c_int, status: *mut c_int) {
    done("xmp_sync_images", || -> Outcome {
        let Instance { image, omni, .. } = instance();
        let count =
            usize::try_from(count).map_err(|_| Wrong::because(format!("{count} images")))?;
        let first = omni.first_image.get()?;
        // SAFETY: the caller's guarantee.
        let said = |at| unsafe { images.add(at).read() };
        let images: Vec<c_int> = (0..count).map(|at| said(at).saturating_add(1 - first)).collect();
        Ok(sync_images(image, &image.executing(), &images)?)
    });
    // SAFETY: as above.
    unsafe { good(status) }
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
    done("xmp_sync_images_all", || {
        let Instance { image, .. } = instance();
        Ok(sync_images_all(image, &image.executing())?)
    });
    // SAFETY: the caller's guarantee.
    unsafe { good(status) }
}
