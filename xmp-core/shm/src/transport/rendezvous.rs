//! Rendezvous: long messages between two images without puts into segments.

use crate::error::Result;
use crate::rank::Rank;

/// An operation that was started; the network alone knows what the number means. It is over, and the number may come
/// again, once the network has reported its completion or failure, or it was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op(pub u64);

/// Messages between two images that both wait for them. Of messages with the same label, the n-th that one image sends
/// is the n-th that the other receives.
pub trait Rendezvous {
    /// Begins to send to an image that has begun to receive, or will before it waits for anything else. The bytes may leave with the
    /// packet that the caller posts next to that image, or else when the caller asks whether the operation is over.
    ///
    /// # Errors
    /// When the fabric fails.
    ///
    /// # Safety
    /// The bytes are valid and unchanged until the operation is over.
    unsafe fn send(&self, to: Rank, label: u16, bytes: *const [u8]) -> Result<Op>;

    /// Begins to receive.
    ///
    /// # Errors
    /// When the fabric fails.
    ///
    /// # Safety
    /// The bytes are valid, and no other code accesses them, until the operation is over.
    unsafe fn receive(&self, from: Rank, label: u16, bytes: *mut [u8]) -> Result<Op>;

    /// Whether the operation is over. It is also over after an error.
    ///
    /// # Errors
    /// When the fabric fails, or the message was longer than its room.
    fn is_over(&self, op: Op) -> Result<bool>;

    /// Gives up an operation whose partner has ended.
    fn give_up(&self, op: Op);
}

xmp_map::debug_by_name!(Rendezvous);
