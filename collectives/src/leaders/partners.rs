//! Whom an image has already exchanged messages with in an operation.

use smallvec::SmallVec;
use xmp_core::settings::Techniques;
use xmp_core::{Image, Rank};

/// The partners of one operation. Without double buffering the first message between two of them waits until the
/// receiver has come to it, as with buffers that the operation before may still be using (UHCAF, IV-C); with
/// it, the credits of the channel say all that must be known, and there is nothing to remember.
#[derive(Debug)]
pub struct Partners {
    synchronise: bool,
    sent_to: SmallVec<[Rank; 16]>,
    received_from: SmallVec<[Rank; 16]>,
}

impl Partners {
    /// At the beginning of an operation.
    #[inline]
    pub fn new(image: &Image) -> Partners {
        let synchronise = !image.techniques().has(Techniques::DOUBLE_BUFFERING);
        Partners { synchronise, sent_to: SmallVec::new(), received_from: SmallVec::new() }
    }

    /// Whether the message that is now sent to `partner` must wait until it is ready.
    #[inline]
    pub fn first_sent_to(&mut self, partner: Rank) -> bool {
        self.synchronise && is_new(&mut self.sent_to, partner)
    }

    /// Whether `partner` must be told that this image is ready for the message that it expects now.
    #[inline]
    pub fn first_received_from(&mut self, partner: Rank) -> bool {
        self.synchronise && is_new(&mut self.received_from, partner)
    }
}

fn is_new(known: &mut SmallVec<[Rank; 16]>, partner: Rank) -> bool {
    let new = !known.contains(&partner);
    if new {
        known.push(partner);
    }
    new
}
