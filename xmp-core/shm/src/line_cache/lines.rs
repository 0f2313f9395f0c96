//! The lines of a line cache: bytes of other images' memory, and the bytes of them that were served.

use crate::rank::Rank;
use std::ops::Range;

/// Bytes of a line. A line begins at a multiple of this in the other image's memory: so it is on one page, and to fetch it takes
/// no memory that the bytes asked for do not take.
pub const LINE_BYTES: u64 = 4096;
/// Lines that are kept at once; each has one place, by image and number.
const PLACES: u64 = 256;
/// Words with a bit for each byte of a line.
const WORDS: usize = (LINE_BYTES / u64::BITS as u64) as usize;

/// A line: the image, and the number of the line in its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    image: Rank,
    number: u64,
}

impl Key {
    /// Lines that follow one another have different places, and so have equal lines of different images mostly.
    fn place(self) -> usize {
        let image = u64::from(self.image.get()).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
        (self.number.wrapping_add(image) % PLACES) as usize
    }
}

/// Bytes of one line.
#[derive(Debug)]
struct Line {
    key: Key,
    /// The segment of this image (Fortran 2018, 11.6.2) in which they were fetched.
    generation: u64,
    /// The bytes that were fetched, within the line.
    fetched: Range<u64>,
    /// A bit for each byte: whether it was served.
    served: [u64; WORDS],
    bytes: Box<[u8]>,
}

impl Line {
    /// Whether one of these bytes was served; notes that they are served now.
    fn serve(&mut self, bytes: Range<u64>) -> bool {
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
}

/// What a look for bytes finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look<'a> {
    /// The bytes.
    Hit(&'a [u8]),
    /// The bytes, some of which were served before: the program may be waiting for them to change.
    Again(&'a [u8]),
    /// They are not there. The bytes of the memory to fetch, which contain them.
    Miss(Range<u64>),
}

/// The lines of an image.
#[derive(Debug)]
pub struct Lines {
    /// Bytes that the first get within a line fetches: a power of two, at most [`LINE_BYTES`].
    first_bytes: u64,
    /// By place; as many as were needed.
    lines: Vec<Option<Line>>,
}

impl Lines {
    /// No lines, of which the first get fetches `first_bytes`.
    pub fn new(first_bytes: u64) -> Lines {
        assert!(first_bytes.is_power_of_two() && first_bytes <= LINE_BYTES);
        Lines { first_bytes, lines: Vec::new() }
    }

    /// Looks for bytes of the memory of `image`, which are in one line, in the lines of this generation.
    pub fn look(&mut self, image: Rank, at: Range<u64>, generation: u64) -> Look<'_> {
        let key = Key { image, number: at.start / LINE_BYTES };
        let start = key.number * LINE_BYTES;
        let within = at.start - start..at.end - start;
        let place = key.place();
        let has_line = self.has(key, generation, |_| true);
        if has_line && self.has(key, generation, |fetched| contains(fetched, &within)) {
            let line = self.lines[place].as_mut().expect("it is there");
            let again = line.serve(within.clone());
            let bytes = &line.bytes[within.start as usize..within.end as usize];
            return if again { Look::Again(bytes) } else { Look::Hit(bytes) };
        }
        // After a second miss in a line, or beside a line that is there as a whole, there will be more.
        let beside =
            || [key.number.checked_sub(1), key.number.checked_add(1)].into_iter().flatten();
        let is_whole = |number| {
            self.has(Key { number, ..key }, generation, |fetched| *fetched == (0..LINE_BYTES))
        };
        if has_line || beside().any(is_whole) {
            return Look::Miss(start..start + LINE_BYTES);
        }
        let first = self.first_bytes;
        Look::Miss(at.start / first * first..at.end.next_multiple_of(first))
    }

    /// Whether this line is there, of this generation, and what was fetched of it is as wanted.
    #[inline]
    fn has(&self, key: Key, generation: u64, is_wanted: impl FnOnce(&Range<u64>) -> bool) -> bool {
        let line = self.lines.get(key.place()).and_then(Option::as_ref);
        line.is_some_and(|line| {
            let is_current =
                line.key == key && line.generation == generation && !line.fetched.is_empty();
            is_current && is_wanted(&line.fetched)
        })
    }

    /// Keeps bytes that were fetched in this generation from `from` on, of which `served` have gone to the program.
    pub fn keep(
        &mut self,
        image: Rank,
        from: u64,
        bytes: &[u8],
        generation: u64,
        served: Range<u64>,
    ) {
        let key = Key { image, number: from / LINE_BYTES };
        let start = key.number * LINE_BYTES;
        let place = key.place();
        if self.lines.len() <= place {
            self.lines.resize_with(place + 1, || None);
        }
        let first = (from - start) as usize;
        let line = self.lines[place].get_or_insert_with(|| Line {
            key,
            generation,
            fetched: 0..0,
            served: [0; WORDS],
            bytes: vec![0; LINE_BYTES as usize].into(),
        });
        line.bytes[first..first + bytes.len()].copy_from_slice(bytes);
        let is_same = line.key == key && line.generation == generation;
        if !is_same {
            line.served = [0; WORDS];
        }
        line.key = key;
        line.generation = generation;
        line.fetched = first as u64..(first + bytes.len()) as u64;
        line.serve(served.start - start..served.end - start);
    }

    /// Forgets the lines of `image` that contain some of these bytes.
    pub fn forget(&mut self, image: Rank, bytes: Range<u64>) {
        let last = bytes.end.saturating_sub(1).max(bytes.start) / LINE_BYTES;
        for number in bytes.start / LINE_BYTES..=last {
            let key = Key { image, number };
            if let Some(line) = self.lines.get_mut(key.place()).and_then(Option::as_mut)
                && line.key == key
            {
                line.fetched = 0..0;
            }
        }
    }
}

/// Whether a range contains another one.
fn contains(outer: &Range<u64>, inner: &Range<u64>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const IMAGE: Rank = Rank::new(3);

    /// Looks for `len` bytes, and fetches what is missing from a segment whose bytes are their offsets.
    fn read(lines: &mut Lines, at: u64, len: usize, generation: u64) -> Found {
        let wanted = at..at + len as u64;
        match lines.look(IMAGE, wanted.clone(), generation) {
            Look::Hit(bytes) => {
                assert_eq!(bytes, wanted.map(|at| at as u8).collect::<Vec<_>>());
                Found::Hit
            }
            Look::Again(_) => Found::Again,
            Look::Miss(range) => {
                let bytes: Vec<u8> = range.clone().map(|at| at as u8).collect();
                lines.keep(IMAGE, range.start, &bytes, generation, wanted);
                Found::Miss(range)
            }
        }
    }

    #[derive(Debug, PartialEq, Eq)]
    enum Found {
        Hit,
        Again,
        Miss(Range<u64>),
    }

    #[test]
    fn a_sequence_of_gets_fetches_256_bytes_then_whole_lines() {
        let mut lines = Lines::new(256);
        let mut fetched = Vec::new();
        for at in (8192..8192 + 3 * LINE_BYTES).step_by(8) {
            if let Found::Miss(range) = read(&mut lines, at, 8, 1) {
                fetched.push(range);
            }
        }
        assert_eq!(fetched, [8192..8448, 8192..12288, 12288..16384, 16384..20480]);
    }

    #[test]
    fn bytes_that_were_served_are_not_served_again() {
        let mut lines = Lines::new(256);
        assert!(matches!(read(&mut lines, 64, 4, 1), Found::Miss(_)));
        assert_eq!(read(&mut lines, 72, 8, 1), Found::Hit);
        for (at, len) in [(64, 4), (72, 8), (66, 2), (79, 1), (60, 5)] {
            assert_eq!(read(&mut lines, at, len, 1), Found::Again, "{at}");
        }
        // The rest of the line after the second miss in it, too.
        assert!(matches!(read(&mut lines, 1024, 8, 1), Found::Miss(_)));
        assert_eq!(read(&mut lines, 72, 8, 1), Found::Again);
        assert_eq!(read(&mut lines, 80, 8, 1), Found::Hit);
    }

    #[test]
    fn lines_of_another_generation_are_empty() {
        let mut lines = Lines::new(256);
        read(&mut lines, 64, 4, 1);
        assert_eq!(read(&mut lines, 128, 4, 2), Found::Miss(0..256));
        assert_eq!(read(&mut lines, 64, 4, 2), Found::Hit);
    }

    #[test]
    fn a_put_forgets_the_lines_that_it_touches() {
        let mut lines = Lines::new(256);
        let puts = [(0..4, false), (4000..5000, false), (4088..4089, false), (4096..9000, true)];
        for (generation, (put, is_kept)) in (1..).zip(puts) {
            read(&mut lines, 4096 - 16, 4, generation);
            lines.forget(IMAGE, put.clone());
            lines.forget(Rank::new(2), 0..10_000);
            assert_eq!(read(&mut lines, 4096 - 8, 8, generation) == Found::Hit, is_kept, "{put:?}");
        }
    }

    #[test]
    fn images_have_lines_of_their_own() {
        let mut lines = Lines::new(256);
        read(&mut lines, 64, 4, 1);
        for image in (0..1000).filter(|&image| image != 3) {
            let look = lines.look(Rank::new(image), 64..68, 1);
            assert!(matches!(look, Look::Miss(_)), "{image}");
        }
    }
}
