//! Static coarrays: counted, allocated together, and shared out, before the program starts.

use super::descriptor::{Handle, coarrays};
use super::{critical, objects};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_ffi::process::instance;
use xmp_ffi::xmp::entry::{Memory, for_fortran};
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

/// Bytes of `count` elements of `element` bytes.
///
/// # Errors
/// When one of them is negative.
pub fn bytes(count: c_int, element: usize) -> Outcome<u64> {
    let count = u64::try_from(count)
        .map_err(|_| DirectiveError::because(format!("a coarray of {count} elements")))?;
    // At most 2^31 elements, of which none is longer than an address space.
    count.checked_mul(element as u64).filter(|&bytes| i64::try_from(bytes).is_ok()).ok_or_else(
        || DirectiveError::because(format!("a coarray of {count} elements of {element} bytes")),
    )
}

/// An argument that is a number of bytes.
///
/// # Errors
/// When it is negative.
pub fn length(bytes: c_int) -> Outcome<usize> {
    usize::try_from(bytes)
        .map_err(|_| DirectiveError::because(format!("elements of {bytes} bytes")))
}

for_fortran! {
    /// Announces a static coarray.
    "static coarrays" fn xmpf_coarray_count_size_(count: c_int, element: c_int) {
        Ok(objects(instance()).count(bytes(count, length(element)?)?)?)
    }

    /// Makes the pool of static coarrays, and what else is needed of the segments.
    "pool of static coarrays" fn xmpf_coarray_malloc_pool_() {
        make_pool()
    }

    /// Allocates a static coarray: its descriptor, and its address for a Cray pointer.
    "static coarray" fn xmpf_coarray_alloc_static_(
        handle: &Cell<Handle>, address: &Cell<*mut u8>, count: c_int, element: c_int, len: c_int, name: Memory,
    ) {
        let instance = instance();
        let bytes = bytes(count, length(element)?)?;
        let shared = objects(instance).share(&instance.image, bytes);
        let mut coarrays = coarrays(instance);
        let coarray = coarrays.renew(handle);
        *coarray.name.borrow_mut() = name.text(len);
        let (chunk, start) = shared.map_err(|error| coarray.wrong(error))?;
        coarray.shared(chunk, start, bytes);
        address.set(start);
        handle.set(Handle::of(coarray));
        Ok(())
    }

    /// Registers a variable of the program, which lives as long as the program, as a static coarray.
    "static coarray" fn xmpf_coarray_regmem_static_(
        handle: &Cell<Handle>, address: &Cell<*mut u8>, count: c_int, element: c_int, len: c_int, name: Memory,
    ) {
        let instance = instance();
        let bytes = bytes(count, length(element)?)?;
        // SAFETY: the contract of entries: the variable has `bytes` bytes and lives as long as the program.
        let registered =
            unsafe { objects(instance).register(&instance.image, address.get(), bytes, None) };
        let mut coarrays = coarrays(instance);
        let coarray = coarrays.renew(handle);
        *coarray.name.borrow_mut() = name.text(len);
        coarray.allocated(registered.map_err(|error| coarray.wrong(error))?);
        handle.set(Handle::of(coarray));
        Ok(())
    }
}

/// Makes the pool of static coarrays, and the lock of critical constructs.
pub fn make_pool() -> Outcome {
    let instance = instance();
    objects(instance).make_pool(&instance.image)?;
    critical::prepare(instance)
}
