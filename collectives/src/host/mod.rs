//! The host level: algorithms between images that share a collective area. Everything is a sequence of collective area
//! steps and ring exchanges; read `xmp-core/shm/src/coll_area/README.md` for what these are.

pub mod allgather;
pub mod alltoall;
pub mod broadcast;
pub(crate) mod copy;
pub mod gather;
pub mod reduce;
pub mod scan;
pub mod scatter;

use smallvec::SmallVec;
use xmp_core::coll_area::{CollArea, RingExchange, SLOT_DATA};
use xmp_core::{Image, Result};

/// Whether parts of at most `longest` bytes for all members fit in a slot.
pub fn parts_fit_in_slot(longest: usize, members: usize) -> bool {
    longest * members <= SLOT_DATA
}

/// Pointers to the operands of all members.
pub type Sources = SmallVec<[*const u8; 32]>;

/// This image and the collective area where it meets its local peers.
#[derive(Clone, Copy, Debug)]
pub struct Host<'a> {
    /// This image.
    pub image: &'a Image,
    /// The collective area.
    pub area: &'a CollArea,
}

impl Host<'_> {
    /// Number of members.
    #[inline(always)]
    pub fn members(&self) -> usize {
        self.area.len()
    }

    /// This image's position on the collective area.
    #[inline(always)]
    pub fn me(&self) -> usize {
        self.area.position()
    }

    /// Makes a step.
    ///
    /// # Errors
    /// When a member has ended without making it.
    #[inline]
    pub fn barrier(&self) -> Result<()> {
        self.area.barrier(self.image)
    }

    /// Begins a ring exchange.
    ///
    /// # Errors
    /// When a member has ended before it was done with it.
    #[inline]
    pub fn ring_exchange(&self) -> Result<RingExchange<'_>> {
        RingExchange::begin(self.area, self.image)
    }

    /// Writes a word for all members to see after the coming step.
    #[inline]
    pub fn say(&self, word: u64) {
        // SAFETY: this member's slot of the coming step: 8-aligned, long enough, no member reads it yet.
        unsafe { self.area.slot().cast::<u64>().write(word) }
    }

    /// The word that a member said in the last step.
    #[inline]
    pub fn said(&self, position: usize) -> u64 {
        // SAFETY: written before the last step, not written again before the next.
        unsafe { self.area.slot_of(position).cast::<u64>().read() }
    }

    /// The address of a buffer if the other members can access it there, else 0.
    pub fn shared_address(&self, buffer: *const u8) -> u64 {
        match self.image.locate(buffer) {
            Some(_) => buffer as u64,
            None => 0,
        }
    }
}
