//! Procedures: what they allocate is deallocated when they end; and their dummy arguments get descriptors.

use super::control::text;
use super::descriptor::Handle;
use super::objects;
use crate::omni::error::{Outcome, Wrong, done};
use crate::process::{Instance, enter, instance};
use std::ffi::{c_char, c_int};
use std::rc::Rc;
use xmp_coarray::objects::ResourceSet;

/// Start of a procedure that allocates coarrays. The tag stands for this instance of it.
///
/// # Safety
/// The arguments are those that the translator passes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_coarray_prolog_(
    tag: *mut u64,
    len: *const c_int,
    name: *const c_char,
) {
    let _entered = enter();
    // SAFETY: the caller's guarantee.
    unsafe { *tag = start(instance(), text(name, *len)) };
}

/// End of it.
///
/// # Safety
/// As [`xmpf_coarray_prolog_`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_coarray_epilog_(tag: *mut u64) {
    // SAFETY: the caller's guarantee.
    done("end of procedure", || unsafe { end(instance(), &mut *tag) });
}

/// A procedure starts; its tag, which is not 0.
pub fn start(instance: &Instance, name: String) -> u64 {
    instance.omni.coarray.procedures.borrow_mut().insert(ResourceSet::new(name))
}

/// A procedure ends. Nothing happens for the tag 0, which is what the tag becomes.
///
/// # Errors
/// As [`xmp_coarray::objects::Objects::close`], and for a tag that is none.
pub fn end(instance: &Instance, tag: &mut u64) -> Outcome {
    let Some(set) = of_tag(instance, *tag)? else { return Ok(()) };
    instance.omni.coarray.procedures.borrow_mut().remove(*tag);
    *tag = 0;
    let closed = objects(instance).close(&instance.image, &set);
    closed.map_err(|error| Wrong::because(format!("{}: {error}", set.name())))
}

/// The procedure of a tag; `None` for 0.
///
/// # Errors
/// For a tag that is none.
pub fn of_tag(instance: &Instance, tag: u64) -> Outcome<Option<Rc<ResourceSet>>> {
    if tag == 0 {
        return Ok(None);
    }
    match instance.omni.coarray.procedures.borrow().get(tag) {
        Some(set) => Ok(Some(set.clone())),
        None => Err(Wrong::because(format!("{tag:#x} is not the tag of a procedure"))),
    }
}

/// A descriptor for a dummy argument that is a coarray; null for one that is not allocated.
///
/// # Safety
/// The arguments are those that the translator passes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_coarray_find_descptr_(
    handle: *mut Handle,
    address: *mut u8,
    len: *const c_int,
    name: *const c_char,
) {
    let instance = instance();
    let found = objects(instance).find(address);
    let mut coarrays = instance.omni.coarray.coarrays.borrow_mut();
    // SAFETY: the caller's guarantee.
    unsafe {
        *handle = match found {
            None => std::ptr::null(),
            Some(chunk) => {
                let coarray = coarrays.renew(handle);
                coarray.allocated(chunk);
                *coarray.name.borrow_mut() = text(name, *len);
                coarray
            }
        };
    }
}
