//! Coindexed assignment and reference for gfortran 15 and later. (GNU-LIBCAF section 9)
//!
//! The compiler makes a function of every coindexed reference, an *accessor*, which finds the elements, follows components
//! and converts; the library calls it with the address of the coarray on the image that is meant, and of the other side.
//! Accessors are known by numbers ([`table`]).
//!
//! Nearly always that takes few steps ([`direct`], on [`near`]): [`quick`] looks whether it does, then [`longer`] for what
//! takes some more; which of them is called first the coarray's token knows ([`doors`]). Everything else is [`general`]: any [`object`], which may be a copy or have to be accessed on another host ([`elsewhere`]), other sides of
//! any form ([`buffer`], [`source`], [`result`]), image selectors with a team ([`selector`]), accessors that call for others
//! ([`given`]). [`between`] has assignments from one image to another.
//!
//! Puts and gets of 8 bytes are counted in instructions: `./x bench` does it, by `caf_word`.

mod between;
mod buffer;
mod direct;
mod doors;
mod elsewhere;
mod general;
mod given;
mod guard;
mod longer;
mod near;
mod object;
mod quick;
mod result;
mod selector;
mod source;
mod table;
mod windows;

use super::token::{Token, TokenHandle};
use super::types::TeamHandle;
use super::version;
use crate::gfortran_abi::{Descriptor, Outcome};
use crate::process::{enter, instance};
use elsewhere::{Call, Characters, Values};
use object::{Moved, Object, Use};
use selector::Selector;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr;
use xmp_core::Result;

pub use direct::access_to;
pub use doors::Doors;
pub use elsewhere::register as serve;

/// The offset that accessors get: nothing, as the address is that of the object.
const NO_OFFSET: usize = 0;

/// Registers an accessor by the number that the compiler has given it. Constructors of the program call this, before there
/// is an image.
#[unsafe(no_mangle)]
pub extern "C" fn _gfortran_caf_register_accessor(hash: c_int, accessor: table::Accessor) {
    super::register();
    version::learn_from(accessor as *const c_void);
    table::register(hash, accessor);
}

/// The accessors of a program unit are registered. There is nothing to do: they can be found at once.
#[unsafe(no_mangle)]
pub extern "C" fn _gfortran_caf_register_accessors_finish() {}

/// What an accessor is called in the other calls; asked once for each place in the program.
#[unsafe(no_mangle)]
pub extern "C" fn _gfortran_caf_get_remote_function_index(hash: c_int) -> c_int {
    let _entered = enter();
    guard::prepare(instance().image.job());
    let index = table::index_of(instance(), hash);
    let index = Outcome::new("coindexed access", None).deliver(index);
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
    stat: Option<&Cell<c_int>>,
    team: *const TeamHandle,
    team_number: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    unsafe {
        // One call, so that it is a jump with all arguments where they are: after a branch one would be known to be null.
        let get: doors::Get = match direct::coarray(token) {
            _ if !dst_descriptor.is_null() => quick::get_array,
            Some(coarray) => coarray.doors.get,
            None => longer::get,
        };
        get(
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
    stat: Option<&Cell<c_int>>,
    team: *const TeamHandle,
    team_number: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    unsafe {
        let put =
            direct::coarray(token).map_or(longer::put as doors::Put, |coarray| coarray.doors.put);
        put(
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
        let _entered = enter();
        let present = table::present(instance(), accessor);
        // SAFETY: as above.
        unsafe {
            let mut found = 0;
            let present = Outcome::new("coindexed access", None).deliver(present);
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
        let _entered = enter();
        let instance = instance();
        let present = table::present(instance, accessor)?;
        let mut found = 0;
        // SAFETY: the caller's guarantee; the number is that of an accessor of this form.
        unsafe {
            let object = Object::find(instance, &selector, Use::Get, Moved::Bytes(0))?;
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
    Outcome::new("allocated", None).deliver(attempt()).unwrap_or(0)
}
