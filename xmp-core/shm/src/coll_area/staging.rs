//! The part of the staging buffers that an area uses: a small one at first, and a larger one where that is used often.
//!
//! Memory that no image has touched costs a page fault for its member and each reader. Places that advance through a whole buffer
//! are new ones for the first hundreds of operations. So pieces of a page and more begin in a *ring* of few places, and the ring
//! of all members doubles when a member has walked over it often.

use crate::sync::{AtomicU64, Ordering};
use std::cell::Cell;

/// Bytes of a ring at first: what one request for memory and one fault of a reader map (`windows.rs`).
const FIRST_RING: usize = 64 * 1024;
/// Bytes of the rings of all members together above which they do not grow.
const ALL_RINGS: usize = 16 << 20;
/// Walks over a ring before it doubles. So one in that many operations at most uses a new place.
const WALKS: usize = if cfg!(loom) { 1 } else { 16 };

/// The ring of an area, which its members share: the epoch in which the ring was doubled, and its length; 0 before that. Zeroed
/// memory is valid.
///
/// All members must find the same length for an epoch, the writer of a place before the barrier and its readers after it. A
/// member that doubles the ring stores that before the barrier of epoch e, for epochs from e + 1 on. In epoch e all members find
/// the old length, with the old word or with the new one. In epoch e + 1 all find the new one, because the barrier of epoch e
/// orders the store before their loads. The ring doubles again three epochs later at the earliest, when no member reads a
/// place of epoch e any more.
#[repr(C)]
#[derive(Debug, Default)]
pub struct SharedRing(AtomicU64);

/// The place of the length in the word, as a power of two; the epoch is above it.
const LENGTH_BITS: u32 = 8;

impl SharedRing {
    fn parts(word: u64) -> (u64, u32) {
        (word >> LENGTH_BITS, word as u32 & ((1 << LENGTH_BITS) - 1))
    }

    /// Bytes of the ring in an epoch: the coming one or the last one.
    #[inline]
    pub fn len(&self, epoch: u64) -> usize {
        // Relaxed: the barrier between orders it.
        match SharedRing::parts(self.0.load(Ordering::Relaxed)) {
            (_, 0) => FIRST_RING,
            (from, length) if epoch < from => 1 << (length - 1),
            (_, length) => 1 << length,
        }
    }

    /// Doubles the ring, of `len` bytes in the coming `epoch`, for the epochs after that. Members that come to it in the same epoch
    /// do the same.
    fn double(&self, epoch: u64, len: usize) {
        let now = self.0.load(Ordering::Relaxed);
        let (from, _) = SharedRing::parts(now);
        if epoch >= from + 2 {
            let word = (epoch + 1) << LENGTH_BITS | u64::from(len.ilog2() + 1);
            // Relaxed: the barrier of this epoch releases it. It fails where another member has doubled the ring.
            let _ = self.0.compare_exchange(now, word, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
}

/// What one member knows of the use of its ring.
#[derive(Debug)]
pub struct RingUse {
    /// The length that the ring can have.
    longest: usize,
    /// The epoch in which it was used last, the length that it had, and the bytes that were used since it has that length.
    epoch: Cell<u64>,
    len: Cell<usize>,
    bytes: Cell<usize>,
}

impl RingUse {
    /// The use of a ring of one of `members`, which has at most `longest` bytes, a power of two.
    pub fn new(members: usize, longest: usize) -> RingUse {
        let share = (ALL_RINGS / (2 * members.max(1))).max(FIRST_RING);
        let longest = longest.min(1 << share.ilog2());
        RingUse { longest, epoch: Cell::new(0), len: Cell::new(0), bytes: Cell::new(0) }
    }

    /// Notes that this member uses `len` bytes of the ring in the coming epoch, once or several times. Doubles the ring when it was
    /// used often.
    #[inline]
    pub fn note(&self, shared: &SharedRing, epoch: u64, len: usize) {
        if self.epoch.replace(epoch) == epoch {
            return;
        }
        let ring = shared.len(epoch);
        let before = if self.len.replace(ring) == ring { self.bytes.get() } else { 0 };
        self.bytes.set(before + len);
        if before + len >= WALKS * 2 * ring && ring < self.longest {
            shared.double(epoch, ring);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_ring_doubles_when_it_was_used_often_up_to_its_share() {
        for (members, most) in [(2, 1 << 20), (8, 1 << 20), (16, 1 << 19), (500, FIRST_RING)] {
            let (shared, mine) = (SharedRing::default(), RingUse::new(members, 1 << 20));
            let (mut epoch, mut ring, mut used) = (1, FIRST_RING, 0);
            while epoch < 40_000 {
                mine.note(&shared, epoch, 4096);
                assert_eq!(shared.len(epoch), ring, "an epoch has one length");
                used += 4096;
                epoch += 1;
                if shared.len(epoch) != ring {
                    assert!(used >= WALKS * 2 * ring);
                    (ring, used) = (2 * ring, 0);
                    assert_eq!(shared.len(epoch), ring);
                }
            }
            assert_eq!(ring, most, "{members}");
        }
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use crate::sync::yield_now;
    use loom::sync::Arc;

    /// Each of two members uses its ring so that it doubles it as soon as it may. After each barrier a member finds the length that
    /// the other one has used.
    #[test]
    fn loom_writers_and_readers_find_the_same_length() {
        const EPOCHS: usize = 4;
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(2);
        builder.check(|| {
            let words = || std::array::from_fn(|_| AtomicU64::new(0));
            let lengths: [[AtomicU64; EPOCHS]; 2] = [words(), words()];
            let arrivals: [AtomicU64; 2] = std::array::from_fn(|_| AtomicU64::new(0));
            let shared = Arc::new((SharedRing::default(), lengths, arrivals));
            let run = |shared: &(SharedRing, [[AtomicU64; EPOCHS]; 2], [AtomicU64; 2]),
                       me: usize| {
                let (ring, lengths, arrivals) = shared;
                let mine = RingUse::new(2, 1 << 20);
                for epoch in 1..=EPOCHS as u64 {
                    mine.note(ring, epoch, 1 << 30);
                    let used = ring.len(epoch) as u64;
                    lengths[me][epoch as usize - 1].store(used, Ordering::Relaxed);
                    arrivals[me].store(epoch, Ordering::Release);
                    while arrivals[1 - me].load(Ordering::Acquire) < epoch {
                        yield_now();
                    }
                    let its = lengths[1 - me][epoch as usize - 1].load(Ordering::Relaxed);
                    assert_eq!(its, ring.len(epoch) as u64);
                }
            };
            let other = {
                let shared = shared.clone();
                loom::thread::spawn(move || run(&shared, 1))
            };
            run(&shared, 0);
            other.join().unwrap();
            assert!(shared.0.len(9) > FIRST_RING);
        });
    }
}
