//! EVENT POST, EVENT WAIT, EVENT_QUERY. (GNU-LIBCAF section 5)

use super::status::Outcome;
use super::token::{Token, TokenHandle, near_word};
use super::transfer::set_ok;
use super::types::ErrMsg;
use crate::process::{enter, instance};
use std::ffi::{c_char, c_int};
use xmp_coarray::event::{self, EVENT_LEN};
use xmp_core::Result;

/// EVENT POST.
///
/// # Safety
/// The token is one of events; `stat` and `errmsg` are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_event_post(
    token: TokenHandle,
    index: usize,
    image: c_int,
    stat: *mut c_int,
    errmsg: *mut c_char,
    errmsg_len: usize,
) {
    // SAFETY: the caller's guarantee, here and below.
    unsafe {
        if let Some((here, event)) = near_word::<EVENT_LEN>(token, index, image)
            && here.one_host()
        {
            let rank = match image {
                0 => here.rank(),
                index => here.stack().rank_of_index(index).expect("it has a segment"),
            };
            event::post_near(here, rank, event);
            return set_ok(stat);
        }
        general_post(token, index, image, stat, errmsg, errmsg_len);
    }
}

/// Any post; the arguments of `_gfortran_caf_event_post`.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe fn general_post(
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
        // SAFETY: the caller's guarantee; events start at 0 (register) and only this module uses them.
        unsafe {
            let at = Token::of(token)?.element(instance, image, index, EVENT_LEN)?;
            event::post(&instance.image, at)
        }
    };
    let errmsg = ErrMsg { text: errmsg, len: errmsg_len };
    // SAFETY: the caller's guarantee.
    unsafe { Outcome { operation: "event post", stat, errmsg }.deliver(attempt()) };
}

/// EVENT WAIT on an event of this image.
///
/// # Safety
/// The token is one of events; `stat` and `errmsg` are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_event_wait(
    token: TokenHandle,
    index: usize,
    until_count: c_int,
    stat: *mut c_int,
    errmsg: *mut c_char,
    errmsg_len: usize,
) {
    let attempt = || -> Result<()> {
        let _entered = enter();
        let instance = instance();
        // UNTIL_COUNT less than 1 is the same as 1 (Fortran 2018, 11.6.9).
        let until = u64::try_from(until_count).unwrap_or(1);
        // SAFETY: as for EVENT POST.
        unsafe {
            let at = Token::of(token)?.element(instance, 0, index, EVENT_LEN)?;
            event::wait(&instance.image, at.offset, until)
        }
    };
    let errmsg = ErrMsg { text: errmsg, len: errmsg_len };
    // SAFETY: the caller's guarantee.
    unsafe { Outcome { operation: "event wait", stat, errmsg }.deliver(attempt()) };
}

/// EVENT_QUERY.
///
/// # Safety
/// The token is one of events; `count` is valid; `stat` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_event_query(
    token: TokenHandle,
    index: usize,
    image: c_int,
    count: *mut c_int,
    stat: *mut c_int,
) {
    let attempt = || -> Result<u64> {
        let _entered = enter();
        let instance = instance();
        // SAFETY: as for EVENT POST.
        unsafe {
            let at = Token::of(token)?.element(instance, image, index, EVENT_LEN)?;
            instance.image.polled();
            event::query(&instance.image, at)
        }
    };
    // SAFETY: the caller's guarantee.
    unsafe {
        *count = match Outcome::new("event_query", stat).deliver(attempt()) {
            Some(posts) => c_int::try_from(posts).unwrap_or(c_int::MAX),
            // The standard's value after an error (16.9.72).
            None => -1,
        };
    }
}
