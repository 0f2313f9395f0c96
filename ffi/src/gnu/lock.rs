//! LOCK, UNLOCK, and CRITICAL, which is a lock on image 1. (GNU-LIBCAF section 5)

use super::status::Outcome;
use super::token::{Role, Token, TokenHandle, near_word};
use super::transfer::set_ok;
use super::types::ErrMsg;
use crate::process::{Instance, enter, instance};
use std::ffi::{c_char, c_int};
use std::thread;
use xmp_coarray::Location;
use xmp_coarray::lock::{self, Acquired, LOCK_LEN};
use xmp_core::{Error, Image, Result};

/// The lock in few steps, and this image; `None` if anything about it needs a closer look, or it is on another host.
///
/// # Safety
/// The token is one of locks.
#[inline(always)]
unsafe fn near(
    token: TokenHandle,
    index: usize,
    image: c_int,
) -> Option<(&'static Image, *mut u8)> {
    // SAFETY: the caller's guarantee.
    unsafe { near_word::<LOCK_LEN>(token, index, image) }.filter(|(here, _)| here.one_host())
}

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
    // SAFETY: the caller's guarantee, here and below.
    unsafe {
        if let Some((here, lock)) = near(token, index, image)
            && lock::acquire_near(here, lock)
        {
            if !acquired.is_null() {
                *acquired = 1;
            }
            return set_ok(stat);
        }
        general_lock(token, index, image, acquired, stat, errmsg, errmsg_len);
    }
}

/// A lock that has to be waited for, or has to be looked at more closely; the arguments of `_gfortran_caf_lock`.
///
/// # Safety
/// As there.
#[inline(never)]
unsafe extern "C" fn general_lock(
    token: TokenHandle,
    index: usize,
    image: c_int,
    acquired: *mut c_int,
    stat: *mut c_int,
    errmsg: *mut c_char,
    errmsg_len: usize,
) {
    let attempt = || -> Result<()> {
        let _entered = enter();
        let instance = instance();
        // SAFETY: the caller's guarantee; locks start at 0 (register) and only this module uses them.
        unsafe {
            let token = Token::of(token)?;
            let at = token.element(instance, image, index, LOCK_LEN)?;
            if token.role == Role::Critical && instance.image.threads().is_shared() {
                return acquire_critical(instance, at);
            }
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

/// CRITICAL in an image of several threads: each waits for the others, as for other images.
///
/// # Errors
/// When this thread executes the construct already; as [`lock::acquire`].
///
/// # Safety
/// A lock is there, as for [`lock::acquire`].
unsafe fn acquire_critical(instance: &Instance, at: Location) -> Result<()> {
    let Instance { image, gnu, .. } = instance;
    let mine = (at.offset, thread::current().id());
    if gnu.critical.borrow().contains(&mine) {
        return Err(Error::Locked);
    }
    // SAFETY: the caller's guarantee.
    let acquired = unsafe { lock::acquire_by_thread(image, at)? };
    gnu.critical.borrow_mut().push(mine);
    clean(acquired)
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
    // SAFETY: the caller's guarantee, here and below.
    unsafe {
        if let Some((here, lock)) = near(token, index, image)
            && lock::release_near(here, lock).is_ok()
        {
            return set_ok(stat);
        }
        general_unlock(token, index, image, stat, errmsg, errmsg_len);
    }
}

/// Any unlock; the arguments of `_gfortran_caf_unlock`.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe extern "C" fn general_unlock(
    token: TokenHandle,
    index: usize,
    image: c_int,
    stat: *mut c_int,
    errmsg: *mut c_char,
    errmsg_len: usize,
) {
    let attempt = || -> Result<()> {
        let _entered = enter();
        let instance = instance();
        // SAFETY: as for LOCK.
        unsafe {
            let token = Token::of(token)?;
            let at = token.element(instance, image, index, LOCK_LEN)?;
            if token.role == Role::Critical {
                instance.gnu.critical.borrow_mut().retain(|&(offset, _)| offset != at.offset);
            }
            lock::release(&instance.image, at)
        }
    };
    let errmsg = ErrMsg { text: errmsg, len: errmsg_len };
    // SAFETY: the caller's guarantee.
    unsafe { Outcome { operation: "unlock", stat, errmsg }.deliver(attempt()) };
}
