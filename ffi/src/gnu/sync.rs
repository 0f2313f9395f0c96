//! SYNC ALL, SYNC IMAGES, SYNC MEMORY. (GNU-LIBCAF section 4)

use super::shape;
use super::status::Outcome;
use super::types::ErrMsg;
use super::version::{Convention, convention};
use crate::process::{enter, instance};
use std::ffi::{c_char, c_int};
use xmp_coarray::{sync_all, sync_all_active, sync_images, sync_images_all, sync_memory};

/// SYNC ALL.
///
/// # Safety
/// `stat` is null or valid; so is `errmsg` in what gfortran 16 has compiled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_sync_all(
    stat: *mut c_int,
    errmsg: *mut c_char,
    errmsg_len: usize,
) {
    let _entered = enter();
    let instance = instance();
    let image = &instance.image;
    // Taken even if it is not used: it is good for the next SYNC ALL only.
    let allocate_stat = instance.gnu.allocate_stat.replace(std::ptr::null_mut());
    shape::note_all(instance);
    let result = match stat.is_null() && allocate_stat.is_null() {
        true => sync_all(image, &image.executing()),
        false => sync_all_active(image, &image.executing()),
    };
    let outcome = match stat.is_null() && !allocate_stat.is_null() && result.is_err() {
        true => Outcome::new("allocate", allocate_stat),
        false => outcome("sync all", stat, errmsg, errmsg_len),
    };
    // SAFETY: the caller's guarantee; the `stat=` of an ALLOCATE is valid until that statement is complete.
    unsafe { outcome.deliver(result) };
}

/// SYNC MEMORY.
///
/// # Safety
/// `stat` is null or valid; so is `errmsg` in what gfortran 16 has compiled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_sync_memory(
    stat: *mut c_int,
    errmsg: *mut c_char,
    errmsg_len: usize,
) {
    let _entered = enter();
    let result = sync_memory(&instance().image);
    // SAFETY: the caller's guarantee.
    unsafe { outcome("sync memory", stat, errmsg, errmsg_len).deliver(result) };
}

/// SYNC IMAGES; `count` -1 means all images.
///
/// # Safety
/// `images` has `count` elements if that is positive; `stat` and `errmsg` as in [`_gfortran_caf_sync_all`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_sync_images(
    count: c_int,
    images: *const c_int,
    stat: *mut c_int,
    errmsg: *mut c_char,
    errmsg_len: usize,
) {
    let _entered = enter();
    let image = &instance().image;
    let set = image.executing();
    let result = match usize::try_from(count) {
        Err(_) => sync_images_all(image, &set),
        Ok(0) => sync_memory(image),
        // SAFETY: the caller's guarantee.
        Ok(count) => sync_images(image, &set, unsafe { std::slice::from_raw_parts(images, count) }),
    };
    // SAFETY: the caller's guarantee.
    unsafe { outcome("sync images", stat, errmsg, errmsg_len).deliver(result) };
}

/// The outcome of a statement whose `errmsg=` gfortran passes correctly since version 16.
#[inline(always)]
fn outcome(
    operation: &'static str,
    stat: *mut c_int,
    errmsg: *mut c_char,
    errmsg_len: usize,
) -> Outcome {
    let errmsg = match convention() {
        Convention::Until15 => Outcome::NO_ERRMSG,
        Convention::Since16 => ErrMsg { text: errmsg, len: errmsg_len },
    };
    Outcome { operation, stat, errmsg }
}
