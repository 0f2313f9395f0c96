//! Image control statements. Compilers are kept from moving code across them by arguments that mean nothing.

use super::arrays::integers;
use super::images;
use crate::entry::decode;
use crate::gfortran_abi::{Descriptor, Outcome as Status};
use crate::omni::error::{Outcome, Wrong, done};
use crate::process::{self, enter, instance};
use std::cell::Cell;
use std::ffi::{c_char, c_int};
use xmp_coarray::{sync_all, sync_all_active, sync_images, sync_images_all, sync_memory};

/// SYNC ALL.
#[unsafe(no_mangle)]
pub extern "C" fn xmpf_sync_all_() {
    done("sync all", all);
}

/// SYNC ALL where the language has one without saying so.
#[unsafe(no_mangle)]
pub extern "C" fn xmpf_sync_all_auto_() {
    done("sync all", all);
}

/// All images of the statement wait for each other.
pub fn all() -> Outcome {
    let instance = instance();
    let set = images::of_statement(instance)?;
    Ok(sync_all(&instance.image, &set)?)
}

/// SYNC MEMORY.
#[unsafe(no_mangle)]
pub extern "C" fn xmpf_sync_memory_() {
    done("sync memory", || Ok(sync_memory(&instance().image)?));
}

/// SYNC IMAGES with some images, or with all if the number is 0.
///
/// # Safety
/// There are so many image indices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_sync_images_(count: *const c_int, indices: *const c_int) {
    done("sync images", || {
        // SAFETY: the caller's guarantee.
        match usize::try_from(unsafe { *count }) {
            Ok(0) => with_all(),
            // SAFETY: as above.
            Ok(count) => with(unsafe { std::slice::from_raw_parts(indices, count) }),
            Err(_) => Err(Wrong::because("a negative number of images")),
        }
    });
}

fn with(indices: &[c_int]) -> Outcome {
    let instance = instance();
    let set = images::of_statement(instance)?;
    Ok(sync_images(&instance.image, &set, indices)?)
}

fn with_all() -> Outcome {
    let instance = instance();
    let set = images::of_statement(instance)?;
    Ok(sync_images_all(&instance.image, &set)?)
}

/// Gives the outcome of a statement to STAT= and ERRMSG=.
///
/// # Safety
/// `stat` is valid; `errmsg` is null or has `len` characters.
unsafe fn reported(
    operation: &'static str,
    (stat, errmsg, len): (*mut c_int, *mut c_char, usize),
    outcome: Outcome,
) {
    // SAFETY: the caller's guarantee.
    let (stat, errmsg) =
        unsafe { (stat.cast::<Cell<c_int>>().as_ref(), decode::cells(errmsg, len)) };
    Status::new(operation, stat).with_errmsg(errmsg).deliver(outcome.map_err(Wrong::error));
}

/// SYNC ALL with STAT=: the images that are left synchronise also when others have failed.
///
/// # Safety
/// The arguments are those that the interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_sync_all_stat_(stat: *mut c_int, errmsg: *mut c_char, len: usize) {
    let _entered = enter();
    let instance = instance();
    let outcome =
        images::of_statement(instance).and_then(|set| Ok(sync_all_active(&instance.image, &set)?));
    // SAFETY: the caller's guarantee.
    unsafe { reported("sync all", (stat, errmsg, len), outcome) };
}

/// SYNC MEMORY with STAT=.
///
/// # Safety
/// As [`xmpf_sync_all_stat_`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_sync_memory_stat_wrap_(
    stat: *mut c_int,
    errmsg: *mut c_char,
    len: usize,
) {
    let _entered = enter();
    let outcome = sync_memory(&instance().image).map_err(Wrong::from);
    // SAFETY: the caller's guarantee.
    unsafe { reported("sync memory", (stat, errmsg, len), outcome) };
}

/// SYNC IMAGES with one image and STAT=.
///
/// # Safety
/// As [`xmpf_sync_all_stat_`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_sync_image_stat_wrap_(
    index: *const c_int,
    stat: *mut c_int,
    errmsg: *mut c_char,
    len: usize,
) {
    // SAFETY: the caller's guarantee.
    unsafe { reported("sync images", (stat, errmsg, len), with(&[*index])) };
}

/// SYNC IMAGES with some images and STAT=.
///
/// # Safety
/// As [`xmpf_sync_all_stat_`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_sync_images_stat_wrap_(
    indices: *const Descriptor,
    stat: *mut c_int,
    errmsg: *mut c_char,
    len: usize,
) {
    // SAFETY: the caller's guarantee: an array of default integers.
    let indices: Vec<c_int> = unsafe { integers(&*indices).map(|index| index.read()).collect() };
    // SAFETY: the caller's guarantee.
    unsafe { reported("sync images", (stat, errmsg, len), with(&indices)) };
}

/// SYNC IMAGES (*) with STAT=. (The length of the asterisk comes before that of the message.)
///
/// # Safety
/// As [`xmpf_sync_all_stat_`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_sync_allimages_stat_wrap_(
    _asterisk: *const c_char,
    stat: *mut c_int,
    errmsg: *mut c_char,
    _asterisk_len: usize,
    len: usize,
) {
    // SAFETY: the caller's guarantee.
    unsafe { reported("sync images", (stat, errmsg, len), with_all()) };
}

/// ERROR STOP.
#[unsafe(no_mangle)]
pub extern "C" fn xmpf_error_stop_() {
    process::error_stop(1, false)
}
