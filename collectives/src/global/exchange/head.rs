//! The head of a member's slot in the step of an exchange: what the others must know of what it has for them.
//!
//! | bits of the first word | |
//! |---|---|
//! | 0..4 | [`Way`] |
//! | 4..32 | of [`Way::Slot`] where the part of each of 7 members begins, in units of 4 bytes |
//! | 32..48 | bits of the hash of the plan |
//! | 48..64 | [`MARK`] |
//!
//! The slot of a member that executes another collective has whatever that writes there. The mark tells such slots
//! apart. Read as a double, a word with it is a signalling NaN, which no arithmetic gives; it is no address and no
//! small integer either.

use crate::host::Host;
use xmp_core::coll_area::SLOT_DATA;
use xmp_core::{Error, Rank};

/// Bytes of the first word.
pub const LEN: usize = size_of::<u64>();
/// Bytes of a slot for packed elements, behind the first word.
pub const IN_SLOT: usize = SLOT_DATA - LEN;
/// Members whose parts in a slot can be told apart.
pub const SLOT_MEMBERS: usize = 7;

/// The upper bits of the first word.
const MARK: u64 = 0x7ff3;
/// Bits of an offset, and its unit in bytes.
const OFFSET_BITS: usize = 4;
const UNIT: usize = 4;

/// How the others get at what a member has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Way {
    /// Not at all.
    Hidden,
    /// There is nothing.
    Nothing,
    /// In the slot.
    Slot,
    /// In the staging of the step.
    Staged,
    /// In a block of the segment.
    Apart,
    /// Where it is.
    InPlace,
    /// The member does not execute the operation; the place is that of its reason.
    Refused,
}

impl Way {
    const ALL: [Way; 7] =
        [Way::Hidden, Way::Nothing, Way::Slot, Way::Staged, Way::Apart, Way::InPlace, Way::Refused];
}

/// The first word of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// How the others get at it.
    pub way: Way,
    /// The hash of the plan; 16 bits of it are sent.
    pub mapping: u64,
    /// Of [`Way::Slot`] the packed offsets, else 0.
    pub offsets: u32,
}

impl Head {
    /// The part of a member begins so many bytes behind the first word: a multiple of 4.
    #[inline]
    pub fn set_offset(&mut self, member: usize, bytes: usize) {
        self.offsets |= ((bytes / UNIT) as u32) << (OFFSET_BITS * member);
    }

    /// Where the part of a member begins.
    #[inline]
    pub fn offset(&self, member: usize) -> usize {
        (self.offsets >> (OFFSET_BITS * member) & ((1 << OFFSET_BITS) - 1)) as usize * UNIT
    }

    /// Whether it may be that of a plan with this hash.
    #[inline]
    pub fn is_of(&self, mapping: u64) -> bool {
        self.mapping == mapping & 0xffff
    }

    /// As it is sent.
    #[inline]
    pub fn to_word(self) -> u64 {
        let offsets = u64::from(self.offsets) << 4;
        MARK << 48 | (self.mapping & 0xffff) << 32 | offsets | self.way as u64
    }

    /// From a word that was sent; none if it is not of an exchange.
    #[inline]
    pub fn from_word(word: u64) -> Option<Head> {
        if word >> 48 != MARK {
            return None;
        }
        let way = *Way::ALL.get((word & 0xf) as usize)?;
        let (mapping, offsets) = (word >> 32 & 0xffff, (word as u32) >> 4);
        Some(Head { way, mapping, offsets })
    }
}

/// Where elements lie that are not in the slot: the words behind the first one.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Place {
    /// Address on this host.
    pub address: u64,
    /// Bytes there; not said of [`Way::InPlace`].
    pub room: u64,
    /// The hash of the plan.
    pub mapping: u64,
}

impl Place {
    /// This place, if it is that of a plan with this hash.
    pub fn of(self, mapping: u64) -> Option<Place> {
        (self.mapping == mapping).then_some(self)
    }

    /// Its first byte.
    pub fn start(&self) -> *const u8 {
        std::ptr::with_exposed_provenance(self.address as usize)
    }
}

/// Writes this member's slot of the coming step.
pub fn write(host: &Host<'_>, head: Head, place: Place) {
    let slot = host.area.slot();
    // SAFETY: this member's slot of the coming step: 8-aligned, long enough, no image reads it yet.
    unsafe {
        slot.cast::<u64>().write(head.to_word());
        slot.add(LEN).cast::<Place>().write(place);
    }
}

/// The head of a member's slot in the last step; none if it executes another operation.
#[inline]
pub fn read(host: &Host<'_>, member: usize) -> Option<Head> {
    Head::from_word(word(host, member))
}

/// The first word of a member's slot in the last step.
#[inline]
fn word(host: &Host<'_>, member: usize) -> u64 {
    // SAFETY: written before the last step, not written again before the next.
    unsafe { host.area.slot_of(member).cast::<u64>().read() }
}

/// The ways of all members in the last step; none if one of them executes another operation.
#[inline]
pub fn ways(host: &Host<'_>) -> Option<Ways> {
    let mut ways = Ways(0);
    for member in 0..host.members() {
        ways.add(word(host, member))?;
    }
    Some(ways)
}

/// Several ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ways(u32);

impl Ways {
    /// Adds that of a word that was sent; none if it is not of an exchange.
    #[inline]
    fn add(&mut self, word: u64) -> Option<()> {
        let way = (word & 0xf) as usize;
        (word >> 48 == MARK && way < Way::ALL.len()).then(|| self.0 |= 1 << way)
    }

    /// Whether this one is among them.
    #[inline]
    pub fn has(self, way: Way) -> bool {
        self.0 & 1 << way as u32 != 0
    }
}

/// Where a member said in the last step that its elements lie, if its way is not [`Way::Slot`].
pub fn place(host: &Host<'_>, member: usize) -> Place {
    // SAFETY: as in `read`.
    unsafe { host.area.slot_of(member).add(LEN).cast::<Place>().read() }
}

/// The error of an operation when another image executes another one.
#[cold]
pub fn executes_another(name: &str, image: Rank) -> Error {
    Error::Invalid(format!(
        "{name}: {image} executes another operation; with XMP_CHECK=1 the message names it"
    ))
}

/// The error of an operation when another image gives other arguments.
#[cold]
pub fn differs(name: &str, image: Rank) -> Error {
    Error::Invalid(format!(
        "{name}: {image} executes it with other arrays, or with other parts of them"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_survives_as_a_word() {
        for way in Way::ALL {
            let mut head = Head { way, mapping: 0xabcd, offsets: 0 };
            (0..SLOT_MEMBERS).for_each(|member| head.set_offset(member, member * 8));
            assert_eq!(Head::from_word(head.to_word()), Some(head));
            (0..SLOT_MEMBERS).for_each(|member| assert_eq!(head.offset(member), member * 8));
            assert!(head.is_of(0x1234_abcd) && !head.is_of(0xabce));
        }
    }

    #[test]
    fn what_other_operations_write_is_no_head() {
        let doubles = [0.0, -1.0, 1.5, f64::MAX, f64::INFINITY, f64::NAN].map(f64::to_bits);
        let words = [0, 64, 192, u64::MAX, 0x7f12_3456_7890, 1 << 32 | 3];
        for word in doubles.into_iter().chain(words) {
            assert_eq!(Head::from_word(word), None, "{word:#x}");
        }
        let mut ways = Ways(0);
        for way in [Way::Slot, Way::Refused] {
            let head = Head { way, mapping: 0, offsets: 0 };
            assert_eq!(ways.add(head.to_word()), Some(()));
        }
        assert_eq!((ways.has(Way::Refused), ways.has(Way::Hidden)), (true, false));
        assert_eq!(ways.add(192), None);
        // A way that does not exist.
        assert_eq!(Head::from_word(MARK << 48 | 0xf), None);
    }
}
