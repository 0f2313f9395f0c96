//! One access to a granule, as a word that images exchange.

use std::ops::Range;

/// Bytes of memory that share their slots.
pub const GRANULE: u64 = 8;
/// Slots of a granule: words that it has.
pub const SLOTS: usize = 4;
/// Granules of a block: bits of a word.
pub const BLOCK: u64 = u64::BITS as u64;
/// Most images of a job whose accesses have words.
pub const MAX_IMAGES: u32 = 1 << IMAGE_BITS;

/// Sites of an image that words can tell apart; 0 is a site that is not remembered.
pub const SITES: usize = 1 << SITE_BITS;
/// The last segment that words can tell apart.
pub const LAST_SEGMENT: u64 = (1 << (u64::BITS - SEGMENT_SHIFT)) - 1;

const KIND_BITS: u32 = 2;
const BYTES_BITS: u32 = GRANULE as u32;
const IMAGE_BITS: u32 = 12;
const SITE_BITS: u32 = 15;
const IMAGE_SHIFT: u32 = KIND_BITS + BYTES_BITS;
const SITE_SHIFT: u32 = IMAGE_SHIFT + IMAGE_BITS;
const SEGMENT_SHIFT: u32 = SITE_SHIFT + SITE_BITS;

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// References it.
    Read,
    /// Defines it.
    Write,
    /// References it by an atomic subroutine.
    AtomicRead,
    /// Defines it by an atomic subroutine.
    AtomicWrite,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Read, Kind::Write, Kind::AtomicRead, Kind::AtomicWrite];

    /// Whether it defines the memory.
    #[inline]
    pub fn writes(self) -> bool {
        matches!(self, Kind::Write | Kind::AtomicWrite)
    }

    #[inline]
    fn is_atomic(self) -> bool {
        matches!(self, Kind::AtomicRead | Kind::AtomicWrite)
    }

    /// Whether unordered segments may not have both (Fortran 2018, 11.6.2): one defines the memory, and not both are
    /// atomic.
    #[inline]
    pub fn conflicts(self, other: Kind) -> bool {
        (self.writes() || other.writes()) && !(self.is_atomic() && other.is_atomic())
    }

    /// Whether each kind that conflicts with the other one conflicts with this one, too.
    #[inline]
    pub fn covers(self, other: Kind) -> bool {
        match self {
            Kind::Write => true,
            Kind::Read => !other.writes(),
            Kind::AtomicWrite => other.is_atomic(),
            Kind::AtomicRead => other == Kind::AtomicRead,
        }
    }
}

/// An access of an image to some bytes of a granule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The rank of the image.
    pub image: u32,
    /// The number of its segment, from 1.
    pub segment: u64,
    /// Its place in the program.
    pub site: u16,
    /// The bytes, a bit each.
    pub bytes: u8,
    /// Its kind.
    pub kind: Kind,
}

impl Access {
    /// The word of this access, which is not 0.
    #[inline]
    pub fn to_word(self) -> u64 {
        debug_assert!(self.segment > 0 && self.image < MAX_IMAGES);
        debug_assert!(self.segment <= LAST_SEGMENT && usize::from(self.site) < SITES);
        self.segment << SEGMENT_SHIFT
            | u64::from(self.site) << SITE_SHIFT
            | u64::from(self.image) << IMAGE_SHIFT
            | u64::from(self.bytes) << KIND_BITS
            | self.kind as u64
    }

    /// The access of a word; 0 is none.
    #[inline]
    pub fn from_word(word: u64) -> Option<Access> {
        let kind = Kind::ALL[(word & ((1 << KIND_BITS) - 1)) as usize];
        (word != 0).then_some(Access {
            image: (word >> IMAGE_SHIFT) as u32 & (MAX_IMAGES - 1),
            segment: word >> SEGMENT_SHIFT,
            site: (word >> SITE_SHIFT) as u16 & (SITES - 1) as u16,
            bytes: (word >> KIND_BITS) as u8,
            kind,
        })
    }

    /// Whether each access of a third image that conflicts with the other access conflicts with this one, too.
    #[inline]
    pub fn covers(&self, other: &Access) -> bool {
        self.bytes & other.bytes == other.bytes && self.kind.covers(other.kind)
    }
}

/// A word of an access without its bytes.
#[inline]
pub fn without_bytes(word: u64) -> u64 {
    word & !(0xff << KIND_BITS)
}

/// Whether two words are of accesses of the same image, kind and bytes: the later one, ordered after the other, covers it.
#[inline]
pub fn is_alike(one: u64, other: u64) -> bool {
    (one ^ other) & ((1 << SITE_SHIFT) - 1) == 0
}

/// The bytes of this range in the granule at `from`, a bit each.
#[inline]
pub fn bytes_within(from: u64, range: &Range<u64>) -> u8 {
    let first = range.start.saturating_sub(from).min(GRANULE);
    let last = range.end.saturating_sub(from).min(GRANULE);
    (0xff_u32 << first & !(0xff_u32 << last)) as u8
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn an_access_is_the_one_of_its_word() {
        for kind in Kind::ALL {
            let last = (SITES - 1) as u16;
            for (image, segment, site, bytes) in
                [(0, 1, 0, 1), (MAX_IMAGES - 1, LAST_SEGMENT, last, 0xff), (7, 12345, 9, 0x80)]
            {
                let access = Access { image, segment, site, bytes, kind };
                assert_eq!(Access::from_word(access.to_word()), Some(access));
            }
        }
        assert_eq!(Access::from_word(0), None);
    }

    #[test]
    fn reads_do_not_conflict_and_atomic_accesses_do_not_conflict_with_one_another() {
        use Kind::{AtomicRead, AtomicWrite, Read, Write};
        let conflicting: Vec<(Kind, Kind)> = Kind::ALL
            .into_iter()
            .flat_map(|a| Kind::ALL.into_iter().map(move |b| (a, b)))
            .filter(|(a, b)| a.conflicts(*b))
            .collect();
        let expected = [
            (Read, Write),
            (Read, AtomicWrite),
            (Write, Read),
            (Write, Write),
            (Write, AtomicRead),
            (Write, AtomicWrite),
            (AtomicRead, Write),
            (AtomicWrite, Read),
            (AtomicWrite, Write),
        ];
        assert_eq!(conflicting, expected);
        assert!(Write.covers(Read) && Write.covers(AtomicWrite) && Read.covers(AtomicRead));
        assert!(!Read.covers(Write) && !AtomicWrite.covers(Write) && !Read.covers(AtomicWrite));
        for (this, other) in Kind::ALL.iter().flat_map(|a| Kind::ALL.map(|b| (*a, b))) {
            let covers =
                Kind::ALL.iter().all(|kind| !kind.conflicts(other) || kind.conflicts(this));
            assert_eq!(this.covers(other), covers, "{this:?} {other:?}");
        }
    }
}
