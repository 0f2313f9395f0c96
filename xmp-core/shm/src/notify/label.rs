//! The label that all messages of one operation carry.

use crate::endpoint::Endpoint;
use crate::image_group::ImageGroup;
use crate::sync::Ordering;

/// The bits that count synchronisations.
const COUNT: u64 = (1 << 24) - 1;
/// Bytes of a label.
pub const LABEL: usize = size_of::<Label>();

/// The set of an operation (40 bits), and the number of synchronisations of all images before it (24 bits). The same on
/// all images that execute the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(u64);

impl Label {
    /// The label of the operation of `set` that this image executes now.
    #[inline]
    pub fn of(image: &Endpoint, set: &ImageGroup) -> Label {
        let [first, second] = set.key().0;
        // Relaxed: only this image counts.
        let count = u64::from(image.entry().arrivals.load(Ordering::Relaxed));
        Label((first ^ second.rotate_left(32)) & !COUNT | count & COUNT)
    }

    /// Whether `other` is an operation of the same set, behind a synchronisation of all images that is ahead of this
    /// operation.
    pub fn is_before(self, other: Label) -> bool {
        let ahead = other.0.wrapping_sub(self.0) & COUNT;
        (self.0 ^ other.0) & !COUNT == 0 && (1..=COUNT / 2).contains(&ahead)
    }

    /// The bytes of this label.
    pub fn to_bytes(self) -> [u8; LABEL] {
        self.0.to_ne_bytes()
    }

    /// The label of these bytes.
    pub fn from_bytes(bytes: [u8; LABEL]) -> Label {
        Label(u64::from_ne_bytes(bytes))
    }

    /// A word that identifies this operation and this packet between two images; no other pair has the same word.
    pub fn with_packet(self, packet: u64) -> u64 {
        mixed(self.0, packet)
    }

    /// A short number, the same for the same label.
    pub fn short(self) -> u16 {
        mixed(self.0, 0) as u16
    }
}

/// SplitMix64's finalizer, a bijection of the first for each second.
fn mixed(x: u64, y: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(y);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_later_label_must_be_of_the_same_set() {
        let of = |set: u64, count: u64| Label(set << 24 | count & COUNT);
        for (mine, other, expected) in [
            (of(5, 7), of(5, 8), true),
            (of(5, 7), of(5, 7), false),
            (of(5, 7), of(5, 6), false),
            (of(5, 7), of(6, 8), false),
            (of(5, COUNT), of(5, COUNT + 1), true),
            (of(5, 0), of(5, COUNT), false),
        ] {
            assert_eq!(mine.is_before(other), expected, "{mine:?} {other:?}");
        }
    }
}
