//! One line.

use crate::rank::Rank;
use std::ops::Range;

/// Bytes of a line. A line begins at a multiple of this in the other image's memory: so it is on one page, and to fetch it takes
/// no memory that the bytes asked for do not take.
pub const LINE_BYTES: u64 = 4096;
/// Places of a way.
pub(super) const PLACES: usize = 64;
/// Words with a bit for each byte of a line.
const WORDS: usize = (LINE_BYTES / u64::BITS as u64) as usize;

/// A line: the image, and the number of the line in its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub image: Rank,
    pub number: u64,
}

impl Key {
    /// Its place within a way. Lines that follow one another have places that follow one another, and equal lines of different images
    /// have different places mostly.
    pub fn place(self) -> usize {
        let image = u64::from(self.image.get()).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
        (self.number.wrapping_add(image) % PLACES as u64) as usize
    }
}

/// What is known of the bytes of one line.
#[derive(Debug)]
pub(super) struct Line {
    pub key: Key,
    /// The segment of this image (Fortran 2018, 11.6.2) in which they were fetched.
    pub generation: u64,
    /// The number of the fetch that brought it.
    pub fetch: u64,
    /// The bytes that were fetched, within the line.
    pub fetched: Range<u64>,
    /// A bit for each byte: whether it was served.
    pub served: [u64; WORDS],
}

impl Line {
    /// No line.
    pub const NONE: Line = Line {
        key: Key { image: Rank::new(0), number: u64::MAX },
        generation: 0,
        fetch: 0,
        fetched: 0..0,
        served: [0; WORDS],
    };

    /// Whether it is this line, of this generation, with bytes.
    #[inline]
    pub fn is(&self, key: Key, generation: u64) -> bool {
        self.key == key && self.is_of(generation)
    }

    /// Whether it has bytes of this generation.
    #[inline]
    pub fn is_of(&self, generation: u64) -> bool {
        self.generation == generation && !self.fetched.is_empty()
    }

    /// Whether one of these bytes was served; notes that they are served now.
    pub fn serve(&mut self, bytes: Range<u64>) -> bool {
        let bits = u64::from(u64::BITS);
        let mut again = false;
        for word in bytes.start / bits..bytes.end.div_ceil(bits) {
            let first = bytes.start.max(word * bits) % bits;
            let count = bytes.end.min((word + 1) * bits) - word * bits - first;
            let mask = (u64::MAX >> (bits - count)) << first;
            let served = &mut self.served[word as usize];
            again |= *served & mask != 0;
            *served |= mask;
        }
        again
    }

    /// Whether any of its bytes was served.
    pub fn is_served(&self) -> bool {
        self.served.iter().any(|&word| word != 0)
    }

    /// Whether bytes outside of these were served, which are in the line with this number and begin and end at multiples of 64.
    pub fn has_served_outside(&self, bytes: &Range<u64>, number: u64) -> bool {
        let word = |at: u64| (at - number * LINE_BYTES) / u64::from(u64::BITS);
        let inside = word(bytes.start)..word(bytes.end);
        (0..).zip(&self.served).any(|(at, &word)| word != 0 && !inside.contains(&at))
    }
}
