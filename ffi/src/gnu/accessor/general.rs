//! Any get and any put of an accessor: with characters, in any team, on any host, after failures.
//!
//! They take the arguments of the front ends as these get them, so that a front end leaves with a jump, and saves nothing for them.

use super::direct::Local;
use super::elsewhere::{Call, Characters, Values, length};
use super::object::{Moved, Object, Use};
use super::result::{self, Lengths, Source};
use super::selector::Selector;
use super::{NO_OFFSET, given, source, table};
use crate::gfortran_abi::{Descriptor, Outcome};
use crate::gnu::component::copies::may_have_components;
use crate::gnu::token::TokenHandle;
use crate::gnu::types::TeamHandle;
use crate::process::{enter, instance};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use xmp_core::Result;

/// Any get; the arguments of `_gfortran_caf_get_from_remote`.
///
/// # Safety
/// As there.
#[cold]
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
    // SAFETY: the caller's guarantee.
    if let Some(from) = unsafe { given::values(token) } {
        let get = given::Get { from, image, accessor, add_data, src_len };
        let lengths = Lengths { element: dst_size, characters: dst_len };
        // SAFETY: as above.
        unsafe {
            let got = get.run(dst_descriptor.as_mut(), may_reallocate, dst_data, lengths);
            Outcome::new("coindexed access", stat).deliver(got);
        }
        return;
    }
    let selector = Selector { token, image, team, team_number };
    let attempt = || -> Result<()> {
        let _entered = enter();
        let instance = instance();
        let getter = table::getter(instance, accessor)?;
        // SAFETY: the caller's guarantee; the number is that of an accessor of this form.
        unsafe {
            let moved = match dst_descriptor.as_ref() {
                None if (*dst_data).is_null() => Moved::Characters,
                None => Moved::Bytes(dst_size),
                Some(_) if may_reallocate => Moved::Array,
                Some(dst) => Moved::Bytes(dst.size()),
            };
            let mut object = Object::find(instance, &selector, Use::Get, moved)?;
            if object.is_elsewhere()
                && dst_descriptor.as_ref().is_some_and(|dst| may_have_components(&dst.dtype))
            {
                object = object.fetched()?;
            }
            if object.is_elsewhere() {
                let characters = Characters { object: length(src_len), other: length(dst_len) };
                let values = Values(add_data, add_data_size);
                let call = Call { object: &object, accessor, image, characters, values };
                return match dst_descriptor.as_mut() {
                    Some(dst) => call.get_array(src_descriptor, dst, may_reallocate),
                    None => call.get_scalar(src_descriptor, dst_data, dst_size, dst_len),
                };
            }
            let get = |buffer: *mut c_void| {
                let mut to_free = 0;
                object.with(src_descriptor, |src| {
                    getter(
                        add_data,
                        &image,
                        buffer,
                        &mut to_free,
                        src,
                        given::token_of(&add_data),
                        NO_OFFSET,
                        dst_len,
                        src_len,
                    );
                });
                to_free != 0
            };
            let local = Local(add_data, add_data_size).range();
            let source = Source { object: Some(&object), local };
            match dst_descriptor.as_mut() {
                Some(dst) => result::array(instance, dst, may_reallocate, &source, get),
                None => {
                    let lengths = Lengths { element: dst_size, characters: dst_len };
                    result::scalar(dst_data, lengths, &instance.image, &source, get)
                }
            }
        }
    };
    Outcome::new("get", stat).deliver(attempt());
}

/// Any put; the arguments of `_gfortran_caf_send_to_remote`.
///
/// # Safety
/// As there.
#[cold]
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
    let selector = Selector { token, image, team, team_number };
    let attempt = || -> Result<()> {
        let _entered = enter();
        let instance = instance();
        let putter = table::putter(instance, accessor)?;
        // SAFETY: the caller's guarantee; the number is that of an accessor of this form.
        unsafe {
            let array = src_descriptor.as_ref();
            let moved = Moved::Bytes(array.map_or(src_size, |array| array.size()));
            let object = Object::find(instance, &selector, Use::Put, moved)?;
            let mut copied = match array {
                Some(array) => object.copy_if_wanted(array)?,
                None => None,
            };
            let padded = match src_descriptor.is_null() {
                true => source::padded(src_data, src_size, src_len, dst_len),
                false => None,
            };
            let (src, src_len): (*const c_void, _) = match (&mut copied, &padded) {
                (Some(copied), _) => (copied.descriptor().cast(), src_len),
                (None, Some(padded)) => (padded.as_ptr().cast(), dst_len),
                (None, None) if src_descriptor.is_null() => (src_data, src_len),
                (None, None) => (src_descriptor.cast(), src_len),
            };
            if object.is_elsewhere() {
                let characters = Characters { object: length(dst_len), other: length(src_len) };
                let values = Values(add_data, add_data_size);
                let call = Call { object: &object, accessor, image, characters, values };
                return match src_descriptor.as_ref() {
                    Some(array) => call.put_array(dst_descriptor, array),
                    None => call.put_scalar(dst_descriptor, src, src_size),
                };
            }
            object.with(dst_descriptor, |dst| {
                let token = given::token_of(&add_data);
                putter(add_data, &image, dst, src, token, NO_OFFSET, dst_len, src_len);
            });
            object.put_back()
        }
    };
    Outcome::new("put", stat).deliver(attempt());
}
