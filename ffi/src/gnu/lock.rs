//! LOCK, UNLOCK, and CRITICAL, which is a lock on image 1. (GNU-LIBCAF section 5)

use super::status::Outcome;
use super::token::{Token, TokenHandle};
use super::types::ErrMsg;
use crate::process::instance;
use std::ffi::{c_char, c_int};
use xmp_coarray::lock::{self, Acquired, LOCK_LEN};
use xmp_core::{Error, Result};

/// LOCK; with `acquired` (ACQUIRED_LOCK=) it does not wait.
///
/// # Safety
/// The token is one of locks; `acquired`, `stat` and `errmsg` are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_lock(
    token: TokenHandle,
    index: usize,
    image: c_int,
    acquired: *mut c_int,
    stat: *mut c_int,
    errmsg: *mut c_char,
    errmsg_len: usize,
) {
    let attempt = || -> Result<()> {
        let instance = instance();
        // SAFETY: the caller's guarantee; locks start at 0 (register) and only this module uses them.
        unsafe {
            let at = Token::of(token)?.element(instance, image, index, LOCK_LEN)?;
            match acquired.as_mut() {
                None => clean(lock::acquire(&instance.image, at)?),
                Some(acquired) => {
                    let outcome = lock::try_acquire(&instance.image, at)?;
                    *acquired = outcome.is_some().into();
                    outcome.map_or(Ok(()), clean)
                }
            }
        }
    };
    let errmsg = ErrMsg { text: errmsg, len: errmsg_len };
    // SAFETY: the caller's guarantee.
    unsafe { Outcome { operation: "lock", stat, errmsg }.deliver(attempt()) };
}

/// A lock that a failed image held is acquired, but not without notice.
fn clean(acquired: Acquired) -> Result<()> {
    match acquired {
        Acquired::Free => Ok(()),
        Acquired::FromFailedImage(image) => Err(Error::UnlockedFailedImage(image)),
    }
}

/// UNLOCK.
///
/// # Safety
/// The token is one of locks; `stat` and `errmsg` are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_unlock(
    token: TokenHandle,
    index: usize,
    image: c_int,
    stat: *mut c_int,
    errmsg: *mut c_char,
    errmsg_len: usize,
) {
    let attempt = || -> Result<()> {
        let instance = instance();
        // SAFETY: as for LOCK.
        unsafe {
            let at = Token::of(token)?.element(instance, image, index, LOCK_LEN)?;
            lock::release(&instance.image, at)
        }
    };
    let errmsg = ErrMsg { text: errmsg, len: errmsg_len };
    // SAFETY: the caller's guarantee.
    unsafe { Outcome { operation: "unlock", stat, errmsg }.deliver(attempt()) };
}
