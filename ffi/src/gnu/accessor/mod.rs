//! Coindexed assignment and reference for gfortran 15 and later. (GNU-LIBCAF section 9)
//!
//! The compiler makes a function of every coindexed reference, an *accessor*, which finds the elements, follows
//! components and converts; the library calls it with the address of the coarray on the image that is meant ([`object`])
//! and of the other side ([`buffer`], [`source`], [`result`]), or has it called on another host ([`elsewhere`]), mostly in few steps ([`direct`]); what it gets of the statement besides is [`given`]. Which image that is, says a [`selector`]. [`between`] has assignments from one image to another. Accessors are known by numbers ([`table`]).

mod between;
mod buffer;
mod direct;
mod elsewhere;
mod given;
mod guard;
mod object;
mod result;
mod selector;
mod source;
mod table;
mod windows;

use super::status::Outcome;
use super::token::{Token, TokenHandle};
use super::types::{Descriptor, TeamHandle};
use super::version;
use crate::process::instance;
use direct::Direct;
use elsewhere::{Call, Characters, Values, length};
use object::{Object, Use};
use result::{Lengths, Source};
use selector::Selector;
use std::ffi::{c_int, c_void};
use std::ptr;
use xmp_core::Result;

pub use elsewhere::register as serve;
pub use table::Table;

/// The offset that accessors get: nothing, as the address is that of the object.
const NO_OFFSET: usize = 0;

/// Registers an accessor by the number that the compiler has given it. Constructors of the program call this, before there
/// is an image.
#[unsafe(no_mangle)]
pub extern "C" fn _gfortran_caf_register_accessor(hash: c_int, accessor: table::Accessor) {
    version::learn_from(accessor as *const c_void);
    table::register(hash, accessor);
}

/// The accessors of a program unit are registered. There is nothing to do: they can be found at once.
#[unsafe(no_mangle)]
pub extern "C" fn _gfortran_caf_register_accessors_finish() {}

/// What an accessor is called in the other calls; asked once for each place in the program.
#[unsafe(no_mangle)]
pub extern "C" fn _gfortran_caf_get_remote_function_index(hash: c_int) -> c_int {
    let index = table::index_of(instance(), hash);
    // SAFETY: no `stat=`.
    let index = unsafe { Outcome::new("coindexed access", ptr::null_mut()).deliver(index) };
    index.expect("without stat= an error ends the job")
}

/// `local = a[image]`. A scalar is where `*dst_data` points afterwards; an array in `dst_descriptor`.
///
/// # Safety
/// The arguments are those that the compiler passes for such an expression.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_get_from_remote(
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
    stat: *mut c_int,
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
    if dst_descriptor.is_null()
        && dst_len.is_null()
        && src_len.is_null()
        // SAFETY: the caller's guarantee; the token is no accessor's.
        && let Some(from) = unsafe { Direct::find(&selector) }
    {
        let called = direct::Accessor { number: accessor, values: add_data, image };
        // SAFETY: as above; a scalar.
        match unsafe { from.get(called, dst_data, src_descriptor) } {
            // SAFETY: as above.
            Some(Ok(())) => unsafe {
                Outcome::new("get", stat).deliver(Ok(()));
                return;
            },
            Some(Err((object, own, to_free))) => {
                let local = add_data.addr()..add_data.addr().saturating_add(add_data_size);
                let source = Source { object: Some(&object), local };
                let lengths = Lengths { element: dst_size, characters: dst_len };
                let image = &instance().image;
                // SAFETY: as above.
                unsafe {
                    let got = result::finish(dst_data, own, to_free, lengths, image, &source);
                    Outcome::new("get", stat).deliver(got);
                }
                return;
            }
            None => {}
        }
    }
    let attempt = || -> Result<()> {
        let instance = instance();
        let getter = table::getter(instance, accessor)?;
        // SAFETY: the caller's guarantee; the number is that of an accessor of this form.
        unsafe {
            let object = Object::find(instance, &selector, Use::Get)?;
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
            let local = add_data.addr()..add_data.addr().saturating_add(add_data_size);
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
    // SAFETY: the caller's guarantee.
    unsafe { Outcome::new("get", stat).deliver(attempt()) };
}

/// `a[image] = local`: a scalar at `src_data`, or the array of `src_descriptor`.
///
/// # Safety
/// The arguments are those that the compiler passes for such a statement.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_send_to_remote(
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
    stat: *mut c_int,
    team: *const TeamHandle,
    team_number: *const c_int,
) {
    let selector = Selector { token, image, team, team_number };
    if dst_len.is_null()
        && src_len.is_null()
        // SAFETY: the caller's guarantee.
        && let Some(to) = unsafe { Direct::find(&selector) }
    {
        let called = direct::Accessor { number: accessor, values: add_data, image };
        // SAFETY: as above.
        if unsafe { to.put(called, dst_descriptor, src_data, src_descriptor) } {
            // SAFETY: as above.
            unsafe { Outcome::new("put", stat).deliver(Ok(())) };
            return;
        }
    }
    let attempt = || -> Result<()> {
        let instance = instance();
        let putter = table::putter(instance, accessor)?;
        // SAFETY: the caller's guarantee; the number is that of an accessor of this form.
        unsafe {
            let object = Object::find(instance, &selector, Use::Put)?;
            let mut copied = match src_descriptor.as_ref() {
                Some(array) => object.copy_if_overlapping(array)?,
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
    // SAFETY: the caller's guarantee.
    unsafe { Outcome::new("put", stat).deliver(attempt()) };
}

/// `allocated(a[image]%..)`, and `associated`.
///
/// # Safety
/// The arguments are those that the compiler passes for such an expression.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_is_present_on_remote(
    token: TokenHandle,
    image: c_int,
    accessor: c_int,
    add_data: *mut c_void,
    add_data_size: usize,
) -> i32 {
    // SAFETY: the caller's guarantee; the number is that of an accessor of this form.
    if let Some(values) = unsafe { given::values(token) } {
        let present = table::present(instance(), accessor);
        // SAFETY: as above.
        unsafe {
            let mut found = 0;
            let present = Outcome::new("coindexed access", ptr::null_mut()).deliver(present);
            if let Some(present) = present {
                let token = given::token_of(&add_data);
                present(add_data, &image, &mut found, values, token, NO_OFFSET);
            }
            return found;
        }
    }
    // gfortran 16 asks for coarrays themselves, too. SAFETY: the caller's guarantee.
    if unsafe { Token::of(token) }.is_err() {
        return 0;
    }
    let selector = Selector { token, image, team: ptr::null(), team_number: ptr::null() };
    let attempt = || -> Result<i32> {
        let instance = instance();
        let present = table::present(instance, accessor)?;
        let mut found = 0;
        // SAFETY: the caller's guarantee; the number is that of an accessor of this form.
        unsafe {
            let object = Object::find(instance, &selector, Use::Get)?;
            if object.is_elsewhere() {
                let characters = Characters { object: None, other: None };
                let values = Values(add_data, add_data_size);
                let call = Call { object: &object, accessor, image, characters, values };
                return call.inquire();
            }
            object.with_inquiry(|object| {
                let token = given::token_of(&add_data);
                present(add_data, &image, &mut found, object, token, NO_OFFSET);
            });
        }
        Ok(found)
    };
    // SAFETY: no `stat=`.
    unsafe { Outcome::new("allocated", ptr::null_mut()).deliver(attempt()) }.unwrap_or(0)
}
