//! The fewest steps: an image that a formula gives, one host, and to get a scalar. The front ends come here with their arguments
//! as they got them, and so does this to [`longer`], also where an accessor has left something else than usual.
//!
//! There is one function for coarrays without components and one for others: it is instructions that count here.

use super::direct::{self, Direct, Given, Got, Local};
use super::longer;
use crate::gfortran_abi::{Descriptor, set_ok};
use crate::gnu::token::TokenHandle;
use crate::gnu::types::TeamHandle;
use std::cell::Cell;
use std::ffi::{c_int, c_void};

/// A get; the arguments of `_gfortran_caf_get_from_remote`.
///
/// # Safety
/// As there, for a scalar of a coarray whose access is [`crate::gnu::token::Access::Following`] or, without `FOLLOWS`,
/// [`crate::gnu::token::Access::Plain`].
#[inline(never)]
pub unsafe extern "C" fn get<const FOLLOWS: bool>(
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
    // The arguments are not looked at all at once: the compiler of this library would make one load of two that the caller
    // has just stored, which processors wait for. The accessor gets references to copies, so that what ends this is a jump.
    if dst_len.is_null()
        && team.is_null()
        && let Some(from) =
            // SAFETY: the caller's guarantee: the token of a coarray.
            Direct::find_quickly(FOLLOWS, unsafe { &*token.cast() }, image, accessor)
        && src_len.is_null()
        && team_number.is_null()
    {
        let (values, image) = (add_data, image);
        let (values, image) = (&raw const values, &raw const image);
        let given = Given { values, image, descriptor: src_descriptor };
        // SAFETY: as above.
        unsafe {
            return match from.get(given, dst_data, dst_size) {
                Got::All => set_ok(stat),
                Got::Elsewhere { own, to_free } if FOLLOWS => {
                    let of = (&*token.cast(), *given.image);
                    let local = Local(*given.values, add_data_size);
                    direct::finish(of, dst_data, (own, to_free), dst_size, local, stat);
                }
                Got::Elsewhere { own, .. } => {
                    direct::finish_plain(dst_data, own, dst_size, stat);
                }
            };
        }
    }
    // SAFETY: as above.
    unsafe {
        longer::get(
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

/// A get of an array, quick if the accessor allocates it; the arguments of `_gfortran_caf_get_from_remote`.
///
/// # Safety
/// As there, and it is an array.
#[inline(never)]
pub unsafe extern "C" fn get_array(
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
    if may_reallocate
        && dst_len.is_null()
        && team.is_null()
        // SAFETY: the caller's guarantee.
        && let Some((coarray, follows)) = unsafe { direct::quickly(token) }
        && let Some(from) = Direct::find_quickly(follows, coarray, image, accessor)
        && src_len.is_null()
        && team_number.is_null()
    {
        let (values, image) = (add_data, image);
        let (values, image) = (&raw const values, &raw const image);
        let given = Given { values, image, descriptor: src_descriptor };
        // SAFETY: as above.
        unsafe {
            from.get_allocated(given, dst_descriptor);
            return set_ok(stat);
        }
    }
    // SAFETY: as above.
    unsafe {
        longer::get(
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
/// As [`get`], but of an array, too.
#[inline(never)]
pub unsafe extern "C" fn put<const FOLLOWS: bool>(
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
    // In this order for the same reason as above.
    if dst_len.is_null()
        && team.is_null()
        && let Some(to) =
            // SAFETY: the caller's guarantee: the token of a coarray.
            Direct::find_quickly(FOLLOWS, unsafe { &*token.cast() }, image, accessor)
        && src_len.is_null()
        && team_number.is_null()
        // SAFETY: as above.
        && !unsafe { to.wants_copy(src_descriptor) }
    {
        let (values, image) = (add_data, image);
        let (values, image) = (&raw const values, &raw const image);
        let given = Given { values, image, descriptor: dst_descriptor };
        let source = if src_descriptor.is_null() { src_data } else { src_descriptor.cast() };
        // SAFETY: as above.
        unsafe {
            to.put(given, source);
            return set_ok(stat);
        }
    }
    // SAFETY: as above.
    unsafe {
        longer::put(
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
