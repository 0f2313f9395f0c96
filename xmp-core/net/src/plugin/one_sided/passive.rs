//! A put to a process that does not call MPI.
//!
//! The target tells the origin that it is silent from now on, and looks at its memory for a while. The origin puts. What
//! arrives meanwhile has arrived without the target's MPI. Only the target's memory and clock decide, so a slow machine
//! can hide that a network does this, but not pretend it.

use crate::error::Result;
use crate::rank::Rank;
use crate::server::{Fabric, Op, Tag};
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use xmp_shm::region::{page_size, pages_within};

/// How long the target looks. Networks that need no target answer within microseconds.
pub const SILENCE: Duration = Duration::from_millis(20);
/// Between two looks: the origin may share the core.
const POLL_INTERVAL: Duration = Duration::from_micros(50);
/// Words that are put: as many bytes as the transfers have that use windows.
const WORDS: usize = 8192;
/// Words of the window: so many that it shows whether all its memory is taken.
const WINDOW: usize = 2 << 20;
/// What is put.
const MARK: u64 = 0x5ead_5ead_5ead_5ead;

/// The memory of a window, which the origin writes to.
pub struct Scratch(Box<[AtomicU64]>);

impl Scratch {
    /// Untouched memory, or none.
    pub fn new(has_memory: bool) -> Box<Scratch> {
        let words = vec![0u64; if has_memory { WINDOW } else { 0 }].into_boxed_slice();
        let words = Box::into_raw(words) as *mut [AtomicU64];
        // SAFETY: the same memory; both types have size, alignment and validity in common.
        let scratch = Scratch(unsafe { Box::from_raw(words) });
        // The allocator may have used it before.
        let (start, len) = scratch.pages();
        // SAFETY: whole pages of this memory, which is private and zero, and is zero again when it is next read.
        unsafe { libc::madvise(start, len, libc::MADV_DONTNEED) };
        Box::new(scratch)
    }

    /// Where it begins.
    pub fn base(&self) -> *mut c_void {
        self.0.as_ptr().cast_mut().cast()
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        size_of_val(&*self.0)
    }

    /// Start and bytes of the pages that it has as a whole.
    fn pages(&self) -> (*mut c_void, usize) {
        let first = self.base().addr() as u64;
        let pages = pages_within(first..first + self.len() as u64);
        let start = self.base().wrapping_byte_add((pages.start - first) as usize);
        (start, (pages.end - pages.start) as usize)
    }

    /// Whether the system has given this process more than half of it.
    pub fn is_mostly_resident(&self) -> bool {
        let (start, len) = self.pages();
        let mut states = vec![0u8; len / page_size()];
        // SAFETY: whole pages of this memory, and a byte for each.
        let code = unsafe { libc::mincore(start, len, states.as_mut_ptr()) };
        let resident = states.iter().filter(|&&state| state & 1 != 0).count();
        code == 0 && 2 * resident > states.len()
    }

    /// Whether all words that are put have arrived.
    fn has_arrived(&self) -> bool {
        // Acquire: only for the order of these loads.
        self.0[..WORDS].iter().all(|word| word.load(Ordering::Acquire) == MARK)
    }

    /// Whether none of them has.
    fn is_untouched(&self) -> bool {
        self.0[..WORDS].iter().all(|word| word.load(Ordering::Acquire) == 0)
    }
}

/// The target's part: returns whether the put of `origin` arrives while this process does not use the fabric.
///
/// # Errors
/// When the fabric fails.
pub fn arrives(fabric: &mut dyn Fabric, origin: Rank, scratch: &Scratch) -> Result<bool> {
    let silent: [u8; 0] = [];
    // SAFETY: no bytes.
    let op = unsafe { fabric.send(origin, Tag::SILENCE, &silent[..]) }?;
    complete(fabric, op)?;
    let deadline = Instant::now() + SILENCE;
    // What has come before came with the help of the send.
    let in_time = scratch.is_untouched();
    let mut arrived = scratch.has_arrived();
    while !arrived && Instant::now() < deadline {
        std::thread::sleep(POLL_INTERVAL);
        arrived = scratch.has_arrived();
    }
    Ok(in_time && arrived)
}

/// The origin's part.
///
/// # Errors
/// When the fabric fails.
pub fn put(fabric: &mut dyn Fabric, target: Rank) -> Result<()> {
    let words = [MARK; WORDS];
    let mut silent: [u8; 0] = [];
    // SAFETY: no bytes.
    let op = unsafe { fabric.receive(target, Tag::SILENCE, &mut silent[..]) }?;
    complete(fabric, op)?;
    let bytes = ptr::slice_from_raw_parts(words.as_ptr().cast::<u8>(), size_of_val(&words));
    let window = fabric.window().expect("the caller has opened one");
    // SAFETY: the words live until the operation is done; the target's window is longer.
    let op = unsafe { window.put(target, 0, bytes) }?;
    complete(fabric, op)?;
    fabric.window().expect("it is still there").flush(target)
}

fn complete(fabric: &mut dyn Fabric, op: Op) -> Result<()> {
    while fabric.test(op)?.is_none() {
        std::thread::yield_now();
    }
    Ok(())
}

#[cfg(test)]
mod tests;
