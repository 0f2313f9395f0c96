//! The common case where a few steps more are taken: arrays, images that no formula gives, jobs of several hosts, where the
//! server's thread calls accessors, too. [`super::quick`] comes here with its arguments as it got them, so that a get or a put
//! with the fewest steps saves nothing for this.

use super::direct::{self, Direct, Given, Got, Local};
use super::general;
use crate::gfortran_abi::{Descriptor, set_ok};
use crate::gnu::token::TokenHandle;
use crate::gnu::types::TeamHandle;
use std::cell::Cell;
use std::ffi::{c_int, c_void};

/// A get; the arguments of `_gfortran_caf_get_from_remote`.
///
/// # Safety
/// As there.
#[inline(never)]
pub unsafe extern "C" fn get(
    token: TokenHandle,
    src_descriptor: *mut Descriptor,
    src_len: *const usize,
    image: c_int,
    dst_size: usize,
    dst_data: *mut *mut c_void,
    dst_len: *mut usize,
    dst_descriptor: *mut Descriptor,
    may_reallocate: bool,
    accessor: c_int,
    add_data: *mut c_void,
    add_data_size: usize,
    stat: Option<&Cell<c_int>>,
    team: *const TeamHandle,
    team_number: *const c_int,
) {
    // In this order as in `quick`.
    if dst_len.is_null()
        && team.is_null()
        // SAFETY: the caller's guarantee.
        && let Some(from) = unsafe { Direct::find(token, image, accessor) }
        && src_len.is_null()
        && team_number.is_null()
    {
        let (values, image) = (add_data, image);
        let (values, image) = (&raw const values, &raw const image);
        let given = Given { values, image, descriptor: src_descriptor };
        let local = Local(add_data, add_data_size);
        from.wait();
        // SAFETY: as above.
        unsafe {
            return match dst_descriptor.as_mut() {
                Some(dst) if may_reallocate => {
                    from.get_allocated(given, dst);
                    set_ok(stat);
                }
                Some(dst) => from.get_array(given, dst, local, stat),
                None => match from.get(given, dst_data, dst_size) {
                    Got::All => set_ok(stat),
                    Got::Elsewhere { own, to_free } => {
                        let of = (&*token.cast(), *image);
                        direct::finish(of, dst_data, (own, to_free), dst_size, local, stat);
                    }
                },
            };
        }
    }
    // SAFETY: as above.
    unsafe {
        general::get(
            token,
            src_descriptor,
            src_len,
            image,
            dst_size,
            dst_data,
            dst_len,
            dst_descriptor,
            may_reallocate,
            accessor,
            add_data,
            add_data_size,
            stat,
            team,
            team_number,
        );
    }
}

/// A put; the arguments of `_gfortran_caf_send_to_remote`.
///
/// # Safety
/// As there.
#[inline(never)]
pub unsafe extern "C" fn put(
    token: TokenHandle,
    dst_descriptor: *mut Descriptor,
    dst_len: *const usize,
    image: c_int,
    src_size: usize,
    src_data: *const c_void,
    src_len: *const usize,
    src_descriptor: *const Descriptor,
    accessor: c_int,
    add_data: *mut c_void,
    add_data_size: usize,
    stat: Option<&Cell<c_int>>,
    team: *const TeamHandle,
    team_number: *const c_int,
) {
    if dst_len.is_null()
        && team.is_null()
        // SAFETY: the caller's guarantee.
        && let Some(to) = unsafe { Direct::find(token, image, accessor) }
        && src_len.is_null()
        && team_number.is_null()
        // SAFETY: as above.
        && !unsafe { to.wants_copy(src_descriptor) }
    {
        let (values, image) = (add_data, image);
        let (values, image) = (&raw const values, &raw const image);
        let given = Given { values, image, descriptor: dst_descriptor };
        let source = if src_descriptor.is_null() { src_data } else { src_descriptor.cast() };
        to.wait();
        // SAFETY: as above.
        unsafe {
            to.put(given, source);
            return set_ok(stat);
        }
    }
    // SAFETY: as above.
    unsafe {
        general::put(
            token,
            dst_descriptor,
            dst_len,
            image,
            src_size,
            src_data,
            src_len,
            src_descriptor,
            accessor,
            add_data,
            add_data_size,
            stat,
            team,
            team_number,
        );
    }
}
