//! Notifications: counters in an image's segment that exactly one other image writes, and the packet channels between
//! images that are built from them. Read `README.md` beside this file.

mod channel;
mod label;
mod link;
#[cfg(all(test, loom))]
mod model;
mod rendezvous;
mod ring;

pub use channel::{Gone, Incoming, Outgoing, drive, let_come, let_go};
pub use label::Label;
pub use link::{Lane, Link, PeerLinks};

use crate::sync::{AtomicU64, Padded};

/// Most bytes of data in a packet.
pub const PACKET: usize = 8192;
/// Most bytes of header in a packet.
pub const HEADER: usize = 56;
/// Bytes from one slot of a ring to the next: data, header and mark, in whole pairs of cache lines.
const SLOT: u64 = (PACKET + HEADER + size_of::<u64>()).next_multiple_of(128) as u64;

/// Packets of a ring. `far`: the job runs on hosts that share no memory.
pub const fn packets(far: bool) -> u64 {
    if far { ring::FAR_PACKETS } else { ring::PACKETS }
}

/// Bytes of the ring of one lane, of `packets` packets.
const fn ring_len(packets: u64) -> u64 {
    packets * SLOT
}

/// Bytes of the rings that an image keeps for each image of the job, one for each lane.
pub const fn rings_len(packets: u64) -> u64 {
    Lane::ALL.len() as u64 * ring_len(packets)
}

/// The counters by which one image notifies another. They lie in the segment of the notified image, one `Pair` for each
/// notifying image; zeroed memory is valid. Each field has a single writer, the notifying image.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Pair {
    /// Number of SYNC IMAGES executed towards the notified image.
    pub sync: Padded<AtomicU64>,
    /// The packet channels in both directions, by [`Lane`].
    lanes: [Counters; Lane::ALL.len()],
}

/// The counters about the packets of one lane.
#[repr(C)]
#[derive(Debug, Default)]
struct Counters {
    /// Number of packets written into the ring of the notified image; not used where packets announce themselves.
    sent: Padded<AtomicU64>,
    /// Number of packets that the notifying image has taken out of its own ring from the notified one.
    taken: Padded<AtomicU64>,
    /// What the notifying image is ready to receive from the notified one; the user of the lane defines the meaning of
    /// the number.
    ready: Padded<AtomicU64>,
}
