//! Locks in Fortran, as procedures: Omni's translator has neither LOCK nor the directive. A lock is an `integer(8)`
//! of a coarray that is used for nothing else; it is open while it is 0, as coarrays are at first.

use super::descriptor::Coarray;
use super::{images, objects};
use std::ffi::c_int;
use xmp_coarray::front_end::Location;
use xmp_coarray::front_end::lock::{LOCK_LEN, acquire, release};
use xmp_core::{Error, Result};
use xmp_ffi::process::{Instance, instance};
use xmp_ffi::xmp::entry::{Memory, for_fortran};
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

/// The lock of an image that corresponds to `lock` here. Image indices mean the executing set.
fn place(instance: &Instance, lock: Memory, index: c_int) -> Outcome<Location> {
    let chunk = objects(instance).find(lock.start());
    let chunk = chunk.ok_or_else(|| DirectiveError::because("the lock is in no coarray"))?;
    let coarray = Coarray::default();
    coarray.allocated(chunk.clone());
    let at = || -> Result<Location> {
        let within = coarray.within(&chunk, lock.start(), 0..LOCK_LEN as i64)?;
        if !within.is_multiple_of(LOCK_LEN as u64) {
            return Err(Error::Invalid(format!(
                "offset {within} does not address a lock variable"
            )));
        }
        let rank = images::rank_of(instance, &coarray, index)?;
        chunk.location(&instance.image, rank, within)
    };
    Ok(at()?)
}

for_fortran! {
    /// `call xmp_lock(lock, image)`: waits until this image holds the lock. Nothing but locks is kept there, on any
    /// image.
    "xmp_lock" fn xmp_lock_(lock: Memory, index: c_int) {
        let instance = instance();
        let at = place(instance, lock, index)?;
        // SAFETY: an aligned word of a coarray, which starts as zeros; the contract of entries: a lock.
        unsafe { acquire(&instance.image, at)? };
        Ok(())
    }

    /// `call xmp_unlock(lock, image)`: releases the lock, which this image holds.
    "xmp_unlock" fn xmp_unlock_(lock: Memory, index: c_int) {
        let instance = instance();
        let at = place(instance, lock, index)?;
        // SAFETY: an aligned word of a coarray, which starts as zeros; the contract of entries: a lock of this image.
        unsafe { release(&instance.image, at)? };
        Ok(())
    }
}
