//! One access to a granule, as a word that images exchange.

/// Bytes of memory that share their slots.
pub const GRANULE: u64 = 8;
/// Most images of a job whose accesses have words.
pub const MOST_IMAGES: u32 = 1 << IMAGE_BITS;

const IMAGE_BITS: u32 = 14;
const KIND_BITS: u32 = 2;
const BYTES_BITS: u32 = GRANULE as u32;
const NUMBER_SHIFT: u32 = IMAGE_BITS + KIND_BITS + BYTES_BITS;

/// What an access does with the memory.
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
    pub fn writes(self) -> bool {
        matches!(self, Kind::Write | Kind::AtomicWrite)
    }

    fn is_atomic(self) -> bool {
        matches!(self, Kind::AtomicRead | Kind::AtomicWrite)
    }

    /// Whether unordered segments may not have both (Fortran 2018, 11.6.2): one defines the memory, and not both are
    /// atomic.
    pub fn conflicts(self, other: Kind) -> bool {
        (self.writes() || other.writes()) && !(self.is_atomic() && other.is_atomic())
    }

    /// Whether each kind that conflicts with the other one conflicts with this one, too.
    pub fn covers(self, other: Kind) -> bool {
        Kind::ALL.iter().all(|kind| !kind.conflicts(other) || kind.conflicts(self))
    }
}

/// An access of an image to some bytes of a granule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The rank of the image.
    pub image: u32,
    /// The image's number of the statement, from 1.
    pub number: u64,
    /// The bytes, a bit each.
    pub bytes: u8,
    /// What it does.
    pub kind: Kind,
}

impl Access {
    /// The word of this access, which is not 0.
    pub fn to_word(self) -> u64 {
        debug_assert!(self.number > 0 && self.image < MOST_IMAGES);
        let kind = self.kind as u64;
        self.number << NUMBER_SHIFT
            | u64::from(self.image) << (KIND_BITS + BYTES_BITS)
            | u64::from(self.bytes) << KIND_BITS
            | kind
    }

    /// The access of a word; 0 is none.
    pub fn from_word(word: u64) -> Option<Access> {
        let kind = Kind::ALL[(word & ((1 << KIND_BITS) - 1)) as usize];
        (word != 0).then_some(Access {
            image: (word >> (KIND_BITS + BYTES_BITS)) as u32 & (MOST_IMAGES - 1),
            number: word >> NUMBER_SHIFT,
            bytes: (word >> KIND_BITS) as u8,
            kind,
        })
    }

    /// Whether the two would be a race if nothing ordered them.
    pub fn conflicts(&self, other: &Access) -> bool {
        self.image != other.image
            && self.bytes & other.bytes != 0
            && self.kind.conflicts(other.kind)
    }

    /// Whether what conflicts with the other access conflicts with this one, too, if it is of a third image.
    pub fn covers(&self, other: &Access) -> bool {
        self.bytes & other.bytes == other.bytes && self.kind.covers(other.kind)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn an_access_is_the_one_of_its_word() {
        for kind in Kind::ALL {
            for (image, number, bytes) in
                [(0, 1, 1), (MOST_IMAGES - 1, (1 << 40) - 1, 0xff), (7, 12345, 0x80)]
            {
                let access = Access { image, number, bytes, kind };
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
    }
}
