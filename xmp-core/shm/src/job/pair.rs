//! The notification memory of a segment: for each other image a count of synchronisations, and for each lane of packets
//! the counters of a channel and a ring.

use crate::sync::{AtomicU64, Padded};

/// Packets in a ring.
pub const PACKETS: u64 = 4;

/// Packets in a ring of a job on hosts that share no memory, also a power of two: notifications that packets have been
/// taken take longer than sending a few packets.
const REMOTE_PACKETS: u64 = 32;

/// Most bytes of data in a packet.
pub const PACKET: usize = 8192;
/// Most bytes of header in a packet.
pub const HEADER: usize = 56;
/// Bytes from one slot of a ring to the next: data, header and mark, in whole pairs of cache lines.
pub const SLOT: u64 = (PACKET + HEADER + size_of::<u64>()).next_multiple_of(128) as u64;

/// Packets of a ring. `remote`: the job runs on hosts that share no memory.
pub const fn packets(remote: bool) -> u64 {
    if remote { REMOTE_PACKETS } else { PACKETS }
}

/// Bytes of the ring of one lane, of `packets` packets.
pub const fn ring_len(packets: u64) -> u64 {
    packets * SLOT
}

/// Bytes of the rings that an image keeps for each image of the job, one for each lane.
pub const fn rings_len(packets: u64) -> u64 {
    Lane::ALL.len() as u64 * ring_len(packets)
}

/// Channels between two images that do not wait for one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Messages of operations that all partners execute now; matched by their order.
    Messages,
    /// Packets of operations that progress while images do something else; matched by their headers.
    Background,
}

impl Lane {
    /// All lanes, in the order of their memory.
    pub const ALL: [Lane; 2] = [Lane::Messages, Lane::Background];
}

/// The counters by which one image notifies another. They are in the segment of the notified image, one `Pair` for each
/// notifying image; zeroed memory is valid. Each field has a single writer, the notifying image.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Pair {
    /// Number of SYNC IMAGES executed towards the notified image.
    pub sync: Padded<AtomicU64>,
    /// The packet channels in both directions, by [`Lane`].
    pub lanes: [Counters; Lane::ALL.len()],
}

/// The counters about the packets of one lane.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Counters {
    /// Number of packets written into the ring of the notified image; not used where packets announce themselves.
    pub sent: Padded<AtomicU64>,
    /// Number of packets that the notifying image has taken out of its own ring from the notified one.
    pub taken: Padded<AtomicU64>,
    /// What the notifying image is ready to receive from the notified one; the user of the lane defines the meaning of
    /// the number.
    pub ready: Padded<AtomicU64>,
}
