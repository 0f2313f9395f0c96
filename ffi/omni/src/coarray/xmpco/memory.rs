//! Memory of coarrays: the pool, static and allocatable ones, variables that are registered.

use crate::coarray::allocate::deallocate;
use crate::coarray::descriptor::{Handle, coarrays};
use crate::coarray::objects::{Chunk, ResourceSet};
use crate::coarray::statics::{bytes, make_pool};
use crate::coarray::{objects, procedure};
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_ffi::process::{Instance, instance};
use xmp_ffi::xmp::entry::{Memory, for_c};
use xmp_ffi::xmp::error::Outcome;

/// A descriptor for the coarray that is all of a chunk.
fn describe(instance: &Instance, chunk: Rc<Chunk>, name: String) -> Handle {
    let mut coarrays = coarrays(instance);
    let coarray = coarrays.returned();
    coarray.allocated(chunk);
    *coarray.name.borrow_mut() = name;
    Handle::of(coarray)
}

/// Registers a variable of `count` elements, which lives until the coarray is deregistered.
fn register(
    variable: Memory,
    count: c_int,
    element: usize,
    set: Option<&Rc<ResourceSet>>,
    name: String,
) -> Outcome<Handle> {
    let (instance, bytes) = (instance(), bytes(count, element)?);
    // SAFETY: the contract of entries: the variable has `bytes` bytes, and lives as long as the coarray.
    let chunk =
        unsafe { objects(instance).register(&instance.image, variable.start(), bytes, set)? };
    Ok(describe(instance, chunk, name))
}

/// Deallocates a coarray and its descriptor, which was returned here.
fn give_back(handle: Handle) -> Outcome {
    deallocate(handle.coarray()?)?;
    coarrays(instance()).forget(handle);
    Ok(())
}

for_c! {
    /// Adds a static coarray to the static chunk that the pool will have.
    "XMPCO_count_size" fn XMPCO_count_size(count: c_int, element: usize) {
        Ok(objects(instance()).count(bytes(count, element)?)?)
    }

    /// Makes the memory pool.
    "pool of static coarrays" fn XMPCO_malloc_pool() {
        make_pool()
    }

    /// A static coarray: a share of the static chunk, or memory of its own if it is large.
    "XMPCO_malloc_staticCoarray" fn XMPCO_malloc_staticCoarray(
        address: &Cell<*mut u8>, count: c_int, element: usize, len: c_int, name: Memory,
    ) -> Handle {
        let instance = instance();
        let bytes = bytes(count, element)?;
        let (chunk, start) = objects(instance).share(&instance.image, bytes)?;
        address.set(start);
        let handle = describe(instance, chunk.clone(), name.text(len));
        handle.coarray()?.shared(chunk, start, bytes);
        Ok(handle)
    }

    /// A static coarray that is a variable of the program, which lives as long as the program.
    "XMPCO_regmem_staticCoarray" fn XMPCO_regmem_staticCoarray(
        variable: Memory, count: c_int, element: usize, len: c_int, name: Memory,
    ) -> Handle {
        register(variable, count, element, None, name.text(len))
    }

    /// Start of a procedure that allocates coarrays.
    "XMPCO_prolog" fn XMPCO_prolog(set: &Cell<u64>, len: c_int, name: Memory) {
        set.set(procedure::start(instance(), name.text(len)));
        Ok(())
    }

    /// End of it: what is left of its coarrays is deallocated; the set becomes null.
    "XMPCO_epilog" fn XMPCO_epilog(set: &Cell<u64>) {
        procedure::end(instance(), set)
    }

    /// Allocates a coarray for a procedure, or for none if the set is null.
    "XMPCO_malloc_coarray" fn XMPCO_malloc_coarray(
        address: &Cell<*mut u8>, count: c_int, element: usize, set: u64,
    ) -> Handle {
        let instance = instance();
        let (bytes, set) = (bytes(count, element)?, procedure::of_tag(instance, set)?);
        let chunk = objects(instance).allocate(&instance.image, bytes, set.as_ref())?;
        address.set(chunk.local());
        Ok(describe(instance, chunk, String::new()))
    }

    /// Registers a variable that was allocated just now.
    "XMPCO_regmem_coarray" fn XMPCO_regmem_coarray(
        variable: Memory, count: c_int, element: usize, set: u64,
    ) -> Handle {
        let set = procedure::of_tag(instance(), set)?;
        register(variable, count, element, set.as_ref(), String::new())
    }

    /// Deallocates a coarray; its descriptor is gone then.
    "XMPCO_free_coarray" fn XMPCO_free_coarray(handle: Handle) {
        give_back(handle)
    }

    /// Deregisters a coarray, before its variable is freed; its descriptor is gone then.
    "XMPCO_deregmem_coarray" fn XMPCO_deregmem_coarray(handle: Handle) {
        give_back(handle)
    }

    /// A descriptor for the coarray that has an address; null if none has.
    "XMPCO_find_descptr" fn XMPCO_find_descptr(address: Memory, len: c_int, name: Memory) -> Handle {
        let instance = instance();
        let found = objects(instance).find(address.start());
        Ok(found.map_or(Handle::NULL, |chunk| describe(instance, chunk, name.text(len))))
    }
}
