//! Assignment of a coindexed object to a coindexed object.

use super::direct::{Direct, Given, Got, Local, NO_COMPONENTS};
use super::elsewhere::{Call, Characters, Values, length};
use super::object::{Moved, Object, Use};
use super::selector::{Selector, Specifiers};
use super::{NO_OFFSET, buffer, direct, given, table};
use crate::gfortran_abi::{Descriptor, FullDescriptor, Outcome, set_ok};
use crate::gnu::token::TokenHandle;
use crate::gnu::version::convention;
use crate::process::{enter, instance};
use std::ffi::{c_int, c_void};
use std::ptr;
use xmp_coarray::transfer::Place;
use xmp_core::Result;

/// `a[i] = b[j]`: one accessor gets, another one puts. The last arguments are those of [`Specifiers::of_both`].
///
/// # Safety
/// The arguments are those that the compiler passes for such a statement.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_transfer_between_remotes(
    dst_token: TokenHandle,
    dst_descriptor: *mut Descriptor,
    dst_len: *const usize,
    dst_image: c_int,
    dst_accessor: c_int,
    dst_add_data: *mut c_void,
    dst_add_data_size: usize,
    src_token: TokenHandle,
    src_descriptor: *mut Descriptor,
    src_len: *const usize,
    src_image: c_int,
    src_accessor: c_int,
    src_add_data: *mut c_void,
    src_add_data_size: usize,
    src_size: usize,
    is_scalar: bool,
    specifier: *mut c_void,
    specifier_2: *mut c_void,
    specifier_3: *mut c_void,
    specifier_4: *mut c_void,
    specifier_5: *mut c_void,
    specifier_6: *mut c_void,
) {
    // Without any specifier nothing depends on which compiler has passed them. Not all are looked at at once: see the gets.
    // SAFETY: the caller's guarantee.
    unsafe {
        if is_scalar && src_len.is_null() && specifier.is_null() {
            let scalar =
                direct::scalar(src_token, src_accessor, src_add_data, src_image, src_descriptor);
            if !scalar.is_null()
                && dst_len.is_null()
                && specifier_3.is_null()
                && specifier_5.is_null()
                && let Some((token, follows)) = direct::quickly(dst_token)
                && let Some(to) = Direct::find_quickly(follows, token, dst_image, dst_accessor)
                && specifier_2.is_null()
                && specifier_4.is_null()
                && specifier_6.is_null()
            {
                let (values, image) = (&raw const dst_add_data, &raw const dst_image);
                return to.put(Given { values, image, descriptor: dst_descriptor }, scalar);
            }
        }
    }
    // SAFETY: as above.
    unsafe {
        any(
            dst_token,
            dst_descriptor,
            dst_len,
            dst_image,
            dst_accessor,
            dst_add_data,
            dst_add_data_size,
            src_token,
            src_descriptor,
            src_len,
            src_image,
            src_accessor,
            src_add_data,
            src_add_data_size,
            src_size,
            is_scalar,
            specifier,
            specifier_2,
            specifier_3,
            specifier_4,
            specifier_5,
            specifier_6,
        );
    }
}

/// Any such assignment; the arguments of `_gfortran_caf_transfer_between_remotes`.
///
/// # Safety
/// As there.
#[inline(never)]
unsafe extern "C" fn any(
    dst_token: TokenHandle,
    dst_descriptor: *mut Descriptor,
    dst_len: *const usize,
    dst_image: c_int,
    dst_accessor: c_int,
    dst_add_data: *mut c_void,
    dst_add_data_size: usize,
    src_token: TokenHandle,
    src_descriptor: *mut Descriptor,
    src_len: *const usize,
    src_image: c_int,
    src_accessor: c_int,
    src_add_data: *mut c_void,
    src_add_data_size: usize,
    src_size: usize,
    is_scalar: bool,
    specifier: *mut c_void,
    specifier_2: *mut c_void,
    specifier_3: *mut c_void,
    specifier_4: *mut c_void,
    specifier_5: *mut c_void,
    specifier_6: *mut c_void,
) {
    let specifiers = [specifier, specifier_2, specifier_3, specifier_4, specifier_5, specifier_6];
    let (to, from) = Specifiers::of_both(convention(), specifiers);
    let operation = "put of a coindexed object";
    let source = Selector {
        token: src_token,
        image: src_image,
        team: from.team,
        team_number: from.team_number,
    };
    let target =
        Selector { token: dst_token, image: dst_image, team: to.team, team_number: to.team_number };
    if is_scalar && dst_len.is_null() && src_len.is_null() {
        let get = Given { values: &src_add_data, image: &src_image, descriptor: src_descriptor };
        let put = Given { values: &dst_add_data, image: &dst_image, descriptor: dst_descriptor };
        // SAFETY: the caller's guarantee.
        unsafe {
            if source.is_plain()
                && target.is_plain()
                && let Some(getter) = Direct::find(src_token, src_image, src_accessor)
                && let Some(putter) = Direct::find(dst_token, dst_image, dst_accessor)
                && assign((getter, get), (putter, put))
            {
                set_ok(from.stat.as_ref());
                return set_ok(to.stat.as_ref());
            }
        }
    }
    // A scalar is left where it is, in the object of the get, which lives until it has been put; or was sent from there.
    let mut sent = Vec::new();
    let mut scalar: *mut c_void = ptr::null_mut();
    let mut array = FullDescriptor::empty();
    let mut to_free = 0;
    // SAFETY: the caller's guarantee, here and below; the numbers are those of accessors of these forms.
    let object = unsafe {
        let mut attempt = || {
            let _entered = enter();
            let getter = table::getter(instance(), src_accessor)?;
            let moved = if is_scalar { Moved::Bytes(src_size) } else { Moved::Array };
            let object = Object::find(instance(), &source, Use::Get, moved)?;
            let buffer: *mut c_void = match is_scalar {
                true => (&raw mut scalar).cast(),
                false => array.exposed().cast(),
            };
            if object.is_elsewhere() {
                let characters = Characters { object: length(src_len), other: length(dst_len) };
                let values = Values(src_add_data, src_add_data_size);
                let (accessor, image) = (src_accessor, src_image);
                let call = Call { object: &object, accessor, image, characters, values };
                if is_scalar {
                    (sent, _) = call.scalar(src_descriptor, src_size)?;
                    scalar = sent.as_mut_ptr().cast();
                } else {
                    (array, sent) = call.array(src_descriptor, FullDescriptor::empty(), false)?;
                }
                return Ok(object);
            }
            // The getter may set it, and the length of the other side is not its business.
            let mut len = dst_len.as_ref().copied().unwrap_or(0);
            let len = if dst_len.is_null() { ptr::null_mut() } else { &raw mut len };
            object.with(src_descriptor, |src| {
                getter(
                    src_add_data,
                    &src_image,
                    buffer,
                    &mut to_free,
                    src,
                    given::token_of(&src_add_data),
                    NO_OFFSET,
                    len,
                    src_len,
                );
            });
            let made = if is_scalar { scalar } else { array.header.base };
            let local = Local(src_add_data, src_add_data_size).range();
            if to_free == 0
                && !made.is_null()
                && let Some(private) = object.private(made, &local)
            {
                // The put needs it in this process.
                let like = match is_scalar {
                    true => FullDescriptor::empty(),
                    false => buffer::in_one_piece(&*array.exposed()).0,
                };
                let size = match is_scalar {
                    true => src_size.saturating_mul(length(src_len).unwrap_or(1)),
                    false => like.size(),
                };
                sent = buffer::zeroed(size)?;
                let own = sent.as_mut_ptr();
                if is_scalar {
                    private.get(&instance().image, own.cast(), size)?;
                    scalar = own.cast();
                } else {
                    let mut copy = like;
                    copy.header.base = own.cast();
                    let place = Place::Far(private);
                    buffer::copy_from(instance(), &*copy.exposed(), &*array.exposed(), place)?;
                    array = copy;
                }
            }
            Ok(object)
        };
        Outcome::new(operation, from.stat.as_ref()).deliver(attempt())
    };
    if object.is_none() {
        return;
    }
    let mut attempt = || -> Result<()> {
        let _entered = enter();
        let putter = table::putter(instance(), dst_accessor)?;
        let src: *const c_void = match is_scalar {
            true => scalar,
            false => array.exposed().cast(),
        };
        // SAFETY: as above.
        unsafe {
            let moved = Moved::Bytes(if is_scalar { src_size } else { array.size() });
            let object = Object::find(instance(), &target, Use::Put, moved)?;
            if object.is_elsewhere() {
                let characters = Characters { object: length(dst_len), other: length(src_len) };
                let values = Values(dst_add_data, dst_add_data_size);
                let (accessor, image) = (dst_accessor, dst_image);
                let call = Call { object: &object, accessor, image, characters, values };
                return match is_scalar {
                    true => call.put_scalar(dst_descriptor, src, src_size),
                    false => call.put_array(dst_descriptor, &*array.exposed()),
                };
            }
            object.with(dst_descriptor, |dst| {
                let token = given::token_of(&dst_add_data);
                putter(dst_add_data, &dst_image, dst, src, token, NO_OFFSET, dst_len, src_len);
            });
            object.put_back()
        }
    };
    // SAFETY: the caller's guarantee.
    let to_stat = unsafe { to.stat.as_ref() };
    let put = attempt();
    if to_free != 0 {
        let made = if is_scalar { scalar } else { array.header.base };
        // SAFETY: the getter has made it with `malloc`, and it has been put.
        unsafe { libc::free(made) };
    }
    Outcome::new(operation, to_stat).deliver(put);
}

/// Assigns a scalar without characters. False if nothing has been changed.
///
/// # Safety
/// The compiler made both.
#[inline(always)]
unsafe fn assign((from, get): (Direct, Given), (to, put): (Direct, Given)) -> bool {
    let mut scalar: *mut c_void = ptr::null_mut();
    // SAFETY: the caller's guarantee; what was made with `malloc` is given back when it has been put.
    unsafe {
        from.wait();
        let to_free = match from.get(get, &raw mut scalar, NO_COMPONENTS) {
            Got::All if !scalar.is_null() => false,
            Got::Elsewhere { to_free: true, .. } => true,
            _ => return false,
        };
        to.wait();
        to.put(put, scalar);
        if to_free {
            libc::free(scalar);
        }
    }
    true
}
