//! Locks in Fortran, as procedures: Omni's translator has neither LOCK nor the directive. A lock is an `integer(8)` of a
//! coarray that is used for nothing else; it is open while it is 0, as coarrays are at first.

use super::descriptor::Coarray;
use super::{images, objects};
use crate::omni::error::{Outcome, Wrong, done};
use crate::process::{Instance, instance};
use std::ffi::c_int;
use xmp_coarray::Location;
use xmp_coarray::lock::{LOCK_LEN, acquire, release};
use xmp_core::{Error, Result};

/// The lock of an image that corresponds to `lock` here. Image indices mean the executing set.
fn place(instance: &Instance, lock: *const i64, index: c_int) -> Outcome<Location> {
    let chunk = objects(instance).find(lock.cast());
    let chunk = chunk.ok_or_else(|| Wrong::because("the lock is in no coarray"))?;
    let coarray = Coarray::default();
    coarray.allocated(chunk.clone());
    let at = || -> Result<Location> {
        let within = coarray.within(&chunk, lock.cast(), 0..LOCK_LEN as i64)?;
        if !within.is_multiple_of(LOCK_LEN as u64) {
            return Err(Error::Invalid(format!("byte {within} is no place of a lock")));
        }
        let rank = images::rank_of(instance, &coarray, index)?;
        chunk.location(&instance.image, rank, within)
    };
    Ok(at()?)
}

/// `call xmp_lock(lock, image)`: waits until it is this image's.
///
/// # Safety
/// The pointers are valid; nothing but locks is kept there, on any image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_lock_(lock: *const i64, image: *const c_int) {
    done("xmp_lock", || {
        let instance = instance();
        // SAFETY: the caller's guarantee; coarrays start as zeros.
        unsafe { acquire(&instance.image, place(instance, lock, *image)?)? };
        Ok(())
    });
}

/// `call xmp_unlock(lock, image)`: lets others have the lock, which is this image's.
///
/// # Safety
/// As [`xmp_lock_`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_unlock_(lock: *const i64, image: *const c_int) {
    done("xmp_unlock", || {
        let instance = instance();
        // SAFETY: as above.
        unsafe { release(&instance.image, place(instance, lock, *image)?)? };
        Ok(())
    });
}
