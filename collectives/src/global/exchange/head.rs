//! The head of a member's slot in an exchange: how the others access the elements that the member has for them.
//!
//! | bits of the first word | contents |
//! |---|---|
//! | 0..4 | [`Access`] |
//! | 4..32 | of [`Access::Slot`]: where the part of each of 7 members begins, in units of 4 bytes |
//! | 32..48 | bits of the hash of the plan |
//! | 48..64 | [`MARK`] |
//!
//! The mark distinguishes heads from what other collectives write to their slots. A word with it is a signalling NaN if
//! it is read as a double, which no arithmetic yields, and it is no address and no small integer.

use crate::host::Host;
use xmp_core::coll_area::SLOT_DATA;
use xmp_core::{Error, Rank};

/// Bytes of the first word.
pub const LEN: usize = size_of::<u64>();
/// Bytes of a slot for packed elements, after the first word.
pub const IN_SLOT: usize = SLOT_DATA - LEN;
/// Members whose parts in a slot can be told apart.
pub const SLOT_MEMBERS: usize = 7;

/// The upper bits of the first word.
const MARK: u64 = 0x7ff3;
/// Bits of an offset, and its unit in bytes.
const OFFSET_BITS: usize = 4;
const UNIT: usize = 4;

/// The way in which the others access the elements of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Access {
    /// They cannot.
    Hidden,
    /// There are no elements.
    Empty,
    /// Packed in the slot.
    Slot,
    /// Packed in the staging buffer.
    Staged,
    /// Packed in a block of the segment.
    Block,
    /// In place, in the segment.
    InPlace,
    /// The member refuses the operation; the source is its reason.
    Refused,
}

impl Access {
    const ALL: [Access; 7] = [
        Access::Hidden,
        Access::Empty,
        Access::Slot,
        Access::Staged,
        Access::Block,
        Access::InPlace,
        Access::Refused,
    ];
}

/// The first word of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// How the others access the elements.
    pub access: Access,
    /// The hash of the plan, of which 16 bits are sent.
    pub mapping: u64,
    /// The packed offsets of [`Access::Slot`], otherwise 0.
    pub offsets: u32,
}

impl Head {
    /// Sets the beginning of the part of a member, in bytes after the first word: a multiple of 4.
    #[inline]
    pub fn set_offset(&mut self, member: usize, bytes: usize) {
        self.offsets |= ((bytes / UNIT) as u32) << (OFFSET_BITS * member);
    }

    /// The beginning of the part of a member.
    #[inline]
    pub fn offset(&self, member: usize) -> usize {
        (self.offsets >> (OFFSET_BITS * member) & ((1 << OFFSET_BITS) - 1)) as usize * UNIT
    }

    /// Whether this may be the head of a plan with this hash.
    #[inline]
    pub fn is_of(&self, mapping: u64) -> bool {
        self.mapping == mapping & 0xffff
    }

    /// The word that is sent.
    #[inline]
    pub fn to_word(self) -> u64 {
        let offsets = u64::from(self.offsets) << 4;
        MARK << 48 | (self.mapping & 0xffff) << 32 | offsets | self.access as u64
    }

    /// The head in a word that was sent; `None` if the word is not of an exchange.
    #[inline]
    pub fn from_word(word: u64) -> Option<Head> {
        if word >> 48 != MARK {
            return None;
        }
        let access = *Access::ALL.get((word & 0xf) as usize)?;
        let (mapping, offsets) = (word >> 32 & 0xffff, (word as u32) >> 4);
        Some(Head { access, mapping, offsets })
    }
}

/// The memory of elements that are not in the slot: the words after the first one.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Source {
    /// Address on all images of this host.
    pub address: u64,
    /// Bytes of the memory; undefined for [`Access::InPlace`].
    pub room: u64,
    /// The hash of the plan.
    pub mapping: u64,
}

impl Source {
    /// This source, if it is that of a plan with this hash.
    pub fn of(self, mapping: u64) -> Option<Source> {
        (self.mapping == mapping).then_some(self)
    }

    /// Address of the first byte.
    pub fn start(&self) -> *const u8 {
        std::ptr::with_exposed_provenance(self.address as usize)
    }
}

/// Writes this member's slot, for the members to read after the next barrier.
pub fn write(host: &Host<'_>, head: Head, source: Source) {
    let slot = host.area.slot();
    // SAFETY: this member's slot of the current epoch: 8-aligned, long enough, and not read before the barrier.
    unsafe {
        slot.cast::<u64>().write(head.to_word());
        slot.add(LEN).cast::<Source>().write(source);
    }
}

/// The head that a member wrote before the last barrier; `None` if it executes another operation.
#[inline]
pub fn read(host: &Host<'_>, member: usize) -> Option<Head> {
    Head::from_word(host.posted_word(member))
}

/// The kinds of access of all members; `None` if one of them executes another operation.
#[inline]
pub fn accesses(host: &Host<'_>) -> Option<Accesses> {
    let mut accesses = Accesses::default();
    for member in 0..host.members() {
        accesses.add(host.posted_word(member))?;
    }
    Some(accesses)
}

/// Several kinds of access, and the plans that they belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    kinds: u32,
    /// The first word, and the bits in which any other one differs from it.
    first: u64,
    differences: u64,
}

impl Accesses {
    /// Adds the access of a word that was sent; `None` if the word is not of an exchange.
    #[inline]
    fn add(&mut self, word: u64) -> Option<()> {
        let access = (word & 0xf) as usize;
        if word >> 48 != MARK || access >= Access::ALL.len() {
            return None;
        }
        if self.kinds == 0 {
            self.first = word;
        }
        self.kinds |= 1 << access;
        self.differences |= word ^ self.first;
        Some(())
    }

    /// Tells whether all of them may be of one plan. Members that refuse must not be among them.
    #[inline]
    pub fn are_of_one_plan(self) -> bool {
        self.differences >> 32 & 0xffff == 0
    }

    /// Whether this access is among them.
    #[inline]
    pub fn has(self, access: Access) -> bool {
        self.kinds & 1 << access as u32 != 0
    }
}

/// The source that a member wrote before the last barrier, if its access is not [`Access::Slot`].
pub fn source(host: &Host<'_>, member: usize) -> Source {
    // SAFETY: slots of the last epoch are not written before the next barrier.
    unsafe { host.area.slot_of(member).add(LEN).cast::<Source>().read() }
}

/// The error of an operation when another image executes another one.
#[cold]
pub fn executes_another(name: &str, image: Rank) -> Error {
    Error::Invalid(format!(
        "{name}: {image} executes another operation; with XMP_CHECK=1 the message names it"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_survives_as_a_word() {
        for access in Access::ALL {
            let mut head = Head { access, mapping: 0xabcd, offsets: 0 };
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
        let mut accesses = Accesses::default();
        for access in [Access::Slot, Access::Refused] {
            let head = Head { access, mapping: 0, offsets: 0 };
            assert_eq!(accesses.add(head.to_word()), Some(()));
        }
        assert_eq!((accesses.has(Access::Refused), accesses.has(Access::Hidden)), (true, false));
        assert_eq!(accesses.add(192), None);
        // An access that does not exist.
        assert_eq!(Head::from_word(MARK << 48 | 0xf), None);
    }
}
