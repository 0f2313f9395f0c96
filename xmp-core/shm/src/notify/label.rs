//! The label that all messages of one operation carry.

use crate::endpoint::Endpoint;
use crate::failure::refusals::CallId;
use crate::hash::{mixed, mixed_with};
use crate::image_group::ImageGroup;
use crate::sync::Ordering;

/// The bits that count synchronisations.
const COUNT: u64 = (1 << 24) - 1;
/// The bits after them that tell calls which can be refused from one another, and from other operations.
const CALL: u64 = 0xff << 24;
/// The call of barriers over hosts.
const BARRIER: u64 = CALL;
/// The bits of [`Label::with_packet`] for the call.
const CALL_HASH: u64 = (1 << 24) - 1;
/// Bytes of a label.
pub const LABEL: usize = size_of::<Label>();

/// The set of an operation (32 bits), which call of the set it is (8 bits; 0 where no image can refuse it), and the number of
/// synchronisations of all images before it (24 bits). The same on all images that execute the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(u64);

impl Label {
    /// The label of the operation of `set` that this image executes now.
    #[inline]
    pub fn of(image: &Endpoint, set: &ImageGroup) -> Label {
        let [first, second] = set.key().0;
        // Relaxed: only this image counts.
        let count = u64::from(image.entry().arrivals.load(Ordering::Relaxed));
        Label((first ^ second.rotate_left(32)) & !(CALL | COUNT) | count & COUNT)
    }

    /// The label of a call that an image can refuse. So what is left of a refused call is not taken for the next one.
    #[inline]
    pub fn of_call(self, call: CallId) -> Label {
        let number = u64::from(call.number() % 0xfe) + 1;
        Label(self.0 & !CALL | number << CALL.trailing_zeros())
    }

    /// The label of a barrier over hosts. So what is left of operations whose images differed is not taken for a part of the barrier,
    /// nor the barrier for a part of them.
    #[must_use]
    pub fn of_barrier(self) -> Label {
        Label(self.0 | BARRIER)
    }

    /// The label after this number of differences between the images of the set. So what is left of the operations before is
    /// dropped.
    #[must_use]
    pub fn behind_differences(self, differences: u32) -> Label {
        Label(self.0 ^ u64::from(differences.wrapping_mul(0x9e37_79b9)) << 32)
    }

    /// Whether `other` is an operation of the same set, after a synchronisation of all images that is ahead of this
    /// operation, or the next barrier of the set.
    pub fn is_before(self, other: Label) -> bool {
        let ahead = other.0.wrapping_sub(self.0) & COUNT;
        let is_barrier = ahead == 0 && other.0 & CALL == BARRIER && self.0 & CALL != BARRIER;
        (self.0 ^ other.0) & !(CALL | COUNT) == 0
            && (is_barrier || (1..=COUNT / 2).contains(&ahead))
    }

    /// The bytes of this label.
    pub fn to_bytes(self) -> [u8; LABEL] {
        self.0.to_ne_bytes()
    }

    /// The label of these bytes.
    pub fn from_bytes(bytes: [u8; LABEL]) -> Label {
        Label(u64::from_ne_bytes(bytes))
    }

    /// A word that identifies this operation and this packet between two images, with a hash of the word of the call in its lowest
    /// bits. Another operation and packet have the same upper bits by chance only, one in 2^40.
    pub fn with_packet(self, packet: u64, call: u64) -> u64 {
        mixed_with(self.0, packet) & !CALL_HASH | mixed(call) & CALL_HASH
    }

    /// Whether two such words are of one operation and packet.
    pub fn is_same_packet(one: u64, other: u64) -> bool {
        (one ^ other) & !CALL_HASH == 0
    }

    /// A short number, the same for the same label.
    pub fn short(self) -> u16 {
        mixed(self.0) as u16
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::failure::refusals::Series;
    use crate::image_set::Key;

    #[test]
    fn a_later_label_must_be_of_the_same_set() {
        let of = |set: u64, count: u64| Label(set << 32 | count & COUNT);
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

    #[test]
    fn a_barrier_is_ahead_of_the_operations_before_it() {
        let set = Label(5 << 32 | 7);
        let refusable = set.of_call(CallId::new(Key([1, 2]), Series::Exchange, 0xfe));
        for operation in [set, refusable] {
            assert!(operation.is_before(set.of_barrier()));
            assert!(!set.of_barrier().is_before(operation));
            assert!(!operation.is_before(set.behind_differences(1).of_barrier()));
        }
        assert!(!set.of_barrier().is_before(set.of_barrier()));
        assert_eq!(set.behind_differences(0), set);
    }

    #[test]
    fn calls_of_a_set_have_different_labels() {
        let set = Label(5 << 32 | 7);
        let of = |number| set.of_call(CallId::new(Key([1, 2]), Series::Exchange, number));
        assert!(of(0) != set && of(0) != of(1) && of(254) != of(255));
        let synchronised = Label(set.0 + 1);
        assert!(of(3).is_before(synchronised) && !of(3).is_before(of(4)));
    }
}
