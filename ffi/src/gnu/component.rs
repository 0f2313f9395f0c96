//! Allocatable and pointer components of coarrays. (GNU-LIBCAF section 3)
//!
//! A component belongs to one image: what it allocates is in that image's non-symmetric heap, where other images find
//! it at the address that the component holds. Its token - the compiler keeps one beside every such component - is a
//! handle that says which memory to give back; nothing else is needed to follow the component
//! ([`super::reference`]). Objects of derived type are copied with their tokens in them, so that a token may be out of date:
//! one that is not known, or whose memory is somebody else's now, is not followed.
//!
//! The compiler does not always ask when it changes the size of such memory, or gives it back: it calls `realloc` (a
//! character of deferred length) and `free` (after MOVE_ALLOC to an ordinary variable) as for its own memory. So
//! programs are linked with `--wrap` for these two, and what lies in segments comes here.

use super::status::Outcome;
use super::token::TokenHandle;
use super::types::Descriptor;
use crate::process::{Handles, Instance, current};
use std::collections::{BTreeMap, HashSet};
use std::ffi::c_void;
use std::ptr;
use xmp_coarray::Block;
use xmp_core::{Error, Result, heap};

/// The components of this image's coarrays that have tokens.
#[derive(Debug, Default)]
pub struct Components {
    /// For each token the memory that was allocated with it, as an offset in the segment.
    tokens: Handles<Option<u64>>,
    /// The memory of components: how long it is, and its token.
    memory: BTreeMap<u64, Memory>,
    /// Where in this image's segment tokens are that have got memory, and which. (What was copied or moved is elsewhere.)
    homes: BTreeMap<u64, u64>,
    /// Memory of components of coarrays that are being deallocated: other images may use it until all have met.
    leaving: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Memory {
    size: u64,
    token: u64,
}

/// Registers a component, with memory of `size` bytes if `size` is given.
///
/// # Safety
/// `token` and `descriptor` are valid.
pub unsafe fn register(
    instance: &Instance,
    size: Option<usize>,
    token: *mut TokenHandle,
    descriptor: *mut Descriptor,
) -> Result<()> {
    let mut components = instance.gnu.components.borrow_mut();
    // SAFETY: the caller's guarantee. What is there before the first registration is not defined.
    let known = unsafe { token.read() }.addr() as u64;
    let Some(size) = size else {
        let handle = components.tokens.insert(None);
        // SAFETY: as above.
        unsafe {
            token.write(handle as TokenHandle);
            (*descriptor).base = ptr::null_mut();
        }
        return Ok(());
    };
    let size = size.max(1) as u64;
    let offset = instance.image.memory().allocate_local(size, heap::GRAIN)?;
    // A token with memory is a copy of another component's.
    let handle = match components.tokens.get(known) {
        Some(None) => known,
        _ => components.tokens.insert(None),
    };
    components.assign(handle, offset, size);
    if let Some((_, home)) = instance.image.locate(token.cast_const().cast()) {
        components.homes.insert(home, handle);
    }
    // SAFETY: as above.
    unsafe {
        token.write(handle as TokenHandle);
        (*descriptor).base = instance.image.own_segment().wrapping_add(offset as usize).cast();
    }
    Ok(())
}

impl Components {
    fn assign(&mut self, handle: u64, offset: u64, size: u64) {
        self.memory.insert(offset, Memory { size, token: handle });
        if let Some(memory) = self.tokens.get_mut(handle) {
            *memory = Some(offset);
        }
    }

    /// Takes memory away from its token.
    fn take(&mut self, offset: u64) -> Option<Memory> {
        let memory = self.memory.remove(&offset)?;
        if let Some(of_token) = self.tokens.get_mut(memory.token) {
            *of_token = None;
        }
        Some(memory)
    }
}

/// Whether a registered token is that of a component.
///
/// # Safety
/// `token` is valid.
pub unsafe fn has_token_of_component(instance: &Instance, token: *mut TokenHandle) -> bool {
    // SAFETY: the caller's guarantee.
    let handle = unsafe { *token }.addr() as u64;
    is_in_segment(instance, token) || instance.gnu.components.borrow().tokens.get(handle).is_some()
}

/// Whether a token is kept in this image's segment, where only components have theirs.
pub fn is_in_segment(instance: &Instance, token: *mut TokenHandle) -> bool {
    let within = instance.image.locate(token.cast_const().cast());
    within.is_some_and(|(rank, _)| rank == instance.image.rank())
}

/// Deregisters a component: gives its memory back, and forgets the token unless it is kept. That of a coarray which is being
/// deallocated goes with the coarray ([`give_back`]).
///
/// # Errors
/// Never, as long as the heap is consistent.
///
/// # Safety
/// `token` is valid.
pub unsafe fn deregister(instance: &Instance, token: *mut TokenHandle, keep: bool) -> Result<()> {
    let mut components = instance.gnu.components.borrow_mut();
    // SAFETY: the caller's guarantee.
    let handle = unsafe { *token }.addr() as u64;
    let memory = components.tokens.get(handle).copied().flatten();
    if let Some(offset) = memory {
        components.take(offset);
        match keep {
            true => instance.image.memory().free_local(offset)?,
            false => components.leaving.push(offset),
        }
    }
    if !keep {
        components.tokens.remove(handle);
        if let Some((_, home)) = instance.image.locate(token.cast_const().cast()) {
            components.homes.remove(&home);
        }
        // SAFETY: the caller's guarantee.
        unsafe { *token = ptr::null_mut() };
    }
    Ok(())
}

/// All images have met: gives back what belonged to coarrays that are deallocated now.
///
/// # Errors
/// Never, as long as the heap is consistent.
pub fn give_back(instance: &Instance) -> Result<()> {
    let leaving = std::mem::take(&mut instance.gnu.components.borrow_mut().leaving);
    leaving.into_iter().try_for_each(|offset| instance.image.memory().free_local(offset))
}

/// The memory of the components of a coarray, which is about to be deallocated by END TEAM: where the compiler does
/// not deregister components. It leaves with the next [`give_back`].
///
/// A component is one of this coarray if its token is there and the address of its memory, too: after MOVE_ALLOC to a component
/// of another coarray only the former is.
pub fn leave_with(instance: &Instance, block: Block) {
    let components = &mut *instance.gnu.components.borrow_mut();
    let places: Vec<(u64, u64)> = components
        .homes
        .range(block.offset..block.offset + block.size)
        .map(|(&place, &handle)| (place, handle))
        .collect();
    // Most coarrays have no components, and are not looked through.
    if places.is_empty() {
        return;
    }
    let segment = instance.image.own_segment();
    let word = |offset: u64| {
        // SAFETY: a word of a coarray of this image, whose parts the program has defined, or not; then it is volatile
        // and any value will do. Blocks start at multiples of more than 8.
        unsafe { segment.wrapping_add(offset as usize).cast::<u64>().read_volatile() }
    };
    let words = (block.offset..block.offset + block.size / 8 * 8).step_by(8);
    let found: HashSet<u64> = words
        .filter_map(|offset| word(offset).checked_sub(segment.addr() as u64))
        .filter(|address| components.memory.contains_key(address))
        .collect();
    for (place, handle) in places {
        components.homes.remove(&place);
        let memory = components.tokens.get(handle).copied().flatten();
        if word(place) != handle {
            continue;
        }
        if let Some(offset) = memory.filter(|offset| found.contains(offset)) {
            components.take(offset);
            components.tokens.remove(handle);
            components.leaving.push(offset);
        }
    }
}

/// The memory of a component that starts at this address.
fn component_at(address: *const c_void) -> Option<(&'static Instance, u64)> {
    let instance = current()?;
    let (rank, offset) = instance.image.locate(address.cast())?;
    let known = instance.gnu.components.borrow().memory.contains_key(&offset);
    (rank == instance.image.rank() && known).then_some((instance, offset))
}

/// Frees memory of a component or of the C library's heap.
///
/// # Safety
/// As the C library's `free`.
pub unsafe fn release(address: *mut c_void) {
    match component_at(address) {
        Some((instance, offset)) => {
            instance.gnu.components.borrow_mut().take(offset);
            let freed = instance.image.memory().free_local(offset);
            // SAFETY: no `stat=`.
            unsafe { Outcome::new("free", ptr::null_mut()).deliver(freed) };
        }
        // SAFETY: the caller's guarantee.
        None => unsafe { c_library::free(address) },
    }
}

/// The functions of the C library. In a program that is linked with `libxmp.a` the names `free` and `realloc` mean the
/// functions below, here too, and the linker calls the real ones `__real_...`; a shared `libxmp.so` has no such names.
mod c_library {
    use crate::gnu::weak::weak;
    use std::ffi::c_void;

    pub unsafe fn free(address: *mut c_void) {
        let real = weak!("__real_free");
        // SAFETY: the caller's guarantee; the name is that of the C library's function, if there is one.
        unsafe {
            match real.is_null() {
                true => libc::free(address),
                false => std::mem::transmute::<*const c_void, unsafe extern "C" fn(*mut c_void)>(
                    real,
                )(address),
            }
        }
    }

    pub unsafe fn realloc(address: *mut c_void, size: usize) -> *mut c_void {
        let real = weak!("__real_realloc");
        type Realloc = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
        // SAFETY: as above.
        unsafe {
            match real.is_null() {
                true => libc::realloc(address, size),
                false => std::mem::transmute::<*const c_void, Realloc>(real)(address, size),
            }
        }
    }
}

/// Takes the place of `free` in programs (`--wrap`).
///
/// # Safety
/// As the C library's `free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __wrap_free(address: *mut c_void) {
    // SAFETY: the caller's guarantee.
    unsafe {
        match xmp_core::region::may_contain(address.addr()) {
            true => release(address),
            false => c_library::free(address),
        }
    }
}

/// Takes the place of `realloc` in programs (`--wrap`).
///
/// # Safety
/// As the C library's `realloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __wrap_realloc(address: *mut c_void, size: usize) -> *mut c_void {
    if xmp_core::region::may_contain(address.addr())
        && let Some((instance, offset)) = component_at(address)
    {
        return resize(instance, offset, size).unwrap_or(ptr::null_mut());
    }
    // SAFETY: the caller's guarantee.
    unsafe { c_library::realloc(address, size) }
}

/// Moves the memory of a component to one of `size` bytes; the token goes along.
fn resize(instance: &Instance, offset: u64, size: usize) -> Result<*mut c_void> {
    let size = size.max(1) as u64;
    let memory = instance.image.memory();
    let at = |offset: u64| instance.image.own_segment().wrapping_add(offset as usize);
    let new = memory.allocate_local(size, heap::GRAIN)?;
    let mut components = instance.gnu.components.borrow_mut();
    let old = components.take(offset).ok_or_else(|| Error::Invalid("no such component".into()))?;
    // SAFETY: both are blocks of this image, of at least these lengths, and the new one is nobody else's yet.
    unsafe { ptr::copy_nonoverlapping(at(offset), at(new), old.size.min(size) as usize) };
    components.assign(old.token, new, size);
    memory.free_local(offset)?;
    Ok(at(new).cast())
}
