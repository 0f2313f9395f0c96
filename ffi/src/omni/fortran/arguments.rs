//! Arguments, all of them references.

use crate::omni::error::{Outcome, Wrong};
use crate::omni::objects::{Described, Descriptor, Object};
use std::ffi::c_int;
use std::rc::Rc;

/// An integer.
///
/// # Safety
/// The pointer is valid.
pub unsafe fn number(argument: *const c_int) -> i64 {
    // SAFETY: the caller's guarantee.
    unsafe { argument.read() }.into()
}

/// A dimension, counted from 0.
///
/// # Errors
/// When it is negative.
///
/// # Safety
/// The pointer is valid.
pub unsafe fn dimension(argument: *const c_int) -> Outcome<usize> {
    // SAFETY: the caller's guarantee.
    let dim = unsafe { argument.read() };
    let why = || Wrong::because(format!("there is no dimension {}", i64::from(dim) + 1));
    usize::try_from(dim).map_err(|_| why())
}

/// A number of things.
///
/// # Errors
/// When it is negative.
///
/// # Safety
/// The pointer is valid.
pub unsafe fn count(argument: *const c_int, what: &str) -> Outcome<usize> {
    // SAFETY: the caller's guarantee.
    let count = unsafe { argument.read() };
    usize::try_from(count).map_err(|_| Wrong::because(format!("{count} {what}")))
}

/// The object that a variable describes.
///
/// # Errors
/// As [`Object::of`].
///
/// # Safety
/// As [`Object::of`], of the variable's value.
pub unsafe fn object<'a, T: Described>(argument: *const Descriptor) -> Outcome<&'a Object<T>> {
    // SAFETY: the caller's guarantee.
    unsafe { Object::of(argument.read()) }
}

/// As [`object`], to keep it.
///
/// # Errors
/// As [`Object::of`].
///
/// # Safety
/// As [`object`].
pub unsafe fn shared<T: Described>(argument: *const Descriptor) -> Outcome<Rc<Object<T>>> {
    // SAFETY: the caller's guarantee.
    unsafe { Object::shared(argument.read()) }
}

/// As [`object`], of a clause that may be omitted.
///
/// # Errors
/// As [`Object::of`].
///
/// # Safety
/// As [`object`].
pub unsafe fn optional<'a, T: Described>(
    argument: *const Descriptor,
) -> Outcome<Option<&'a Object<T>>> {
    // SAFETY: the caller's guarantee.
    unsafe {
        let descriptor = argument.read();
        if descriptor.is_null() { Ok(None) } else { Object::of(descriptor).map(Some) }
    }
}

/// The program needs what a variable describes no more; the variable describes nothing then.
///
/// # Errors
/// As [`Object::of`].
///
/// # Safety
/// As [`Object::release`].
pub unsafe fn release<T: Described>(argument: *mut Descriptor) -> Outcome {
    // SAFETY: the caller's guarantee.
    unsafe {
        let descriptor = argument.replace(std::ptr::null_mut());
        if descriptor.is_null() { Ok(()) } else { Object::<T>::release(descriptor) }
    }
}
