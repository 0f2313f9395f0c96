//! The shared mapping: words for waiting, and a segment for each process.

use super::wait::WaitWord;
use crate::error::Error;
use std::io;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// The most processes.
pub const MAX_IMAGES: usize = 256;
/// Rounds of a dissemination barrier among the most processes.
pub const MAX_ROUNDS: usize = MAX_IMAGES.ilog2() as usize;
/// Bytes of a segment: the largest rung of the ladder.
pub const SEGMENT_BYTES: usize = 64 << 20;

/// A value alone on its cache line.
#[repr(C, align(64))]
pub struct Line<T>(pub T);

/// What others write to one process.
#[repr(C)]
pub struct Mailbox {
    /// Signals of the dissemination barrier, one word a round.
    pub rounds: [WaitWord; MAX_ROUNDS],
    /// The ball of the ping-pongs.
    pub ball: WaitWord,
    /// This process's operand of a reduction of one number (bits of an `f64`), two in turn.
    pub operand: [Line<AtomicU64>; 2],
    /// Where this process has its operand of a reduction without staging.
    pub address: Line<AtomicU64>,
    /// Its number in the system.
    pub process: Line<AtomicU32>,
}

/// The words at the start of the mapping. Zero is the right first value of all.
#[repr(C)]
pub struct Control {
    /// Calls of the next batch, 0 for none; written by process 0 between two barriers.
    pub command: Line<AtomicU32>,
    /// Processes that have arrived at the central barrier.
    pub arrived: Line<AtomicU32>,
    /// Central barriers that were completed.
    pub completed: WaitWord,
    /// What the rows of atomics add to.
    pub counter: Line<AtomicU32>,
    /// One a process.
    pub mailboxes: [Mailbox; MAX_IMAGES],
}

/// The mapping, in this process and, at the same address, in all others.
#[derive(Clone, Copy)]
pub struct Region {
    base: NonNull<u8>,
    images: usize,
}

/// Bytes before the first segment.
const CONTROL_BYTES: usize = size_of::<Control>().next_multiple_of(4096);

impl Region {
    /// Maps it for this many processes that are still to be forked. Memory is taken on touch.
    pub fn map(images: usize) -> Result<Self, Error> {
        assert!((2..=MAX_IMAGES).contains(&images), "the command line limits the number");
        let length = CONTROL_BYTES + images * SEGMENT_BYTES;
        // SAFETY: a new anonymous mapping at an address of the kernel's choice.
        let base = unsafe {
            libc::mmap(
                ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        match NonNull::new(base.cast::<u8>()) {
            Some(base) if base.as_ptr().cast() != libc::MAP_FAILED => Ok(Self { base, images }),
            _ => Err(Error::Limits { operation: "mmap", source: io::Error::last_os_error() }),
        }
    }

    /// Number of processes that share it.
    pub fn images(&self) -> usize {
        self.images
    }

    /// The words.
    pub fn control(&self) -> &'static Control {
        // SAFETY: the mapping is page aligned, larger than Control, never unmapped, and starts as
        // zeros, which all fields allow; all of them are atomics, so sharing them is sound.
        unsafe { self.base.cast::<Control>().as_ref() }
    }

    /// The segment of a process, `SEGMENT_BYTES` long and page aligned.
    pub fn segment(&self, image: usize) -> *mut u8 {
        assert!(image < self.images, "there is no image {image}");
        // SAFETY: the segment of an existing image lies within the mapping.
        unsafe { self.base.as_ptr().add(CONTROL_BYTES + image * SEGMENT_BYTES) }
    }

    /// The segment of a process as numbers.
    pub fn numbers(&self, image: usize) -> *mut f64 {
        self.segment(image).cast()
    }
}
