//! What a board consists of and where its parts lie.

use crate::sync::{AtomicU32, AtomicU64, Padded};

/// Bytes of data in a slot: what shares the cache line with the step number.
pub const SLOT_DATA: usize = 56;
/// Bytes of one staging buffer.
pub const STAGING: usize = 256 * 1024;
/// Most rounds of a dissemination step (2^16 members).
pub const ROUNDS: usize = 16;

/// Step counters that all members share. Zeroed memory is valid.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Head {
    /// Arrivals of all members in all steps (`central`).
    pub arrivals: Padded<AtomicU64>,
    /// Steps completed (`central`), and how many members may be asleep.
    pub release: Padded<Release>,
}

/// What members of a board wait for.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Release {
    /// Steps completed (`central`).
    pub steps: AtomicU64,
    /// Members that sleep or are about to: the gate of `wait/README.md`; all kinds of step.
    pub sleepers: AtomicU32,
}

/// A member's cache line: the number of the step and its data.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Slot {
    /// Step for which the data is (`flat`).
    pub step: AtomicU64,
    /// The data; written by the member only, as plain bytes between two steps.
    pub data: [AtomicU64; SLOT_DATA / 8],
}

/// One member's part of a board.
#[repr(C)]
#[derive(Debug)]
pub struct Member {
    /// Slots of even and odd steps, on separate pairs of lines.
    pub slots: [Padded<Slot>; 2],
    /// Flag of each dissemination round; written by the partner of that round only.
    pub flags: [Padded<AtomicU64>; ROUNDS],
}

/// Offset of the staging buffers in a board of `members`; they are page-aligned.
pub const fn staging_offset(members: usize) -> usize {
    (size_of::<Head>() + members * size_of::<Member>()).next_multiple_of(4096)
}

/// Length of a board of `members`.
pub const fn board_len(members: usize) -> usize {
    staging_offset(members) + members * 2 * STAGING
}
