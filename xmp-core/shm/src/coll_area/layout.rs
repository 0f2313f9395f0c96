//! The parts of a collective area and their offsets.

pub use crate::machine::STAGING;

use super::staging::SharedRing;
use super::windows::WINDOW;
use crate::sync::{AtomicU32, AtomicU64, Padded};

/// Bytes of data in a slot: the rest of the cache line that holds the epoch. (No model accesses them, and each atomic takes it time.)
pub const SLOT_DATA: usize = if cfg!(loom) { 8 } else { 56 };
/// Most rounds of a dissemination barrier (2^16 members; a model has few, because its threads have short stacks).
pub const MAX_ROUNDS: usize = if cfg!(loom) { 2 } else { 16 };

/// Words of a group: of all members of an area, or of one of its groups (`grouped`). Zeroed memory is valid.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Node {
    /// Arrivals of the members (`central`).
    pub arrivals: Padded<Arrivals>,
    /// Epochs completed, and how many members may be asleep.
    pub release: Padded<Release>,
}

/// The words that members write when they arrive.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Arrivals {
    /// Arrivals of all members in all epochs.
    pub count: AtomicU64,
    /// The sum of the numbers of the members' calls in this epoch; the last arrival clears it.
    pub calls: AtomicU64,
}

/// The words for which members of a group wait.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Release {
    /// Epochs completed (`central`, `grouped`).
    pub epochs: AtomicU64,
    /// The last epoch in which the members did not call the same (`central`, `grouped`).
    pub differs: AtomicU64,
    /// Members that sleep or are about to: the gate of `wait/README.md`. That of node 0 serves all barrier algorithms
    /// but `grouped`, in which each node has its own.
    pub sleepers: AtomicU32,
}

/// A word that announces an epoch or a ring exchange: the lower half of its number, and above it the number of the member's call.
#[inline(always)]
pub fn announcement(number: u64, call: u32) -> u64 {
    number & u64::from(u32::MAX) | u64::from(call) << 32
}

/// Whether a word announces the epoch or ring exchange of this number. Other words in its place have a number that is less by fewer
/// than 2^32, because ring exchanges remove older ones (`MemberExchange::forget_old_lines`).
#[inline(always)]
pub fn announces(word: u64, number: u64) -> bool {
    word as u32 == number as u32
}

/// The number of the call of a member that has announced an epoch or a ring exchange.
#[inline(always)]
pub fn call_of(word: u64) -> u32 {
    (word >> 32) as u32
}

/// A member's cache line: the announcement of the epoch, or of the ring exchange, and its data.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Slot {
    /// The [`announcement`] of the epoch, or of the ring exchange, to which the data belongs; `central` writes none.
    pub epoch: AtomicU64,
    /// The data; written by the member only, as plain bytes.
    pub data: [AtomicU64; SLOT_DATA / 8],
}

/// One member's part of an area.
#[repr(C)]
#[derive(Debug)]
pub struct Member {
    /// Slots of even and odd epochs, on separate pairs of lines.
    pub slots: [Padded<Slot>; 2],
    /// Flags in even and odd epochs: announcements. In `dissemination` each is of a round and written by the partner of that
    /// round only, in `grouped` of a depth and written by the member itself.
    pub flags: [[Padded<AtomicU64>; MAX_ROUNDS]; 2],
    /// Number of the last access epoch that this member has ended; the greatest number once it will begin no other. Only this member
    /// writes it.
    pub accessed: Padded<AtomicU64>,
    /// The descriptions of this member's calls in even and odd epochs, as plain bytes, which others read only when calls differ.
    pub descriptions: [Padded<[AtomicU64; DESCRIPTION / 8]>; 2],
    /// The flows that this member gave before even and odd epochs, which others read only when calls or flows differ.
    pub flows: [Padded<Flows>; 2],
}

/// The flows of a member in its ring exchanges before the barrier of an epoch. Written only in epochs before which the member has
/// exchanged.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Flows {
    /// The epoch.
    pub epoch: AtomicU64,
    /// The hash of the flows since the barrier before.
    pub hash: AtomicU64,
    /// The number of the last exchange before that barrier.
    pub before: AtomicU64,
    /// The number of the last exchange.
    pub last: AtomicU64,
}

/// Bytes of the description of a call. (As for [`SLOT_DATA`], a model has few.)
pub const DESCRIPTION: usize = if cfg!(loom) { 8 } else { 64 };

/// Lines of a ring: the most ring exchanges that a producer may be ahead.
pub const RING: usize = if cfg!(loom) { 2 } else { 64 };

/// The lines that one member produces in ring exchanges, and its count of completed ones. Zeroed memory is valid.
#[repr(C)]
#[derive(Debug)]
pub struct Ring {
    /// Ring exchanges that this member has completed; written by it only.
    pub done: Padded<AtomicU64>,
    /// The lines, each with the number of its operation.
    pub lines: [Slot; RING],
}

/// Most bytes of a *piece*: data of a ring exchange that are too long for its line.
pub const MAX_PIECE: usize = 8 * 1024;
/// Places for the pieces of a member. More than the lines of a ring, so that a place has left the cache of its last readers
/// when it is written again (measured, 2 cores of an Intel Xeon, 8 KiB broadcast again and again: 2 places 1.19 us, 32
/// places 0.74, 64 places 0.49, 256 places 0.43).
const PIECES: usize = 2 * RING;
/// The sizes of places; those of the longest come first in memory. Shorter pieces have places of their own, so that they touch
/// less memory: 128 of 512 bytes are in 16 pages.
/// (Measured, 2 images, pieces of 2, 8 and 16 KiB: places of 512 B, 2 and 8 KiB take 1.15 of the time of places of 8 KiB, and pieces of
/// 1 KiB in places of 1 KiB twice the time.)
const PIECE_SIZES: [usize; PIECE_CLASSES] = [512, MAX_PIECE];
/// The number of sizes.
pub const PIECE_CLASSES: usize = 2;
/// Bytes of all these places.
pub const PIECES_LEN: usize = PiecePlace::first(0) + PIECES * PIECE_SIZES[0];

/// The place of a piece in its member's memory for pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PiecePlace {
    /// Which of the sizes the place has.
    pub class: usize,
    /// Its offset from the first place of this size.
    pub at: usize,
}

impl PiecePlace {
    /// The place of the `len` bytes of a ring exchange. The exchange that used the place before also used the same line, or an
    /// earlier one did: so the place is free when the line is.
    #[inline(always)]
    pub fn of(number: u64, len: usize) -> PiecePlace {
        debug_assert!(len <= MAX_PIECE);
        let class = PIECE_SIZES[..PIECE_CLASSES - 1].iter().filter(|&&size| size < len).count();
        PiecePlace { class, at: number as usize % PIECES * PIECE_SIZES[class] }
    }

    /// The offset of the first place of a size: the longest places come first.
    const fn first(class: usize) -> usize {
        let (mut offset, mut longer) = (0, class + 1);
        while longer < PIECE_CLASSES {
            offset += PIECES * PIECE_SIZES[longer];
            longer += 1;
        }
        offset
    }

    /// The offset of the place.
    #[inline(always)]
    pub fn offset(self) -> usize {
        const FIRST: [usize; PIECE_CLASSES] = [PiecePlace::first(0), PiecePlace::first(1)];
        FIRST[self.class] + self.at
    }

    /// Bytes of all places of its size.
    pub fn all(self) -> usize {
        PIECES * PIECE_SIZES[self.class]
    }
}

/// Nodes of an area of `members`: that of all, and the most that groups within can have.
pub const fn nodes(members: usize) -> usize {
    if members > 2 { members - 1 } else { 1 }
}

/// Offset of the nodes in an area; the length of the staging rings is before.
pub const NODES_OFFSET: usize = size_of::<Padded<SharedRing>>();

/// Offset of the member lines in an area of `members`; its nodes are before.
pub const fn members_offset(members: usize) -> usize {
    NODES_OFFSET + nodes(members) * size_of::<Node>()
}

/// Offset of the rings in an area of `members`.
pub const fn rings_offset(members: usize) -> usize {
    members_offset(members) + members * size_of::<Member>()
}

/// Offset of the staging buffers in an area of `members`; they begin with a window.
pub const fn staging_offset(members: usize) -> usize {
    (rings_offset(members) + members * size_of::<Ring>()).next_multiple_of(WINDOW)
}

/// Offset of the pieces in an area of `members`.
pub const fn pieces_offset(members: usize) -> usize {
    staging_offset(members) + members * 2 * STAGING
}

/// Length of an area of `members`.
pub const fn area_len(members: usize) -> usize {
    pieces_offset(members) + members * PIECES_LEN
}

/// Bytes below which a piece of staging has a few places only, so that little memory is touched.
pub const LARGE_PIECE: usize = 4 * 1024;
/// The places of such a piece.
const FEW_PLACES: usize = 8;

/// The part of a staging buffer that larger pieces use at most where images share cores. The images that share a core clear its
/// caches anyway, and touching new memory costs (measured, 4 images on 2 cores, allreduce of 8 and 16 KiB: 8 places are
/// as good as 64).
pub const CROWDED_RING: usize = STAGING / 4;

/// Offset in a staging buffer of the `len` bytes of an epoch. The place advances from epoch to epoch, so that it has
/// left the caches of its last readers when it is written again. `ring`: the part of the buffer that larger pieces use.
#[inline]
pub fn staging_at(epoch: u64, len: usize, ring: usize) -> usize {
    debug_assert!(len <= STAGING);
    let piece = len.next_power_of_two().max(1024);
    let places = if piece < LARGE_PIECE {
        FEW_PLACES
    } else {
        // Two at least, where two fit.
        (ring / piece).max(2).min(STAGING / piece)
    };
    (epoch / 2) as usize % places * piece
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_piece_is_free_when_the_line_is() {
        let lens = [57, 512, 513, 1024, 1025, 2048, 2049, MAX_PIECE];
        let range = |number, len| {
            let offset = PiecePlace::of(number, len).offset();
            offset..offset + len
        };
        for number in 0..1000 {
            for len in lens {
                assert!(range(number, len).end <= PIECES_LEN);
                // Between two exchanges that share bytes of a place are all lines of the ring.
                for other in lens {
                    let overlaps = |&next: &u64| {
                        let (own, other) = (range(number, len), range(next, other));
                        own.start < other.end && other.start < own.end
                    };
                    let next = (number + 1..number + 1 + PIECES as u64).find(overlaps);
                    let distance = next.map_or(RING as u64, |next| next - number);
                    assert!(distance.is_multiple_of(RING as u64));
                }
            }
        }
        assert!(PIECES_LEN.is_multiple_of(WINDOW));
    }

    #[test]
    fn staging_pieces_stay_in_the_buffer_and_move() {
        for len in [1, 100, 1024, 1025, 16 << 10, 100_000, STAGING / 2, STAGING] {
            let rings = [STAGING, CROWDED_RING, 64 << 10];
            for (epoch, ring) in (0..5000).flat_map(|epoch| rings.map(|ring| (epoch, ring))) {
                let at = staging_at(epoch, len, ring);
                assert!(at + len <= STAGING && at.is_multiple_of(64));
                if len <= STAGING / 2 {
                    assert_ne!(at, staging_at(epoch + 2, len, ring));
                }
            }
        }
    }
}
