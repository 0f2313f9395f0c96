//! LOCK, UNLOCK and CRITICAL.
//!
//! The contract of entries here: the variable that is named is a lock, which starts with zeros and which only this
//! module accesses.

use super::coarray::Coarray;
use super::handle::Handle;
use super::place::{Target, local_word};
use super::table::procedures;
use crate::process::{self, enter, instance, name_of_place};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_coarray::front_end::Location;
use xmp_coarray::front_end::lock::{self, LOCK_LEN};
use xmp_core::counted::counted;
use xmp_core::{Error, Result};
use xmp_teams::holders;

procedures! {
    /// LOCK of the lock at `offset` of a coarray on an image of the initial team. With `acquired_lock` it does not
    /// wait.
    fast fn lock(
        image_num: &c_int,
        coarray_handle: &Handle,
        offset: &usize,
        acquired_lock: Option<&Cell<bool>>,
    ) [_: statement] {
        if let Some((own, lock)) = local_word(image_num, *coarray_handle, offset)
            && own.orders_only_stores()
            // SAFETY: a lock of that image, by the contract.
            && unsafe { lock::acquire_local(own, lock) }
        {
            if let Some(acquired) = acquired_lock {
                acquired.set(true);
            }
            return Ok(());
        }
        acquire(*image_num, Target::Direct(*coarray_handle, "coarray_handle", *offset), acquired_lock)
    }

    /// LOCK of the lock at the address `lock_var_ptr` of an image of the initial team.
    entered fn lock_indirect(
        image_num: &c_int,
        lock_var_ptr: &isize,
        acquired_lock: Option<&Cell<bool>>,
    ) [_: statement] {
        acquire(*image_num, Target::Indirect(*lock_var_ptr, "lock_var_ptr"), acquired_lock)
    }

    /// UNLOCK of the lock at `offset` of a coarray on an image of the initial team.
    fast fn unlock(image_num: &c_int, coarray_handle: &Handle, offset: &usize) [_: statement] {
        if let Some((own, lock)) = local_word(image_num, *coarray_handle, offset)
            && own.signals_by_stores()
            // SAFETY: a lock of that image, by the contract.
            && unsafe { lock::release_local(own, lock) }.is_ok()
        {
            return Ok(());
        }
        release(*image_num, Target::Direct(*coarray_handle, "coarray_handle", *offset))
    }

    /// UNLOCK of the lock at the address `lock_var_ptr` of an image of the initial team.
    entered fn unlock_indirect(image_num: &c_int, lock_var_ptr: &isize) [_: statement] {
        release(*image_num, Target::Indirect(*lock_var_ptr, "lock_var_ptr"))
    }

    /// CRITICAL: enters the construct of this scalar coarray of prif_critical_type, one image at a time.
    entered fn critical(critical_coarray: &Handle) [_: statement] {
        let instance = instance();
        let coarray = critical_coarray.coarray("critical_coarray")?;
        // SAFETY: a lock, by the contract.
        unsafe { process::enter_critical(instance, lock_of(coarray)?)? }.reported()
    }

    /// END CRITICAL.
    entered fn end_critical(critical_coarray: &Handle) {
        let instance = instance();
        let coarray = critical_coarray.coarray("critical_coarray")?;
        // SAFETY: a lock, by the contract.
        unsafe { process::leave_critical(instance, lock_of(coarray)?) }
    }
}

/// The lock of a CRITICAL construct: on the first image that has the coarray.
///
/// # Errors
/// A coarray that is too small, or an alias that is not aligned.
fn lock_of(coarray: &Coarray) -> Result<Location> {
    if coarray.reach < LOCK_LEN as u64 {
        return Err(Error::Invalid(format!(
            "critical_coarray has {}, and prif_critical_type {LOCK_LEN}",
            counted(coarray.reach, "byte")
        )));
    }
    if !coarray.start.is_multiple_of(LOCK_LEN as u64) {
        return Err(Error::Invalid(format!(
            "critical_coarray is an alias that is not aligned to {LOCK_LEN} bytes"
        )));
    }
    let holders = holders(&instance().image, coarray.start);
    let rank = holders.rank_at(0).expect("some image has it");
    Ok(Location { rank, offset: coarray.start })
}

/// The slow path of LOCK: a lock that is taken, or any other.
#[inline(never)]
fn acquire(image_num: c_int, lock: Target<'_>, acquired: Option<&Cell<bool>>) -> Result<()> {
    let _entered = enter();
    let at = lock.place_of_word(image_num)?;
    let variable = || name_of_place(instance(), at, LOCK_LEN as u64);
    // SAFETY: a lock, by the contract.
    unsafe { lock::acquire_or_try(&instance().image, at, acquired, &variable) }
}

/// The slow path of UNLOCK: any lock.
#[inline(never)]
fn release(image_num: c_int, lock: Target<'_>) -> Result<()> {
    let _entered = enter();
    let at = lock.place_of_word(image_num)?;
    // SAFETY: a lock, by the contract.
    unsafe { lock::release(&instance().image, at) }
}
