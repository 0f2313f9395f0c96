//! Memory of coarrays: the pool, static and allocatable ones, variables that are registered.

use crate::omni::coarray::control::text;
use crate::omni::coarray::descriptor::{Coarray, Handle};
use crate::omni::coarray::statics::bytes;
use crate::omni::coarray::{objects, procedure, statics};
use crate::omni::error::{Outcome, done};
use crate::process::{Instance, enter, instance};
use std::ffi::{c_char, c_int, c_void};
use std::rc::Rc;
use xmp_coarray::objects::Chunk;

/// A descriptor for what is in a chunk.
fn describe(instance: &Instance, chunk: Rc<Chunk>, name: String) -> Handle {
    let mut coarrays = instance.omni.coarray.coarrays.borrow_mut();
    let coarray = coarrays.returned();
    coarray.allocated(chunk);
    *coarray.name.borrow_mut() = name;
    coarray
}

/// Adds a static coarray to the static chunk that the pool will have.
#[unsafe(no_mangle)]
pub extern "C" fn XMPCO_count_size(count: c_int, element: usize) {
    done("XMPCO_count_size", || Ok(objects(instance()).count(bytes(count, element)?)?));
}

/// Makes the memory pool.
#[unsafe(no_mangle)]
pub extern "C" fn XMPCO_malloc_pool() {
    statics::xmpf_coarray_malloc_pool_();
}

/// A static coarray: a share of the static chunk, or memory of its own if it is large.
///
/// # Safety
/// `address` is valid; there are so many characters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_malloc_staticCoarray(
    address: *mut *mut u8,
    count: c_int,
    element: usize,
    len: c_int,
    name: *const c_char,
) -> Handle {
    done("XMPCO_malloc_staticCoarray", || {
        let instance = instance();
        let bytes = bytes(count, element)?;
        let (chunk, start) = objects(instance).share(&instance.image, bytes)?;
        // SAFETY: the caller's guarantee.
        unsafe {
            *address = start;
            let handle = describe(instance, chunk.clone(), text(name, len));
            Coarray::of(handle)?.shared(chunk, start, bytes);
            Ok(handle)
        }
    })
}

/// A static coarray that is a variable of the program.
///
/// # Safety
/// The variable has so many elements, and lives as long as the program; there are so many characters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_regmem_staticCoarray(
    variable: *mut c_void,
    count: c_int,
    element: usize,
    len: c_int,
    name: *const c_char,
) -> Handle {
    done("XMPCO_regmem_staticCoarray", || {
        let (instance, start) = (instance(), variable.cast::<u8>());
        // SAFETY: the caller's guarantee.
        unsafe {
            let bytes = bytes(count, element)?;
            let chunk = objects(instance).register(&instance.image, start, bytes, None)?;
            Ok(describe(instance, chunk, text(name, len)))
        }
    })
}

/// Start of a procedure that allocates coarrays.
///
/// # Safety
/// `set` is valid; there are so many characters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_prolog(set: *mut u64, len: c_int, name: *const c_char) {
    let _entered = enter();
    // SAFETY: the caller's guarantee.
    unsafe { *set = procedure::start(instance(), text(name, len)) };
}

/// End of it: what is left of its coarrays is deallocated; the set becomes null.
///
/// # Safety
/// `set` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_epilog(set: *mut u64) {
    // SAFETY: the caller's guarantee.
    done("XMPCO_epilog", || unsafe { procedure::end(instance(), &mut *set) });
}

/// Allocates a coarray for a procedure, or for none if the set is null.
///
/// # Safety
/// `address` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_malloc_coarray(
    address: *mut *mut u8,
    count: c_int,
    element: usize,
    set: u64,
) -> Handle {
    done("XMPCO_malloc_coarray", || {
        let instance = instance();
        let (bytes, set) = (bytes(count, element)?, procedure::of_tag(instance, set)?);
        let chunk = objects(instance).allocate(&instance.image, bytes, set.as_ref())?;
        let start = chunk.local();
        // SAFETY: the caller's guarantee.
        unsafe { *address = start };
        Ok(describe(instance, chunk, String::new()))
    })
}

/// Registers a variable that was allocated just now.
///
/// # Safety
/// The variable has so many elements, and lives until the coarray is deregistered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_regmem_coarray(
    variable: *mut c_void,
    count: c_int,
    element: usize,
    set: u64,
) -> Handle {
    done("XMPCO_regmem_coarray", || {
        let (instance, start) = (instance(), variable.cast::<u8>());
        let (bytes, set) = (bytes(count, element)?, procedure::of_tag(instance, set)?);
        // SAFETY: the caller's guarantee.
        let chunk =
            unsafe { objects(instance).register(&instance.image, start, bytes, set.as_ref())? };
        Ok(describe(instance, chunk, String::new()))
    })
}

/// Deallocates a coarray and its descriptor.
///
/// # Safety
/// The descriptor is one that was returned here and not given back.
unsafe fn give_back(handle: Handle) -> Outcome {
    let instance = instance();
    // SAFETY: the caller's guarantee.
    let coarray = unsafe { Coarray::of(handle)? };
    let freed =
        coarray.chunk().and_then(|chunk| objects(instance).deallocate(&instance.image, &chunk));
    freed.map_err(|error| coarray.wrong(error))?;
    instance.omni.coarray.coarrays.borrow_mut().forget(handle);
    Ok(())
}

/// Deallocates a coarray; its descriptor is gone then.
///
/// # Safety
/// The descriptor is one that was returned here and not given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_free_coarray(handle: Handle) {
    // SAFETY: the caller's guarantee.
    done("XMPCO_free_coarray", || unsafe { give_back(handle) });
}

/// Deregisters a coarray, before its variable is freed; its descriptor is gone then.
///
/// # Safety
/// As [`XMPCO_free_coarray`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_deregmem_coarray(handle: Handle) {
    // SAFETY: the caller's guarantee.
    done("XMPCO_deregmem_coarray", || unsafe { give_back(handle) });
}

/// A descriptor for the coarray that has an address; null if none has.
///
/// # Safety
/// There are so many characters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_find_descptr(
    address: *mut c_char,
    len: c_int,
    name: *const c_char,
) -> Handle {
    let (instance, start) = (instance(), address.cast::<u8>());
    let found = objects(instance).find(start);
    // SAFETY: the caller's guarantee.
    let name = unsafe { text(name, len) };
    found.map_or(std::ptr::null(), |chunk| describe(instance, chunk, name))
}
