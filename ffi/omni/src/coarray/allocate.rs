//! ALLOCATE and DEALLOCATE of coarrays.

use super::arrays::Pointer;
use super::descriptor::{Coarray, Handle, coarrays};
use super::statics::{bytes, length};
use super::{objects, procedure};
use crate::coarray::objects::{Chunk, ResourceSet};
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_ffi::gfortran_abi::{Descriptor, basic};
use xmp_ffi::process::{Instance, instance};
use xmp_ffi::xmp::entry::{Memory, for_fortran};
use xmp_ffi::xmp::error::{DirectiveError, Outcome, done};

/// What ALLOCATE gives beside the variable.
struct Request {
    bytes: u64,
    /// The procedure that allocates, if it has a tag.
    procedure: Option<Rc<ResourceSet>>,
}

impl Request {
    /// Reads the number and the length of the elements, and the tag of the procedure.
    fn new(count: &c_int, element: &c_int, tag: &u64) -> Outcome<Request> {
        let bytes = bytes(*count, length(*element)?)?;
        Ok(Request { bytes, procedure: procedure::of_tag(instance(), *tag)? })
    }
}

/// Allocates the coarray of a descriptor variable; its address here.
///
/// # Errors
/// No memory, the images do not allocate the same, or it is allocated.
fn allocate(handle: &Cell<Handle>, request: Request) -> Outcome<*mut u8> {
    let (instance, set) = (instance(), request.procedure.as_ref());
    prepare(instance, handle, set)?;
    let chunk = objects(instance).allocate(&instance.image, request.bytes, set)?;
    let start = chunk.local();
    keep(instance, handle, chunk);
    Ok(start)
}

/// Registers a variable of the program as the coarray of a descriptor variable. It lives until the coarray is
/// deallocated.
///
/// # Errors
/// Without memory, when the images do not register the same, and when it is allocated.
fn register(handle: &Cell<Handle>, start: *mut u8, request: Request) -> Outcome {
    let (instance, set) = (instance(), request.procedure.as_ref());
    prepare(instance, handle, set)?;
    // SAFETY: the contract of entries: the variable has these bytes, and lives as long as the coarray.
    let chunk = unsafe { objects(instance).register(&instance.image, start, request.bytes, set)? };
    keep(instance, handle, chunk);
    Ok(())
}

/// What is to be done with a coarray that the variable has already.
fn prepare(instance: &Instance, handle: &Cell<Handle>, set: Option<&Rc<ResourceSet>>) -> Outcome {
    let coarrays = coarrays(instance);
    let Some(former) = coarrays.known(handle) else { return Ok(()) };
    let Ok(chunk) = former.chunk() else { return Ok(()) };
    match set {
        // The procedure that allocated it has ended, but the translator has left out the call that says so.
        None => Ok(objects(instance).deallocate(&instance.image, &chunk)?),
        Some(set) if chunk.is_resource_of(set) => {
            Err(former.wrong(DirectiveError::because("it is allocated already")))
        }
        // Of another instance of the procedure, which will deallocate it.
        Some(_) => Ok(()),
    }
}

/// The variable has this coarray now. The nodes of a COARRAY directive before it stay.
fn keep(instance: &Instance, handle: &Cell<Handle>, chunk: Rc<Chunk>) {
    let mut coarrays = coarrays(instance);
    let nodes = coarrays.known(handle).and_then(|former| former.nodes.take());
    let coarray = coarrays.renew(handle);
    *coarray.nodes.borrow_mut() = nodes;
    coarray.allocated(chunk);
    handle.set(Handle::of(coarray));
}

/// Deallocates a coarray, or what is registered.
///
/// # Errors
/// When it is not allocated; when the images do not deallocate the same.
pub fn deallocate(coarray: &Coarray) -> Outcome {
    let instance = instance();
    let freed =
        coarray.chunk().and_then(|chunk| objects(instance).deallocate(&instance.image, &chunk));
    freed.map_err(|error| coarray.wrong(error))
}

for_fortran! {
    /// Deregisters what a program has registered, before it frees it.
    "deallocate" fn xmpf_coarray_deregmem_(coarray: &Coarray) {
        deallocate(coarray)
    }
}

/// The procedures for a rank. The bounds are two arguments for each dimension.
macro_rules! bounded {
    ($rank:literal, $kind:ident, $size:expr, $basic:ident, [$($bound:ident)*]) => {
        typed! { "coarray_malloc" $rank $kind
            (handle: &Cell<Handle>, pointer: Pointer, count: &c_int, element: &c_int,
                tag: &u64, _rank: &c_int, $($bound: &c_int),*)
            {
                let start = done("allocate", || allocate(handle, Request::new(count, element, tag)?));
                pointer.associate(start, basic::$basic, $size(*element), &[$(*$bound),*]);
            }
        }
        typed! { "coarray_regmem" $rank $kind
            (handle: &Cell<Handle>, variable: &Descriptor, count: &c_int, element: &c_int,
                tag: &u64)
            { done("allocate", || register(handle, variable.base.cast(), Request::new(count, element, tag)?)) }
        }
        typed! { "coarray_dealloc" $rank $kind (handle: &Handle, pointer: Pointer)
            {
                done("deallocate", || deallocate(handle.coarray()?));
                pointer.nullify();
            }
        }
    };
}

macro_rules! memory {
    ($kind:ident, $size:expr, $basic:ident) => {
        typed! { "coarray_malloc" "0" $kind
            (handle: &Cell<Handle>, pointer: &Cell<*mut u8>, count: &c_int, element: &c_int, tag: &u64)
            {
                pointer.set(done("allocate", || allocate(handle, Request::new(count, element, tag)?)));
            }
        }
        typed! { "coarray_regmem" "0" $kind
            (handle: &Cell<Handle>, variable: Memory, count: &c_int, element: &c_int, tag: &u64)
            { done("allocate", || register(handle, variable.start(), Request::new(count, element, tag)?)) }
        }
        typed! { "coarray_dealloc" "0" $kind (handle: &Handle, pointer: &Cell<*mut u8>)
            {
                done("deallocate", || deallocate(handle.coarray()?));
                pointer.set(std::ptr::null_mut());
            }
        }
        bounded!("1", $kind, $size, $basic, [a b]);
        bounded!("2", $kind, $size, $basic, [a b c d]);
        bounded!("3", $kind, $size, $basic, [a b c d e f]);
        bounded!("4", $kind, $size, $basic, [a b c d e f g h]);
        bounded!("5", $kind, $size, $basic, [a b c d e f g h i j]);
        bounded!("6", $kind, $size, $basic, [a b c d e f g h i j k l]);
        bounded!("7", $kind, $size, $basic, [a b c d e f g h i j k l m n]);
    };
}
macro_rules! of_fixed_size {
    ($kind:ident, $size:literal, $basic:ident) => {
        memory!($kind, (|_: c_int| $size), $basic);
    };
}
each_kind!(of_fixed_size);
memory!(cn, (|element: c_int| usize::try_from(element).unwrap_or(0)), CHARACTER);
