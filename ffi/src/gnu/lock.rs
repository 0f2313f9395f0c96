//! LOCK, UNLOCK, and CRITICAL, which is a lock on image 1. (GNU-LIBCAF section 5)
//!
//! The contract of entries here: a token is one of locks, which start at 0 and which only this module accesses.

use super::designator::{Part, awaited, named};
use super::token::{self, Role, Token};
use crate::entry::{decode, entries};
use crate::gfortran_abi::{ErrMsg, Outcome, set_ok};
use crate::process::{self, enter, instance};
use std::cell::Cell;
use std::ffi::{c_char, c_int};
use xmp_coarray::front_end::lock::{self, LOCK_LEN};
use xmp_core::{Image, Result};

entries! {
    /// LOCK; with `acquired` (ACQUIRED_LOCK=) it does not wait.
    fn _gfortran_caf_lock(
        token: Option<&Token>,
        index: usize,
        image: c_int,
        acquired: Option<&Cell<c_int>>,
        stat: Option<&Cell<c_int>>,
        errmsg: *mut c_char,
        errmsg_len: usize,
    ) {
        if let Some((own, lock)) = local_lock(token, index, image)
            // SAFETY: a lock of that image, by the contract.
            && unsafe { lock::acquire_local(own, lock) }
        {
            if let Some(acquired) = acquired {
                acquired.set(1);
            }
            return set_ok(stat);
        }
        // All arguments as they are: a jump, for which nothing is kept.
        // SAFETY: the contract of entries.
        unsafe { acquire(token, index, image, acquired, stat, errmsg, errmsg_len) };
    }

    /// UNLOCK.
    fn _gfortran_caf_unlock(
        token: Option<&Token>,
        index: usize,
        image: c_int,
        stat: Option<&Cell<c_int>>,
        errmsg: *mut c_char,
        errmsg_len: usize,
    ) {
        if let Some((own, lock)) = local_lock(token, index, image)
            // SAFETY: a lock of that image, by the contract.
            && unsafe { lock::release_local(own, lock) }.is_ok()
        {
            return set_ok(stat);
        }
        // SAFETY: the contract of entries.
        unsafe { release(token, index, image, stat, errmsg, errmsg_len) };
    }
}

/// This image and the address of a lock on an image of this host; `None` if the slow path has to find it.
#[inline(always)]
fn local_lock(
    token: Option<&Token>,
    index: usize,
    image: c_int,
) -> Option<(&'static Image, *mut u8)> {
    token::local_lock::<LOCK_LEN>(token, index, image).filter(|(own, _)| own.orders_only_stores())
}

/// The slow path of LOCK: a lock that is taken, or any other. The arguments are where the entry has them.
///
/// # Safety
/// The contract of entries: `errmsg` is a variable of that length, or null.
#[inline(never)]
unsafe extern "C" fn acquire(
    token: Option<&Token>,
    index: usize,
    image: c_int,
    acquired: Option<&Cell<c_int>>,
    stat: Option<&Cell<c_int>>,
    errmsg: *mut c_char,
    errmsg_len: usize,
) {
    // SAFETY: the contract of this function.
    let errmsg: ErrMsg<'_> = unsafe { decode::cells(errmsg, errmsg_len) };
    let _entered = enter();
    let instance = instance();
    let part = Part::Element { number: index, len: LOCK_LEN };
    let variable = || awaited(token, image, part);
    let attempt = || -> Result<()> {
        let token = Token::allocated(token)?;
        let at = token.element(instance, image, index, LOCK_LEN)?;
        if token.role == Role::Critical {
            // SAFETY: the contract of entries here: a lock is there, which only locks access.
            return unsafe { process::enter_critical(instance, at)? }.reported();
        }
        // SAFETY: the contract of entries here: a lock is there, which only locks access.
        unsafe { lock::acquire_or_try(&instance.image, at, acquired, &variable) }
    };
    let outcome = Outcome::new("lock", stat).with_errmsg(errmsg);
    outcome.deliver_named(attempt(), |error| named("lock of", token, image, part, error));
}

/// The slow path of UNLOCK: any lock. The arguments are where the entry has them.
///
/// # Safety
/// The contract of entries: `errmsg` is a variable of that length, or null.
#[cold]
#[inline(never)]
unsafe extern "C" fn release(
    token: Option<&Token>,
    index: usize,
    image: c_int,
    stat: Option<&Cell<c_int>>,
    errmsg: *mut c_char,
    errmsg_len: usize,
) {
    // SAFETY: the contract of this function.
    let errmsg: ErrMsg<'_> = unsafe { decode::cells(errmsg, errmsg_len) };
    let _entered = enter();
    let instance = instance();
    let attempt = || -> Result<()> {
        let token = Token::allocated(token)?;
        let at = token.element(instance, image, index, LOCK_LEN)?;
        if token.role == Role::Critical {
            // SAFETY: the contract of entries here: a lock is there, which only locks access.
            return unsafe { process::leave_critical(instance, at) };
        }
        // SAFETY: the contract of entries here: a lock is there, which only locks access.
        unsafe { lock::release(&instance.image, at) }
    };
    let outcome = Outcome::new("unlock", stat).with_errmsg(errmsg);
    let part = Part::Element { number: index, len: LOCK_LEN };
    outcome.deliver_named(attempt(), |error| named("unlock of", token, image, part, error));
}
