//! The slow path: any get and any put by an accessor, with characters, in any team, on any host, after failures.
//!
//! The functions take the arguments of the entries as these get them, so that a fast path leaves with a jump.

use super::arguments::{MoreOfGet, MoreOfPut};
use super::entered;
use super::function::{self, Statement};
use super::object::{Object, TransferSize, Use};
use super::remote::request::Characters;
use super::remote::{Call, length};
use super::result::{self, Lengths, Source};
use super::selector::Selector;
use super::source;
use super::table;
use super::values::{self, Values};
use crate::gfortran_abi::{Descriptor, NamedError, Outcome};
use crate::gnu::component::copies::may_have_components;
use crate::gnu::designator::{self, Part};
use crate::gnu::token::{Token, TokenHandle};
use crate::process::{enter, instance};
use std::ffi::{c_int, c_void};
use std::ptr;
use xmp_core::{Error, Result};

/// Any get; the arguments of `_gfortran_caf_get_from_remote`.
#[cold]
#[inline(never)]
pub extern "C" fn get(
    token: TokenHandle,
    src_descriptor: *mut Descriptor,
    src_len: *const usize,
    image: c_int,
    dst_size: usize,
    dst_data: *mut *mut c_void,
    more: MoreOfGet<'_>,
) {
    // SAFETY: the contract of entries: null or the descriptor of a local array.
    let mut dst = unsafe { more.dst_descriptor.as_mut() };
    let lengths = Lengths { element: dst_size, characters: more.dst_len };
    if let Some(from) = values::values(token) {
        let got = get_own(from, image, &more, src_len, dst, dst_data, lengths);
        Outcome::new("coindexed access", more.stat).deliver(got);
        return;
    }
    let MoreOfGet { dst_len, may_reallocate, accessor, add_data, add_data_size, .. } = more;
    let (may_reallocate, accessor) = (may_reallocate.0, accessor.0);
    let selector = Selector { token, image, team: more.team, team_number: more.team_number };
    let values = Values { start: add_data, len: add_data_size };
    let attempt = || -> Result<()> {
        let _entered = enter();
        let instance = instance();
        let called = table::accessor(instance, accessor)?;
        let moved = match &dst {
            // SAFETY: the contract of entries: the place of the address of the local scalar.
            None if unsafe { *dst_data }.is_null() => TransferSize::Characters,
            None => TransferSize::Bytes(dst_size),
            Some(_) if may_reallocate => TransferSize::Array,
            Some(dst) => TransferSize::Bytes(dst.size()),
        };
        let mut object = Object::find(instance, &selector, Use::Get, moved)?;
        if object.is_remote() && dst.as_ref().is_some_and(|dst| may_have_components(&dst.dtype)) {
            object = object.fetched()?;
        }
        if object.is_remote() {
            let characters = Characters { object: length(src_len), other: length(dst_len) };
            let call = Call { object: &object, accessor, image, characters, values };
            return match dst.as_mut() {
                Some(dst) => call.get_array(src_descriptor, dst, may_reallocate),
                None => call.get_scalar(src_descriptor, dst_data, dst_size, dst_len),
            };
        }
        let statement = Statement::new(&add_data, &image);
        let characters = function::Characters { object: src_len, other: dst_len };
        let get = |buffer: *mut c_void| {
            object.with(src_descriptor, |src| {
                entered::called(&object, || called.get(statement, src, buffer, characters))
            })
        };
        let source = Source { object: Some(&object), local: values.range() };
        match dst.as_mut() {
            Some(dst) => result::array(instance, dst, may_reallocate, &source, get),
            // SAFETY: the contract of entries: the place of the address of the local scalar.
            None => unsafe { result::scalar(dst_data, lengths, instance, &source, get) },
        }
    };
    Outcome::new("get", more.stat)
        .deliver_named(attempt(), |error| name("get from", token, image, error));
}

/// An accessor's own get from the values that it was given: of a scalar to where `place` says, or of an array to `dst`.
///
/// # Errors
/// An accessor that is not there; shapes that do not conform.
fn get_own(
    from: *mut c_void,
    image: c_int,
    more: &MoreOfGet<'_>,
    src_len: *const usize,
    dst: Option<&mut Descriptor>,
    place: *mut *mut c_void,
    lengths: Lengths,
) -> Result<()> {
    let instance = instance();
    let called = table::accessor(instance, more.accessor.0)?;
    let statement = Statement::new(&more.add_data, &image);
    let characters = function::Characters { object: src_len, other: more.dst_len };
    let get = |buffer: *mut c_void| called.get(statement, from, buffer, characters);
    let source = Source { object: None, local: 0..0 };
    match dst {
        Some(dst) => result::array(instance, dst, more.may_reallocate.0, &source, get),
        // SAFETY: the contract of entries: the place of the address of the local scalar.
        None => unsafe { result::scalar(place, lengths, instance, &source, get) },
    }
}

/// Any put; the arguments of `_gfortran_caf_send_to_remote`.
#[cold]
#[inline(never)]
pub extern "C" fn put(
    token: TokenHandle,
    dst_descriptor: *mut Descriptor,
    dst_len: *const usize,
    image: c_int,
    src_size: usize,
    src_data: *const c_void,
    more: MoreOfPut<'_>,
) {
    let MoreOfPut { src_len, accessor, add_data, add_data_size, .. } = more;
    let accessor = accessor.0;
    // SAFETY: the contract of entries: null or the descriptor of a local array.
    let array = unsafe { more.src_descriptor.as_ref() };
    let selector = Selector { token, image, team: more.team, team_number: more.team_number };
    let attempt = || -> Result<()> {
        let _entered = enter();
        let instance = instance();
        let called = table::accessor(instance, accessor)?;
        let moved = TransferSize::Bytes(array.map_or(src_size, Descriptor::size));
        let object = Object::find(instance, &selector, Use::Put, moved)?;
        let (mut copied, mut padded) = (None, None);
        let (src, src_len): (*const c_void, _) = if let Some(array) = array {
            copied = object.copy_if_wanted(array)?;
            let copy = copied.as_mut().map(|copied| ptr::from_ref(copied.descriptor()));
            (copy.unwrap_or(more.src_descriptor).cast(), src_len)
        } else {
            // SAFETY: the contract of entries: the local scalar.
            padded = unsafe { source::padded(src_data, src_size, src_len, dst_len) };
            padded.as_ref().map_or((src_data, src_len), |text| (text.as_ptr().cast(), dst_len))
        };
        if object.is_remote() {
            let characters = Characters { object: length(dst_len), other: length(src_len) };
            let values = Values { start: add_data, len: add_data_size };
            let call = Call { object: &object, accessor, image, characters, values };
            return match array {
                Some(array) => call.put_array(dst_descriptor, array),
                None => call.put_scalar(dst_descriptor, src, src_size),
            };
        }
        let statement = Statement::new(&add_data, &image);
        let characters = function::Characters { object: dst_len, other: src_len.cast_mut() };
        object.with(dst_descriptor, |dst| {
            entered::called(&object, || called.put(statement, dst, src, characters));
        });
        drop((copied, padded));
        object.put_back()
    };
    Outcome::new("put", more.stat)
        .deliver_named(attempt(), |error| name("put to", token, image, error));
}

/// An error of an access to the coarray of a token that is none of values. Accessors have the subscripts.
#[cold]
fn name(operation: &str, token: TokenHandle, image: c_int, error: &Error) -> NamedError {
    // SAFETY: the contract of entries: null, or a token that is not deregistered.
    let token = unsafe { token.cast::<Token>().as_ref() };
    designator::named(operation, token, image, Part::Whole, error)
}
