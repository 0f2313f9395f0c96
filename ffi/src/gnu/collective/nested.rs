//! Objects within an object that is broadcast.
//!
//! The compiler broadcasts an object with allocatable components component by component. A component that is itself an object
//! with allocatable components is broadcast in the same way, and then once more as a whole: with the addresses of its
//! allocatable components, which belong to the source image. The other images keep their own addresses here. What is at these
//! has been broadcast before.

use crate::gfortran_abi::{Descriptor, basic};
use crate::gnu::component::lookup;
use crate::process::is_handle;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use xmp_core::{Image, Result};

const WORD: usize = size_of::<usize>();

/// The address of what this image broadcast last. An image has one collective at a time, so threads do not disturb one another.
static PREVIOUS: AtomicUsize = AtomicUsize::new(NONE);

/// No broadcast was before.
const NONE: usize = usize::MAX;

/// Takes note of a broadcast of what is at an address, 0 for a component that is not allocated; returns the address of the
/// broadcast before.
#[inline(always)]
pub fn note(address: usize) -> usize {
    let previous = PREVIOUS.load(Relaxed);
    PREVIOUS.store(address, Relaxed);
    previous
}

/// Whether `a`, which has `bytes` bytes in one piece, may be an object whose components have just been broadcast; `previous` is the
/// address of the last one. It is one of its own, or allocated for its last element, or null.
#[inline(always)]
pub fn may_be(a: &Descriptor, bytes: usize, previous: usize) -> bool {
    a.dtype.basic == basic::DERIVED
        && bytes > 0
        && previous != NONE
        && (previous == 0
            || (a.base.addr()..a.base.addr() + bytes).contains(&previous)
            || words(a.base.addr() + bytes - a.dtype.elem_len, a.dtype.elem_len)
                // SAFETY: a word of the argument, which belongs to this image.
                .any(|at| unsafe { read(at) } == previous))
}

/// The addresses of aligned words in memory.
fn words(start: usize, bytes: usize) -> impl Iterator<Item = usize> {
    let end = start + bytes;
    (start.next_multiple_of(WORD)..end).step_by(WORD).take_while(move |at| at + WORD <= end)
}

/// # Safety
/// A word of this image's memory is at the address, and does not change meanwhile.
unsafe fn read(at: usize) -> usize {
    // SAFETY: the contract of this function. Padding may be anything.
    unsafe { ptr::with_exposed_provenance::<usize>(at).read_volatile() }
}

/// Words of an object that hold addresses of this image's allocatable components, or the compiler's marks for them.
#[derive(Debug)]
pub struct OwnAddresses(Vec<(usize, usize)>);

impl OwnAddresses {
    /// Those in `bytes` bytes at an address.
    ///
    /// # Safety
    /// The bytes are this image's, and do not change meanwhile.
    pub unsafe fn of(image: &Image, start: usize, bytes: usize) -> Result<OwnAddresses> {
        let mut own = Vec::new();
        for at in words(start, bytes) {
            // SAFETY: within the bytes.
            let word = unsafe { read(at) };
            if is_handle(word as u64) || lookup::component(image, image.rank(), word)?.is_some() {
                own.push((at, word));
            }
        }
        Ok(OwnAddresses(own))
    }

    /// Writes them where they were.
    ///
    /// # Safety
    /// The same memory is still there, and is accessed by this call alone.
    pub unsafe fn restore(self) {
        for (at, word) in self.0 {
            // SAFETY: the contract of this function.
            unsafe { ptr::with_exposed_provenance_mut::<usize>(at).write(word) };
        }
    }
}
