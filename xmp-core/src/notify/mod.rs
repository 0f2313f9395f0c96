//! Notifications: counters in an image's segment that exactly one other image writes, and the packet
//! channels between images that are built from them. Read `README.md` beside this file.

mod channel;
mod ring;

pub use channel::{Incoming, Outgoing, drive, exchange};

use crate::sync::{AtomicU64, Padded};

/// Bytes of a packet.
pub const PACKET: usize = 8192;
/// Bytes of a ring.
pub const RING: u64 = ring::PACKETS * PACKET as u64;

/// What one image notifies another of. Lies in the segment of the notified image, one for each
/// notifying image; zeroed memory is valid. Each field has a single writer, the notifying image.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Pair {
    /// Number of SYNC IMAGES executed towards the notified image.
    pub sync: Padded<AtomicU64>,
    /// Number of packets written into the ring of the notified image.
    pub sent: Padded<AtomicU64>,
    /// Number of packets that the notifying image has taken out of its own ring from the notified one.
    pub taken: Padded<AtomicU64>,
}
