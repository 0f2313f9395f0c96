//! SYNC ALL, SYNC IMAGES, SYNC MEMORY. (GNU-LIBCAF section 4)

use super::shape;
use super::status::Outcome;
use crate::process::instance;
use std::ffi::{c_char, c_int};
use xmp_coarray::{sync_all, sync_all_active, sync_images, sync_images_all, sync_memory};

/// SYNC ALL.
///
/// # Safety
/// `stat` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_sync_all(
    stat: *mut c_int,
    _errmsg: *mut c_char,
    _errmsg_len: usize,
) {
    let instance = instance();
    let image = &instance.image;
    // Taken even if it is not used: it is good for the next SYNC ALL only.
    let allocate_stat = instance.gnu.allocate_stat.replace(std::ptr::null_mut());
    shape::note_all(instance);
    let result = match stat.is_null() {
        true => sync_all(image, &image.executing()),
        false => sync_all_active(image, &image.executing()),
    };
    let outcome = match stat.is_null() && !allocate_stat.is_null() && result.is_err() {
        true => Outcome::new("allocate", allocate_stat),
        false => Outcome::new("sync all", stat),
    };
    // SAFETY: the caller's guarantee; the `stat=` of an ALLOCATE is valid until that statement is complete.
    unsafe { outcome.deliver(result) };
}

/// SYNC MEMORY.
///
/// # Safety
/// `stat` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_sync_memory(
    stat: *mut c_int,
    _errmsg: *mut c_char,
    _errmsg_len: usize,
) {
    let result = sync_memory(&instance().image);
    // SAFETY: the caller's guarantee.
    unsafe { Outcome::new("sync memory", stat).deliver(result) };
}

/// SYNC IMAGES; `count` -1 means all images.
///
/// # Safety
/// `images` has `count` elements if that is positive; `stat` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_sync_images(
    count: c_int,
    images: *const c_int,
    stat: *mut c_int,
    _errmsg: *mut c_char,
    _errmsg_len: usize,
) {
    let image = &instance().image;
    let set = image.executing();
    let result = match usize::try_from(count) {
        Err(_) => sync_images_all(image, &set),
        Ok(0) => sync_memory(image),
        // SAFETY: the caller's guarantee.
        Ok(count) => sync_images(image, &set, unsafe { std::slice::from_raw_parts(images, count) }),
    };
    // SAFETY: the caller's guarantee.
    unsafe { Outcome::new("sync images", stat).deliver(result) };
}
