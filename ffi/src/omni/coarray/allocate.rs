//! ALLOCATE and DEALLOCATE of coarrays.

use super::arrays::associate;
use super::descriptor::{Coarray, Handle};
use super::statics::{bytes, length};
use super::{objects, procedure};
use crate::gfortran_abi::{Descriptor, basic};
use crate::omni::error::{Outcome, Wrong, done};
use crate::process::{Instance, instance};
use std::ffi::c_int;
use std::rc::Rc;
use xmp_coarray::objects::{Chunk, ResourceSet};

/// What ALLOCATE says beside the variable: number of elements, bytes of each, and the tag of the procedure.
type Request = (*const c_int, *const c_int, *const u64);

/// Allocates the coarray of a descriptor variable; its address here.
///
/// # Errors
/// No memory, the images do not allocate the same, or it is allocated.
///
/// # Safety
/// The arguments are those that the translator passes.
unsafe fn allocate(handle: *mut Handle, (count, element, tag): Request) -> Outcome<*mut u8> {
    let instance = instance();
    // SAFETY: the caller's guarantee.
    unsafe {
        let bytes = bytes(*count, length(*element)?)?;
        let set = procedure::of_tag(instance, *tag)?;
        prepare(instance, handle, set.as_ref())?;
        let chunk = objects(instance).allocate(&instance.image, bytes, set.as_ref())?;
        let start = chunk.local();
        keep(instance, handle, chunk);
        Ok(start)
    }
}

/// Registers a variable of the program as the coarray of a descriptor variable.
///
/// # Errors
/// As [`allocate`].
///
/// # Safety
/// As there; the variable lives until the coarray is deallocated.
unsafe fn register(handle: *mut Handle, start: *mut u8, (count, element, tag): Request) -> Outcome {
    let instance = instance();
    // SAFETY: the caller's guarantee.
    unsafe {
        let bytes = bytes(*count, length(*element)?)?;
        let set = procedure::of_tag(instance, *tag)?;
        prepare(instance, handle, set.as_ref())?;
        let chunk = objects(instance).register(&instance.image, start, bytes, set.as_ref())?;
        keep(instance, handle, chunk);
    }
    Ok(())
}

/// What is to be done with a coarray that the variable has already.
///
/// # Safety
/// The variable is valid.
unsafe fn prepare(
    instance: &Instance,
    handle: *mut Handle,
    set: Option<&Rc<ResourceSet>>,
) -> Outcome {
    let coarrays = instance.omni.coarray.coarrays.borrow();
    // SAFETY: the caller's guarantee.
    let Some(former) = coarrays.known(handle, unsafe { *handle }) else { return Ok(()) };
    let Ok(chunk) = former.chunk() else { return Ok(()) };
    match set {
        // The procedure that allocated it has ended, but the translator had nobody told.
        None => Ok(objects(instance).deallocate(&instance.image, &chunk)?),
        Some(set) if chunk.is_resource_of(set) => {
            Err(former.wrong(Wrong::because("it is allocated already")))
        }
        // Of another instance of the procedure, which will deallocate it.
        Some(_) => Ok(()),
    }
}

/// The variable has this coarray now. What a COARRAY directive has said before stays.
///
/// # Safety
/// The variable is valid.
unsafe fn keep(instance: &Instance, handle: *mut Handle, chunk: Rc<Chunk>) {
    let mut coarrays = instance.omni.coarray.coarrays.borrow_mut();
    // SAFETY: the caller's guarantee.
    unsafe {
        let nodes = coarrays.known(handle, *handle).and_then(|former| former.nodes.take());
        let coarray = coarrays.renew(handle);
        *coarray.nodes.borrow_mut() = nodes;
        coarray.allocated(chunk);
        *handle = coarray;
    }
}

/// Deallocates the coarray of a descriptor, or what is registered.
///
/// # Errors
/// When it is not allocated; when the images do not deallocate the same.
///
/// # Safety
/// As [`allocate`].
unsafe fn deallocate(handle: Handle) -> Outcome {
    let instance = instance();
    // SAFETY: the caller's guarantee.
    let coarray = unsafe { Coarray::of(handle)? };
    let freed =
        coarray.chunk().and_then(|chunk| objects(instance).deallocate(&instance.image, &chunk));
    freed.map_err(|error| coarray.wrong(error))
}

/// ALLOCATE of an array.
///
/// # Safety
/// The arguments are those that the translator passes.
unsafe fn malloc(
    handle: *mut Handle,
    pointer: *mut Descriptor,
    request: Request,
    (basic, size): (i8, usize),
    bounds: &[c_int],
) {
    // SAFETY: the caller's guarantee.
    done("allocate", || unsafe {
        let start = allocate(handle, request)?;
        associate(pointer, start, (basic, size), bounds);
        Ok(())
    });
}

/// Deregisters what a program has registered, before it frees it.
///
/// # Safety
/// The descriptor is one of this front end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_coarray_deregmem_(handle: *const Handle) {
    // SAFETY: the caller's guarantee.
    done("deallocate", || unsafe { deallocate(*handle) });
}

/// The procedures for a rank. The bounds are two arguments for each dimension.
macro_rules! bounded {
    ($rank:literal, $kind:ident, $size:expr, $basic:ident, [$($bound:ident)*]) => {
        typed! { "coarray_malloc" $rank $kind
            (handle: *mut Handle, pointer: *mut Descriptor, count: *const c_int, element: *const c_int,
                tag: *const u64, _rank: *const c_int, $($bound: *const c_int),*)
            {
                let size = $size(*element);
                malloc(handle, pointer, (count, element, tag), (basic::$basic, size), &[$(*$bound),*])
            }
        }
        typed! { "coarray_regmem" $rank $kind
            (handle: *mut Handle, variable: *const Descriptor, count: *const c_int, element: *const c_int,
                tag: *const u64)
            { done("allocate", || register(handle, (*variable).base.cast(), (count, element, tag))) }
        }
        typed! { "coarray_dealloc" $rank $kind (handle: *const Handle, pointer: *mut Descriptor)
            {
                done("deallocate", || deallocate(*handle));
                (*pointer).base = std::ptr::null_mut();
            }
        }
    };
}

macro_rules! memory {
    ($kind:ident, $size:expr, $basic:ident) => {
        typed! { "coarray_malloc" "0" $kind
            (handle: *mut Handle, pointer: *mut *mut u8, count: *const c_int, element: *const c_int, tag: *const u64)
            {
                *pointer = done("allocate", || allocate(handle, (count, element, tag)));
            }
        }
        typed! { "coarray_regmem" "0" $kind
            (handle: *mut Handle, variable: *mut u8, count: *const c_int, element: *const c_int, tag: *const u64)
            { done("allocate", || register(handle, variable, (count, element, tag))) }
        }
        typed! { "coarray_dealloc" "0" $kind (handle: *const Handle, pointer: *mut *mut u8)
            {
                done("deallocate", || deallocate(*handle));
                *pointer = std::ptr::null_mut();
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
