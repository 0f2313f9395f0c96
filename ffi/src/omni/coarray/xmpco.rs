//! The object interface XMPCO_*: coarrays as C functions have them, for layers that are written on top ("Coarray Object
//! Interface", wiki of the Omni compiler). Translated programs do not call them. `ffi/omni/include/xmpco.h` declares them.

use super::arrays::Elements;
use super::cobounds::Cobounds;
use super::control::text;
use super::descriptor::{Coarray, Handle};
use super::statics::bytes;
use super::transfer::{get, put};
use super::{images, objects, procedure, statics, sync};
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{Descriptor, NodeSet, Object};
use crate::process::{Instance, communicator, instance};
use std::ffi::{c_char, c_int, c_void};
use std::rc::Rc;
use xmp_coarray::objects::Chunk;
use xmp_coarray::plan::contiguous;
use xmp_coarray::{sync_all, sync_memory};
use xmp_core::plugin::Communicator;

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

/// Sections as these functions get them: elements, and bytes from one to the next.
///
/// # Safety
/// There are so many numbers each.
unsafe fn section(
    base: *const u8,
    element: c_int,
    rank: c_int,
    skip: *const c_int,
    count: *const c_int,
) -> Outcome<Elements> {
    let size = statics::length(element)?;
    let rank = usize::try_from(rank).unwrap_or(0);
    // SAFETY: the caller's guarantee.
    let dims = (0..rank).map(|dim| unsafe { (*count.add(dim), *skip.add(dim)) });
    Ok(Elements::section(base, size, dims))
}

/// A mode of a put that says to wait until it is complete: anything but not to, and what is usual.
fn waits(mode: c_int) -> bool {
    !matches!(mode, 0 | 3)
}

/// # Safety
/// As [`put`], and the descriptor is one of this door.
unsafe fn put_section(
    handle: Handle,
    index: c_int,
    mold: Outcome<Elements>,
    source: Outcome<Elements>,
    mode: c_int,
) -> Outcome {
    let instance = instance();
    let (mold, source) = (mold?, source?);
    // SAFETY: the caller's guarantee.
    unsafe {
        let coarray = Coarray::of(handle)?;
        put(instance, coarray, index, &mold, &source).map_err(|error| coarray.wrong(error))?;
    }
    if waits(mode) {
        sync_memory(&instance.image)?;
    }
    Ok(())
}

/// Puts a scalar. With `mode` 1 or 2 it is complete then, and one of 4 bytes is atomic (ATOMIC_DEFINE).
///
/// # Safety
/// `base` is in the coarray of this image, and there are so many bytes to be put.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_PUT_scalarStmt(
    handle: Handle,
    base: *mut u8,
    element: c_int,
    index: c_int,
    source: *const u8,
    mode: c_int,
) {
    done("XMPCO_PUT_scalarStmt", || {
        // SAFETY: the caller's guarantee.
        unsafe {
            if waits(mode) && element == 4 {
                let value = source.cast::<c_int>().read_unaligned();
                return super::atomic::define(handle, index, base.cast(), value);
            }
            let size = statics::length(element)?;
            let (mold, source) = (Elements::scalar(base, size), Elements::scalar(source, size));
            put_section(handle, index, Ok(mold), Ok(source), mode)
        }
    });
}

/// Puts a section.
///
/// # Safety
/// As [`XMPCO_PUT_scalarStmt`], for all its elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_PUT_arrayStmt(
    handle: Handle,
    base: *mut u8,
    element: c_int,
    index: c_int,
    source: *const u8,
    rank: c_int,
    skip: *const c_int,
    skip_source: *const c_int,
    count: *const c_int,
    mode: c_int,
) {
    // SAFETY: the caller's guarantee.
    done("XMPCO_PUT_arrayStmt", || unsafe {
        let source = section(source, element, rank, skip_source, count);
        put_section(handle, index, section(base, element, rank, skip, count), source, mode)
    });
}

/// Puts a scalar to every element of a section.
///
/// # Safety
/// As [`XMPCO_PUT_arrayStmt`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_PUT_spread(
    handle: Handle,
    base: *mut u8,
    element: c_int,
    index: c_int,
    source: *const u8,
    rank: c_int,
    skip: *const c_int,
    count: *const c_int,
    mode: c_int,
) {
    // SAFETY: the caller's guarantee.
    done("XMPCO_PUT_spread", || unsafe {
        let source = Elements::scalar(source, statics::length(element)?);
        put_section(handle, index, section(base, element, rank, skip, count), Ok(source), mode)
    });
}

/// # Safety
/// As [`get`], and the descriptor is one of this door.
unsafe fn get_section(handle: Handle, index: c_int, mold: &Elements, local: &Elements) -> Outcome {
    // SAFETY: the caller's guarantee.
    unsafe {
        let coarray = Coarray::of(handle)?;
        get(instance(), coarray, index, mold, local).map_err(|error| coarray.wrong(error))
    }
}

/// Gets a scalar.
///
/// # Safety
/// As [`XMPCO_PUT_scalarStmt`], the other way round.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_GET_scalarExpr(
    handle: Handle,
    base: *mut u8,
    element: c_int,
    index: c_int,
    result: *mut u8,
) {
    done("XMPCO_GET_scalarExpr", || {
        let size = statics::length(element)?;
        let (mold, local) = (Elements::scalar(base, size), Elements::scalar(result, size));
        // SAFETY: the caller's guarantee.
        unsafe { get_section(handle, index, &mold, &local) }
    });
}

/// Gets a section, one element after the other.
///
/// # Safety
/// As [`XMPCO_PUT_arrayStmt`], the other way round.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_GET_arrayExpr(
    handle: Handle,
    base: *mut u8,
    element: c_int,
    index: c_int,
    result: *mut u8,
    rank: c_int,
    skip: *const c_int,
    count: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    done("XMPCO_GET_arrayExpr", || unsafe {
        let mold = section(base, element, rank, skip, count)?;
        let axes = contiguous(mold.size, &mold.axes)?.into_iter().collect();
        let local = Elements { base: result, size: mold.size, axes };
        get_section(handle, index, &mold, &local)
    });
}

/// Gets a section into a section.
///
/// # Safety
/// As [`XMPCO_PUT_arrayStmt`], the other way round.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_GET_arrayStmt(
    handle: Handle,
    base: *mut u8,
    element: c_int,
    index: c_int,
    local: *mut u8,
    rank: c_int,
    skip: *const c_int,
    skip_local: *const c_int,
    count: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    done("XMPCO_GET_arrayStmt", || unsafe {
        let mold = section(base, element, rank, skip, count)?;
        let local = section(local, element, rank, skip_local, count)?;
        get_section(handle, index, &mold, &local)
    });
}

/// SYNC ALL.
#[unsafe(no_mangle)]
pub extern "C" fn XMPCO_sync_all() {
    done("XMPCO_sync_all", sync::all);
}

/// SYNC ALL where the language has one without saying so.
#[unsafe(no_mangle)]
pub extern "C" fn XMPCO_sync_all_auto() {
    done("XMPCO_sync_all_auto", sync::all);
}

/// SYNC ALL of the processes of a communicator: that of the executing images or of all images, as this library gives them
/// out. (An integer or a pointer, according to the MPI; either is a register.)
#[unsafe(no_mangle)]
pub extern "C" fn XMPCO_sync_all_withComm(comm: u64) {
    done("XMPCO_sync_all_withComm", || {
        let instance = instance();
        let image = &instance.image;
        for set in [image.executing(), image.stack().initial()] {
            let Communicator { c, c_size, .. } = communicator(instance, &set)?;
            let bits = u64::MAX >> (64 - 8 * c_size.clamp(1, 8));
            if c & bits == comm & bits {
                return Ok(sync_all(image, &set)?);
            }
        }
        Err(Wrong::because("not the communicator of the executing images, nor that of all"))
    });
}

/// THIS_IMAGE (coarray): a cosubscript for each codimension.
///
/// # Safety
/// There is room for so many.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_this_image_coarray(
    handle: Handle,
    corank: c_int,
    cosubscripts: *mut c_int,
) {
    for dim in 1..=corank {
        // SAFETY: the caller's guarantee.
        unsafe {
            *cosubscripts.add(dim as usize - 1) = XMPCO_this_image_coarray_dim(handle, corank, dim)
        };
    }
}

/// THIS_IMAGE (coarray, dim).
///
/// # Safety
/// The descriptor is one of this door.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_this_image_coarray_dim(
    handle: Handle,
    corank: c_int,
    dim: c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe {
        super::inquiry::xmpf_this_image_coarray_dim_(
            &raw const handle,
            &raw const corank,
            &raw const dim,
        )
    }
}

/// Sets the number of codimensions.
///
/// # Safety
/// The descriptor is one of this door.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMPCO_set_corank(handle: Handle, corank: c_int) {
    done("_XMPCO_set_corank", || {
        let corank = usize::try_from(corank).unwrap_or(0);
        // SAFETY: the caller's guarantee.
        *unsafe { Coarray::of(handle)? }.bounds.borrow_mut() = Cobounds::new(corank);
        Ok(())
    });
}

/// Sets the bounds of a codimension, from 0.
///
/// # Safety
/// The descriptor is one of this door.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMPCO_set_codim_withBounds(
    handle: Handle,
    dim: c_int,
    lower: c_int,
    upper: c_int,
) {
    done("_XMPCO_set_codim_withBounds", || {
        // SAFETY: the caller's guarantee.
        let coarray = unsafe { Coarray::of(handle)? };
        let (images, _) = images::of_coarray(instance(), coarray);
        let dim = usize::try_from(dim).unwrap_or(usize::MAX - 1);
        let set = coarray.bounds.borrow_mut().set(dim, lower.into(), upper.into(), images);
        set.map_err(|error| coarray.wrong(error))
    });
}

/// Sets the lower bound and the size of a codimension, from 0.
///
/// # Safety
/// The descriptor is one of this door.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMPCO_set_codim_withSize(
    handle: Handle,
    dim: c_int,
    lower: c_int,
    size: c_int,
) {
    // SAFETY: the caller's guarantee.
    unsafe { _XMPCO_set_codim_withBounds(handle, dim, lower, lower.saturating_add(size) - 1) };
}

/// Sets the name that messages have.
///
/// # Safety
/// The descriptor is one of this door; there are so many characters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMPCO_set_varname(handle: Handle, len: c_int, name: *const c_char) {
    done("_XMPCO_set_varname", || {
        // SAFETY: the caller's guarantee.
        unsafe { *Coarray::of(handle)?.name.borrow_mut() = text(name, len) };
        Ok(())
    });
}

/// Sets the nodes whose images its image indices mean; for null, of a new descriptor.
///
/// # Safety
/// The descriptors are of this door.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMPCO_set_nodes(handle: Handle, nodes: Descriptor) -> Handle {
    done("_XMPCO_set_nodes", || {
        // SAFETY: the caller's guarantee.
        unsafe {
            let nodes = Object::<NodeSet>::shared(nodes)?;
            let handle: Handle = match handle.is_null() {
                true => instance().omni.coarray.coarrays.borrow_mut().returned(),
                false => handle,
            };
            *Coarray::of(handle)?.nodes.borrow_mut() = Some(nodes);
            Ok(handle)
        }
    })
}
