//! The header of a packet: its operation, its message, and its place in the message.

use crate::leaders::CallStatus;
use xmp_core::Rank;
use xmp_core::image_set::Key;
use xmp_core::notify::PACKET;

/// The name of a message on one of its two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The other end.
    pub partner: Rank,
    /// Key of the set whose operation it belongs to.
    pub set: Key,
    /// Number of the operation among the non-blocking ones of that set.
    pub sequence: u32,
    /// Number of the message among those of the operation from its sender to its receiver.
    pub number: u32,
}

/// Number of packets of a message of `len` bytes.
pub fn packets(len: u64) -> u64 {
    len.div_ceil(PACKET as u64).max(1)
}

/// The purpose of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The first packet of a message, sent eagerly.
    Eager,
    /// A packet of a message that the receiver has cleared.
    Data,
    /// The sender asks the receiver to clear a message.
    Request,
    /// The receiver clears a message, whose packets go straight to their place then.
    Clear,
}

/// Bits of a [`Kind`].
const KIND_BITS: u32 = 2;
const KINDS: u64 = (1 << KIND_BITS) - 1;

/// The header of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// See [`Name`].
    pub set: Key,
    /// See [`Name`].
    pub sequence: u32,
    /// See [`Name`].
    pub number: u32,
    /// The purpose of the packet.
    pub kind: Kind,
    /// Number of the packet in its message, from 0.
    pub index: u32,
    /// Bytes of the whole message.
    pub len: u64,
    /// The call status on the sender.
    pub call_status: CallStatus,
    /// What the sender calls: a hash, at most [`Header::CALLS`], or 0.
    pub call: u32,
}

impl Header {
    /// Bytes of a header.
    pub const LEN: usize = 48;
    /// The greatest hash of a call. It is beside the purpose of the packet.
    pub const CALLS: u32 = u32::MAX >> KIND_BITS;

    /// The header of a packet without data, of the message `name`.
    pub fn control(name: &Name, kind: Kind, len: usize) -> Header {
        let Name { set, sequence, number, .. } = *name;
        let call_status = CallStatus::GOOD;
        let (index, len, call) = (0, len as u64, 0);
        Header { set, sequence, number, kind, index, len, call_status, call }
    }

    /// The name of the message on an image whose partner is `partner`.
    pub fn name(&self, partner: Rank) -> Name {
        Name { partner, set: self.set, sequence: self.sequence, number: self.number }
    }

    /// Bytes of data in the packet.
    pub fn bytes(&self) -> usize {
        match self.kind {
            Kind::Eager | Kind::Data => {
                let before = u64::from(self.index) * PACKET as u64;
                self.len.saturating_sub(before).min(PACKET as u64) as usize
            }
            Kind::Request | Kind::Clear => 0,
        }
    }

    /// The bytes of the header.
    pub fn to_bytes(self) -> [u8; Header::LEN] {
        let words = [
            self.set.0[0],
            self.set.0[1],
            u64::from(self.sequence) << 32 | u64::from(self.number),
            u64::from(self.call) << (32 + KIND_BITS)
                | (self.kind as u64) << 32
                | u64::from(self.index),
            self.len,
            self.call_status.to_word(),
        ];
        let mut bytes = [0; Header::LEN];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }

    /// The header with these bytes.
    pub fn from_bytes(bytes: &[u8; Header::LEN]) -> Header {
        let word =
            |at: usize| u64::from_ne_bytes(bytes[8 * at..8 * at + 8].try_into().expect("8 bytes"));
        Header {
            set: Key([word(0), word(1)]),
            sequence: (word(2) >> 32) as u32,
            number: word(2) as u32,
            call: (word(3) >> (32 + KIND_BITS)) as u32,
            kind: match word(3) >> 32 & KINDS {
                0 => Kind::Eager,
                1 => Kind::Data,
                2 => Kind::Request,
                _ => Kind::Clear,
            },
            index: word(3) as u32,
            len: word(4),
            call_status: CallStatus::from_word(word(5)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_survive_as_bytes() {
        for kind in [Kind::Eager, Kind::Data, Kind::Request, Kind::Clear] {
            let mut call_status = CallStatus::GOOD;
            call_status.note(Err(xmp_core::Error::StoppedImage(Rank::new(6)))).unwrap();
            let (set, len) = (Key([u64::MAX - 3, 4]), 1 << 40);
            let header = Header {
                set,
                sequence: 5,
                number: u32::MAX,
                kind,
                index: 7,
                len,
                call_status,
                call: Header::CALLS - 1,
            };
            assert_eq!(Header::from_bytes(&header.to_bytes()), header);
        }
    }

    #[test]
    fn the_last_packet_holds_the_rest() {
        let name = Name { partner: Rank::new(0), set: Key([1, 1]), sequence: 2, number: 3 };
        let bytes =
            |len, kind, index| Header { index, ..Header::control(&name, kind, len) }.bytes();
        assert_eq!(bytes(0, Kind::Eager, 0), 0);
        assert_eq!(bytes(PACKET + 5, Kind::Eager, 0), PACKET);
        assert_eq!(bytes(PACKET + 5, Kind::Data, 1), 5);
        assert_eq!(bytes(PACKET + 5, Kind::Data, 2), 0);
        assert_eq!(bytes(PACKET + 5, Kind::Request, 0), 0);
    }
}
