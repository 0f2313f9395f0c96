//! Notifications: counters in an image's segment that exactly one other image writes, and the packet
//! channels between hosts that are built from them. Read `README.md` beside this file.

mod channel;

pub use channel::{Inbound, Outbound, PACKET, PACKETS, RING};

use crate::sync::{AtomicU64, Padded};

/// What one image notifies another of. Lies in the segment of the notified image, one for each
/// notifying image; zeroed memory is valid. Each field has a single writer, the notifying image.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Pair {
    /// Number of SYNC IMAGES executed towards the notified image.
    pub sync: Padded<AtomicU64>,
    /// Number of packets written into the ring of the notified image.
    pub sent: Padded<AtomicU64>,
    /// Number of packets that the notifying image has taken out of *its* ring from the notified one.
    pub taken: Padded<AtomicU64>,
}
