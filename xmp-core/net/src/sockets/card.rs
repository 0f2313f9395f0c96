//! What a leader tells those who connect to it, and how both know each other by that.

use super::addresses;
use crate::rank::Rank;
use std::net::IpAddr;

/// The secret of a leader.
const SECRET: usize = 16;
/// Bytes of a greeting and of its answer: the leader's secret, and who sends it.
pub(super) const GREETING: usize = SECRET + 4;

/// What a leader tells the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Card {
    /// Where it listens; 0: it does not.
    pub port: u16,
    pub secret: [u8; SECRET],
    pub addresses: Vec<IpAddr>,
}

impl Card {
    /// Bytes of a card.
    pub const BYTES: usize = 2 + SECRET + addresses::LIST;

    /// As bytes.
    pub fn to_bytes(&self) -> [u8; Card::BYTES] {
        let mut bytes = [0; Card::BYTES];
        bytes[..2].copy_from_slice(&self.port.to_le_bytes());
        bytes[2..][..SECRET].copy_from_slice(&self.secret);
        bytes[2 + SECRET..].copy_from_slice(&addresses::to_bytes(&self.addresses));
        bytes
    }

    /// The card that these bytes are.
    pub fn from_bytes(bytes: &[u8]) -> Card {
        Card {
            port: u16::from_le_bytes(bytes[..2].try_into().expect("two bytes")),
            secret: bytes[2..][..SECRET].try_into().expect("as many bytes"),
            addresses: addresses::from_bytes(&bytes[2 + SECRET..]),
        }
    }

    /// The greeting for this leader, or its answer.
    pub fn greeting(&self, sender: Rank) -> [u8; GREETING] {
        let mut bytes = [0; GREETING];
        bytes[..SECRET].copy_from_slice(&self.secret);
        bytes[SECRET..].copy_from_slice(&sender.get().to_le_bytes());
        bytes
    }

    /// The image that has sent a greeting for this leader, or its answer; `None` if the sender is no process of this job.
    pub fn sender(&self, greeting: &[u8; GREETING]) -> Option<Rank> {
        let (secret, rank) = greeting.split_at(SECRET);
        let rank = u32::from_le_bytes(rank.try_into().expect("four bytes"));
        (secret == self.secret).then_some(Rank::new(rank))
    }
}
