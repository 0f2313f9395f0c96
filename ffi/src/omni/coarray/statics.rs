//! Static coarrays: counted, allocated together, and shared out, before the program starts.

use super::control::text;
use super::descriptor::Handle;
use super::{critical, objects};
use crate::omni::error::{Outcome, Wrong, done};
use crate::process::instance;
use std::ffi::{c_char, c_int};

/// Bytes of `count` elements of `element` bytes.
///
/// # Errors
/// When one of them is negative.
pub fn bytes(count: c_int, element: usize) -> Outcome<u64> {
    let count = u64::try_from(count)
        .map_err(|_| Wrong::because(format!("a coarray of {count} elements")))?;
    // At most 2^31 elements, of which none is longer than an address space.
    count
        .checked_mul(element as u64)
        .filter(|&bytes| i64::try_from(bytes).is_ok())
        .ok_or_else(|| Wrong::because(format!("a coarray of {count} elements of {element} bytes")))
}

/// An argument that is a number of bytes.
///
/// # Errors
/// When it is negative.
pub fn length(bytes: c_int) -> Outcome<usize> {
    usize::try_from(bytes).map_err(|_| Wrong::because(format!("elements of {bytes} bytes")))
}

/// Announces a static coarray.
///
/// # Safety
/// The arguments are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_coarray_count_size_(count: *const c_int, element: *const c_int) {
    done("static coarrays", || {
        // SAFETY: the caller's guarantee.
        let (count, element) = unsafe { (*count, *element) };
        Ok(objects(instance()).count(bytes(count, length(element)?)?)?)
    });
}

/// Makes the pool of static coarrays, and what else is needed of the segments.
#[unsafe(no_mangle)]
pub extern "C" fn xmpf_coarray_malloc_pool_() {
    done("pool of static coarrays", || {
        let instance = instance();
        objects(instance).make_pool(&instance.image)?;
        critical::prepare(instance)?;
        Ok(())
    });
}

/// Allocates a static coarray: its descriptor, and its address for a Cray pointer.
///
/// # Safety
/// The arguments are those that the translator passes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_coarray_alloc_static_(
    handle: *mut Handle,
    address: *mut *mut u8,
    count: *const c_int,
    element: *const c_int,
    len: *const c_int,
    name: *const c_char,
) {
    done("static coarray", || {
        let instance = instance();
        // SAFETY: the caller's guarantee.
        unsafe {
            let bytes = bytes(*count, length(*element)?)?;
            let shared = objects(instance).share(&instance.image, bytes);
            let mut coarrays = instance.omni.coarray.coarrays.borrow_mut();
            let coarray = coarrays.renew(handle);
            *coarray.name.borrow_mut() = text(name, *len);
            let (chunk, start) = shared.map_err(|error| coarray.wrong(error))?;
            coarray.shared(chunk, start, bytes);
            *address = start;
            *handle = coarray;
        }
        Ok(())
    });
}

/// Registers a variable of the program as a static coarray.
///
/// # Safety
/// As [`xmpf_coarray_alloc_static_`]; the variable lives as long as the program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_coarray_regmem_static_(
    handle: *mut Handle,
    address: *const *mut u8,
    count: *const c_int,
    element: *const c_int,
    len: *const c_int,
    name: *const c_char,
) {
    done("static coarray", || {
        let instance = instance();
        // SAFETY: the caller's guarantee.
        unsafe {
            let bytes = bytes(*count, length(*element)?)?;
            let registered = objects(instance).register(&instance.image, *address, bytes, None);
            let mut coarrays = instance.omni.coarray.coarrays.borrow_mut();
            let coarray = coarrays.renew(handle);
            *coarray.name.borrow_mut() = text(name, *len);
            coarray.allocated(registered.map_err(|error| coarray.wrong(error))?);
            *handle = coarray;
        }
        Ok(())
    });
}
