//! Replacements of `free` and `realloc` in programs.
//!
//! The compiler calls these functions for components, too: `realloc` for a character of deferred length, `free` after
//! MOVE_ALLOC to an ordinary variable; and for arrays whose memory is a block of the segment ([`blocks`]). Programs are
//! therefore linked with `--wrap` for both. The replacements handle memory in segments and pass all else to the C library.

use super::{COMPONENTS, Components, Memory, block, ordinary};
use crate::entry::entries;
use crate::gfortran_abi::Outcome;
use crate::process::{Instance, blocks, created, enter_created, is_of_c, run_time_error};
use std::ffi::c_void;
use std::ptr;
use xmp_core::{Error, Image, Result};

/// What memory of the segments starts at an address.
enum Owner {
    /// A component of this image: at this offset.
    Component(&'static Instance, u64),
    /// A block of this image: at this offset.
    Block(&'static Instance, u64),
    /// A coarray of this image, or a block of a C program: at this offset.
    Coarray(&'static Instance, u64),
    /// Another image, in whose segment it has this offset. The compiler copies an object with allocatable components
    /// byte by byte from there, so the copy has the components of that image.
    Other(&'static Image, u64),
}

/// Whose memory starts at this address; `None` if it is that of the C library.
fn owner(address: *const c_void) -> Option<Owner> {
    let instance = created()?;
    let (rank, offset) = instance.image.locate(address.cast())?;
    if rank != instance.image.rank() {
        return Some(Owner::Other(&instance.image, offset));
    }
    let known = COMPONENTS.of(instance).borrow().memory.contains_key(&offset);
    if known {
        return Some(Owner::Component(instance, offset));
    }
    if blocks::size(instance, offset).is_some() {
        return Some(Owner::Block(instance, offset));
    }
    instance
        .registry
        .borrow()
        .find(&instance.image, address.cast())
        .map(|_| Owner::Coarray(instance, offset))
}

/// The end of the job because `function` of C frees a block of a C program, or a coarray as if it were a component. At the end of a
/// procedure gfortran 12 to 14 take the descriptor of a scalar allocatable coarray for an object of its type, and free its first
/// component.
#[cold]
fn freed_coarray(
    instance: &Instance,
    offset: u64,
    function: &'static str,
    statement: &'static str,
) -> ! {
    let (operation, text) = if is_of_c(instance, offset) {
        let text = "the address is of a block of xmprt_allocate: xmprt_free frees it, and a larger one is a new block";
        (function, text)
    } else {
        let text = "the compiler frees a scalar allocatable coarray in place of its allocatable component at the end of the \
                    procedure: deallocate the coarray there, or declare it as an array of one element";
        (statement, text)
    };
    run_time_error(operation, &Error::Invalid(text.into()))
}

/// Frees memory of a component or of the C library's heap.
///
/// # Safety
/// As the C library's `free`.
pub unsafe extern "C" fn release(address: *mut c_void) {
    if ordinary::free(address) {
        return;
    }
    let _entered = enter_created();
    match owner(address) {
        Some(Owner::Component(instance, offset)) => {
            COMPONENTS.of(instance).borrow_mut().take(offset);
            let freed = block::free(&instance.image, offset);
            Outcome::value("free", freed);
        }
        Some(Owner::Block(instance, offset)) => {
            Outcome::value("free", blocks::free(instance, offset));
        }
        Some(Owner::Other(..)) => {}
        Some(Owner::Coarray(instance, offset)) => {
            freed_coarray(instance, offset, "free", "deallocate")
        }
        // SAFETY: no component is at `address`, so it is null or of the C library's heap.
        None => unsafe { c_library::free()(address) },
    }
}

/// The functions of the C library. In a program that is linked with `libxmprt.a` the names `free` and `realloc` mean
/// the functions below, here too, and the linker calls the real ones `__real_...`; a shared `libxmprt.so` has no such
/// names.
mod c_library {
    use crate::gnu::weak::weak_functions;
    use std::ffi::c_void;

    type Free = unsafe extern "C" fn(*mut c_void);
    type Realloc = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;

    weak_functions! {
        /// The C library's `free` in a program that is linked with `libxmprt.a`.
        fn real_free() = "__real_free": Free;
        /// The C library's `realloc` in a program that is linked with `libxmprt.a`.
        fn real_realloc() = "__real_realloc": Realloc;
    }

    /// The C library's `free`.
    pub fn free() -> Free {
        real_free().unwrap_or(libc::free)
    }

    /// The C library's `realloc`.
    pub fn realloc() -> Realloc {
        real_realloc().unwrap_or(libc::realloc)
    }
}

entries! {
    /// Takes the place of `free` in programs (`--wrap`).
    fn __wrap_free(address: *mut c_void) {
        // SAFETY: the contract of entries: memory that the program frees.
        unsafe {
            if xmp_core::region::may_contain(address.addr()) {
                release(address);
            } else {
                c_library::free()(address);
            }
        }
    }

    /// Takes the place of `realloc` in programs (`--wrap`).
    fn __wrap_realloc(address: *mut c_void, size: usize) -> *mut c_void {
        // SAFETY: the contract of entries: memory whose size the program changes.
        unsafe {
            if xmp_core::region::may_contain(address.addr()) {
                ordinary::reallocate(address, size).unwrap_or_else(|| reallocate(address, size))
            } else if let Some(new) = ordinary::move_here(address, size, c_library::free()) {
                new
            } else {
                c_library::realloc()(address, size)
            }
        }
    }
}

/// Changes the size of memory of a component, or of the C library's heap.
///
/// # Safety
/// As the C library's `realloc`.
#[inline(never)]
unsafe extern "C" fn reallocate(address: *mut c_void, size: usize) -> *mut c_void {
    let _entered = enter_created();
    match owner(address) {
        Some(Owner::Component(instance, offset)) => {
            resize(instance, offset, size).unwrap_or(ptr::null_mut())
        }
        Some(Owner::Block(instance, offset)) => {
            let old = blocks::size(instance, offset).unwrap_or_default();
            // SAFETY: the block has `old` bytes.
            let new = unsafe { copy(address, size, old) };
            if !new.is_null() {
                Outcome::value("realloc", blocks::free(instance, offset));
            }
            new
        }
        Some(Owner::Coarray(instance, offset)) => {
            freed_coarray(instance, offset, "realloc", "reallocate")
        }
        Some(Owner::Other(image, offset)) => {
            let left = image.layout().teams.end.saturating_sub(offset) as usize;
            // SAFETY: `left` bytes of the segment are there. It is mapped, because all images are on this host.
            unsafe { copy(address, size, left) }
        }
        // SAFETY: no component is at `address`, so it is null or of the C library's heap.
        None => unsafe { c_library::realloc()(address, size) },
    }
}

/// Memory of this process with the first bytes of a block or of another image's component, as many as fit. What is after
/// such a component is copied, too, because its length is not known here.
///
/// # Safety
/// `left` bytes can be read at `address`.
unsafe fn copy(address: *const c_void, size: usize, left: usize) -> *mut c_void {
    // SAFETY: `left` bytes can be read at `address`. The new memory has `size` bytes and is not in use yet.
    unsafe {
        let new = libc::malloc(size.max(1));
        if !new.is_null() {
            ptr::copy_nonoverlapping(address.cast::<u8>(), new.cast(), size.min(left));
        }
        new
    }
}

/// Moves the memory of a component to one of `size` bytes; the token goes along.
fn resize(instance: &Instance, offset: u64, size: usize) -> Result<*mut c_void> {
    let size = size.max(1) as u64;
    let at = |offset: u64| instance.image.own_segment().wrapping_add(offset as usize);
    let new = block::allocate(&instance.image, size)?;
    let Components { tokens, memory: blocks, .. } = &mut *COMPONENTS.of(instance).borrow_mut();
    let no_such = || Error::Invalid("no such component".into());
    let old = blocks.remove(&offset).ok_or_else(no_such)?;
    // Characters that get length 0 have 1 byte, a blank.
    if size > 1 {
        // SAFETY: both are blocks of this image, of at least these lengths, and the new one is not in use yet.
        unsafe { ptr::copy_nonoverlapping(at(offset), at(new), old.size.min(size) as usize) };
    }
    blocks.insert(new, Memory { size, token: old.token });
    *tokens.get_mut(old.token).ok_or_else(no_such)? = new;
    block::free(&instance.image, offset)?;
    Ok(at(new).cast())
}
