//! Ordinary memory: the program allocates it for itself, by `malloc`, and it is in the segment of its image.
//!
//! A pointer component may point there from a coarray. Other images then load and store the target, where they would
//! otherwise have the system copy it. Programs are linked for that by `xmpfc` (`ffi/reach`).
//!
//! Allocation never waits: where another thread is in the library, or this one, the memory of the C library will do. A block that
//! cannot be given back at once waits in a list ([`DeferredFrees`]).

use super::block::{self, AHEAD};
use crate::entry::entries;
use crate::gnu::weak::weak;
use crate::process::{Instance, created};
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use xmp_core::image::DeferredFrees;
use xmp_core::process::valgrind;

/// Smaller memory stays with the C library: a block has 64 bytes more, and programs have many small objects. (`ffi/reach/allocation.c`)
pub const LEAST_BYTES: usize = 256;

/// Most bytes of a block where segments have no huge pages, but the C library's memory has.
const MAX_BYTES_WITHOUT_HUGE_PAGES: usize = (2 << 20) - 1;

/// The size of a block that has lost its mark: it is not kept.
const UNKNOWN: u64 = u64::MAX;

/// Most bytes of a block, and 1; 0 before the first allocation.
static MAX_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Blocks that are free.
static DEFERRED: DeferredFrees = DeferredFrees::new();

/// A block of this image.
struct Block {
    instance: &'static Instance,
    /// Offset in the segment.
    offset: u64,
}

/// The block that starts at an address.
fn find(address: *const c_void) -> Option<Block> {
    let instance = created()?;
    let image = &instance.image;
    let offset = address.addr().wrapping_sub(image.own_segment().addr()) as u64;
    let is_block = offset < image.job().geometry().stride
        && offset.is_multiple_of(AHEAD)
        && offset >= AHEAD
        && block::is_ordinary(image, offset);
    is_block.then_some(Block { instance, offset })
}

/// Tells whether an offset of this image's segment is in a block.
pub fn contains(instance: &Instance, offset: u64) -> bool {
    let image = &instance.image;
    let block = image.memory().local_block(offset);
    block.is_some_and(|block| block::is_ordinary(image, block.start + AHEAD))
}

/// Allocates memory; `None` where other memory will do.
fn allocate(bytes: usize) -> Option<*mut c_void> {
    let instance = created()?;
    let image = &instance.image;
    let _inside = image.threads().try_enter()?;
    give_back_deferred(instance);
    if !(LEAST_BYTES..=max_bytes(instance)).contains(&bytes) {
        return None;
    }
    let offset = image.memory().allocate_ordinary(bytes as u64 + AHEAD)? + AHEAD;
    block::mark_ordinary(image, offset, bytes as u64);
    Some(image.own_segment().wrapping_add(offset as usize).cast())
}

/// Allocates memory that is zero; `None` where other memory will do.
fn allocate_zeros(bytes: usize) -> Option<*mut c_void> {
    let address = allocate(bytes)?;
    let image = &created()?.image;
    let offset = address.addr().wrapping_sub(image.own_segment().addr()) as u64;
    // SAFETY: a new block of ordinary memory of this image, of this many bytes.
    unsafe { image.memory().clear_ordinary(offset, bytes as u64) };
    Some(address)
}

/// Most bytes of a block in this job: 0 where none pays, or the program has another allocator.
fn max_bytes(instance: &Instance) -> usize {
    // Relaxed: all threads find the same.
    match MAX_BYTES.load(Ordering::Relaxed) {
        0 => {
            let most = find_max_bytes(instance);
            MAX_BYTES.store(most + 1, Ordering::Relaxed);
            most
        }
        known => known - 1,
    }
}

#[cold]
fn find_max_bytes(instance: &Instance) -> usize {
    let image = &instance.image;
    let settings = image.settings();
    let is_on = settings.reach && !settings.check.races && image.job().images() > 1;
    if !is_on || !has_replacements() || valgrind::is_running() {
        0
    } else if image.memory().takes_huge_pages_away() {
        MAX_BYTES_WITHOUT_HUGE_PAGES
    } else {
        isize::MAX as usize
    }
}

/// Tells whether the process frees and resizes memory by the functions of `ffi/reach/replacements.c`.
fn has_replacements() -> bool {
    let (free, realloc) = (libc::free as *const c_void, libc::realloc as *const c_void);
    free == weak!("xmprt_replaced_free") && realloc == weak!("xmprt_replaced_realloc")
}

/// Frees the block at an address. Returns false if there is none.
pub fn free(address: *mut c_void) -> bool {
    let Some(Block { instance, offset }) = find(address) else { return false };
    let image = &instance.image;
    let size = block::ordinary_size(image, offset);
    block::unmark(image, offset);
    if let Some(_inside) = image.threads().try_enter() {
        give_back_deferred(instance);
        // SAFETY: it was marked as a block of at least this size; programs do not use memory that they have freed.
        unsafe { image.memory().free_ordinary(offset - AHEAD, size + AHEAD) };
    } else {
        DEFERRED.push(offset, link(instance, offset));
    }
    true
}

/// The word of a free block that the list uses.
fn link(instance: &Instance, offset: u64) -> &AtomicU64 {
    let place = instance.image.own_segment().wrapping_add(offset as usize);
    // SAFETY: the start of a block of this image that is free. Only the list uses it.
    unsafe { &*place.cast() }
}

/// Gives the blocks back that threads have freed outside of the lock. This thread is inside.
fn give_back_deferred(instance: &Instance) {
    DEFERRED.take(
        |offset| link(instance, offset),
        // SAFETY: a block that was freed, and that was not given back yet.
        |offset| unsafe { instance.image.memory().free_ordinary(offset - AHEAD, UNKNOWN) },
    );
}

/// Changes the size of the block at an address; `None` if there is none. A block that does not fit any more moves within the
/// segment, or to memory of the C library where the segment has no room. Null, as of the C library, when there is no memory, or the new
/// size is 0.
pub fn reallocate(address: *mut c_void, bytes: usize) -> Option<*mut c_void> {
    let Block { instance, offset } = find(address)?;
    let (old, capacity) = sizes(instance, offset);
    if bytes == 0 {
        free(address);
        return Some(ptr::null_mut());
    }
    // Memory that is needed no more is given back.
    if bytes <= capacity && bytes >= capacity / 2 {
        block::resize_ordinary(&instance.image, offset, bytes as u64);
        return Some(address);
    }
    // SAFETY: any size may be allocated.
    let new = allocate(bytes).unwrap_or_else(|| unsafe { libc::malloc(bytes) });
    if !new.is_null() {
        // SAFETY: both have this many bytes, and the new memory is not in use yet.
        unsafe { ptr::copy_nonoverlapping(address.cast::<u8>(), new.cast(), old.min(bytes)) };
        free(address);
    }
    Some(new)
}

/// Memory in the segment for `bytes` bytes instead of memory of the C library that is too short for one; `None` where the C
/// library has to resize it.
///
/// # Safety
/// Null, or memory of the C library. When this returns memory, the other is freed.
pub unsafe fn move_here(
    address: *mut c_void,
    bytes: usize,
    free: unsafe extern "C" fn(*mut c_void),
) -> Option<*mut c_void> {
    if bytes < LEAST_BYTES || max_bytes(created()?) == 0 {
        return None;
    }
    // SAFETY: null, or memory of the C library.
    let old = unsafe { libc::malloc_usable_size(address) };
    if old >= LEAST_BYTES {
        return None;
    }
    let new = allocate(bytes)?;
    // SAFETY: both have `old` bytes, and the new memory is not in use yet. Its own allocator frees the old one.
    unsafe {
        ptr::copy_nonoverlapping(address.cast::<u8>(), new.cast(), old);
        free(address);
    }
    Some(new)
}

/// The number of bytes that the program wants, and of those that the block has.
fn sizes(instance: &Instance, offset: u64) -> (usize, usize) {
    let size = block::ordinary_size(&instance.image, offset) as usize;
    (size, size.next_multiple_of(AHEAD as usize))
}

entries! {
    /// Memory for `malloc` in a program that follows pointers of other images; null where that of the C library will do.
    fn xmprt_reachable_memory(bytes: usize) -> *mut c_void {
        allocate(bytes).unwrap_or(ptr::null_mut())
    }

    /// The same of zeros, for `calloc`.
    fn xmprt_reachable_zeros(bytes: usize) -> *mut c_void {
        allocate_zeros(bytes).unwrap_or(ptr::null_mut())
    }

    /// The number of bytes that the program may use at an address of the segment (`malloc_usable_size`).
    fn xmprt_reachable_bytes(address: *mut c_void) -> usize {
        find(address).map_or(0, |block| sizes(block.instance, block.offset).1)
    }
}
