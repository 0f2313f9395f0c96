//! The lines of a line cache: bytes of other images' memory, and the bytes of them that were served.

use crate::rank::Rank;
use std::cell::Cell;
use std::ops::Range;

/// Bytes of a line. A line begins at a multiple of this in the other image's memory: so it is on one page, and to fetch it takes
/// no memory that the bytes asked for do not take.
pub const LINE_BYTES: u64 = 4096;
/// Lines that are kept at once; each has one place, by image and number.
const PLACES: u64 = 256;
/// Most lines of one fetch that nothing but a sequence of gets suggests.
const MOST_LINES: u64 = 16;
/// Most lines of one fetch because they were served in one segment before.
const MOST_LINES_AGAIN: u64 = 32;
/// Words with a bit for each byte of a line.
const WORDS: usize = (LINE_BYTES / u64::BITS as u64) as usize;

/// A line: the image, and the number of the line in its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    image: Rank,
    number: u64,
}

impl Key {
    /// Lines that follow one another have places that follow one another, and so have equal lines of different images different
    /// places mostly.
    fn place(self) -> u64 {
        let image = u64::from(self.image.get()).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
        self.number.wrapping_add(image) % PLACES
    }
}

/// What is known of the bytes of one line.
#[derive(Debug)]
struct Line {
    key: Key,
    /// The segment of this image (Fortran 2018, 11.6.2) in which they were fetched.
    generation: u64,
    /// The bytes that were fetched, within the line.
    fetched: Range<u64>,
    /// A bit for each byte: whether it was served.
    served: [u64; WORDS],
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

    /// Whether any of its bytes was served.
    fn is_served(&self) -> bool {
        self.served.iter().any(|&word| word != 0)
    }

    /// Whether bytes outside of these were served, which are in the line with this number and begin and end at multiples of 64.
    fn has_served_outside(&self, bytes: &Range<u64>, number: u64) -> bool {
        let word = |at: u64| (at - number * LINE_BYTES) / u64::from(u64::BITS);
        let inside = word(bytes.start)..word(bytes.end);
        (0..).zip(&self.served).any(|(at, &word)| word != 0 && !inside.contains(&at))
    }
}

/// What a look for bytes finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look<'a> {
    /// The bytes.
    Hit(&'a [Cell<u8>]),
    /// The bytes, some of which were served before: the program may be waiting for them to change.
    Again(&'a [Cell<u8>]),
    /// They are not there. The bytes of the memory to fetch, which contain them.
    Miss(Range<u64>),
}

/// The lines of an image.
#[derive(Debug)]
pub struct Lines {
    /// Bytes that the first get within a line fetches: a power of two, at most [`LINE_BYTES`].
    first_bytes: u64,
    /// The end of the memory up to which lines are fetched in advance.
    end: u64,
    /// By place; as many as were needed.
    lines: Vec<Line>,
    /// The bytes of all places, one after the other, from the first fetch on.
    bytes: Box<[Cell<u8>]>,
}

impl Lines {
    /// No lines, of which the first get fetches `first_bytes`. Up to `end` the memory of an image has lines that may be fetched
    /// although nothing in them was asked for yet.
    pub fn new(first_bytes: u64, end: u64) -> Lines {
        let is_of_words = first_bytes.is_multiple_of(u64::BITS.into());
        assert!(is_of_words && first_bytes.is_power_of_two() && first_bytes <= LINE_BYTES);
        Lines { first_bytes, end, lines: Vec::new(), bytes: Box::default() }
    }

    /// Looks for bytes of the memory of `image`, which are in one line, in the lines of this generation.
    pub fn look(&mut self, image: Rank, at: Range<u64>, generation: u64) -> Look<'_> {
        let key = Key { image, number: at.start / LINE_BYTES };
        let start = key.number * LINE_BYTES;
        let within = at.start - start..at.end - start;
        let place = key.place();
        let has_line = self.has(key, generation, |_| true);
        if has_line && self.has(key, generation, |fetched| contains(fetched, &within)) {
            let again = self.lines[place as usize].serve(within.clone());
            let from = (place * LINE_BYTES + within.start) as usize;
            let bytes = &self.bytes[from..][..(within.end - within.start) as usize];
            return if again { Look::Again(bytes) } else { Look::Hit(bytes) };
        }
        // After a second miss in a line, or beside a line that is there as a whole, there will be more.
        let (before, after) = self.beside(key, generation);
        if has_line || before + after > 0 {
            let lines = self.ahead(key, generation, (before, after));
            return Look::Miss(lines.start * LINE_BYTES..lines.end * LINE_BYTES);
        }
        let first = self.first_bytes;
        let first = at.start / first * first..at.end.next_multiple_of(first);
        Look::Miss(self.served_together(key, generation, &first).unwrap_or(first))
    }

    /// The bytes of the lines without a gap, this one among them, that were served in one segment before this: programs mostly get the
    /// same again. `None` if there are none, or only the bytes `first` of this line.
    fn served_together(&self, key: Key, generation: u64, first: &Range<u64>) -> Option<Range<u64>> {
        let old = self.lines.get(key.place() as usize)?;
        if old.key != key || old.generation == generation || first.end > self.end {
            return None;
        }
        let was_served = |number: u64| {
            let key = Key { number, ..key };
            let line = self.lines.get(key.place() as usize);
            line.is_some_and(|line| {
                line.key == key && line.generation == old.generation && line.is_served()
            })
        };
        // Their places follow one another, too.
        let most_after = (PLACES - key.place()).min(MOST_LINES_AGAIN);
        let after =
            (1..most_after).take_while(|&more| was_served(key.number + more)).count() as u64;
        let most_before = key.place().min(key.number).min(MOST_LINES_AGAIN - 1 - after);
        let before =
            (1..=most_before).take_while(|&less| was_served(key.number - less)).count() as u64;
        let lines = key.number - before..key.number + after + 1;
        let is_worth_it = lines.end - lines.start > 1 || old.has_served_outside(first, key.number);
        is_worth_it.then(|| lines.start * LINE_BYTES..lines.end * LINE_BYTES)
    }

    /// How many lines without a gap are there as a whole right before this one, and right after it; half of [`MOST_LINES`] at most.
    fn beside(&self, key: Key, generation: u64) -> (u64, u64) {
        let count = |number: &dyn Fn(u64) -> Option<u64>| {
            let is_there = |distance: &u64| {
                number(*distance)
                    .is_some_and(|number| self.is_whole(Key { number, ..key }, generation))
            };
            (1..=MOST_LINES / 2).take_while(is_there).count() as u64
        };
        let before = count(&|distance| key.number.checked_sub(distance));
        let after = count(&|distance| key.number.checked_add(distance));
        (before, after)
    }

    /// The numbers of the lines to fetch of which this one is missing. A sequence of gets, upwards or downwards, has left lines beside
    /// it: twice as many follow.
    fn ahead(&self, key: Key, generation: u64, (before, after): (u64, u64)) -> Range<u64> {
        let mut lines = key.number..key.number + 1;
        let is_wanted = |number: u64| {
            number.saturating_add(1).saturating_mul(LINE_BYTES) <= self.end
                && !self.is_whole(Key { number, ..key }, generation)
        };
        // Their places follow one another, too.
        if before >= after {
            let most = (2 * before).min(PLACES - key.place());
            while lines.end - lines.start < most && is_wanted(lines.end) {
                lines.end += 1;
            }
        } else {
            let most = (2 * after).min(key.place() + 1);
            while lines.end - lines.start < most && lines.start > 0 && is_wanted(lines.start - 1) {
                lines.start -= 1;
            }
        }
        lines
    }

    fn is_whole(&self, key: Key, generation: u64) -> bool {
        self.has(key, generation, |fetched| *fetched == (0..LINE_BYTES))
    }

    /// Whether this line is there, of this generation, and what was fetched of it is as wanted.
    #[inline]
    fn has(&self, key: Key, generation: u64, is_wanted: impl FnOnce(&Range<u64>) -> bool) -> bool {
        self.lines.get(key.place() as usize).is_some_and(|line| {
            let is_current =
                line.key == key && line.generation == generation && !line.fetched.is_empty();
            is_current && is_wanted(&line.fetched)
        })
    }

    /// Where bytes go that a look has missed. Their lines are empty until [`Lines::keep`].
    pub fn room(&mut self, image: Rank, missed: &Range<u64>) -> *mut u8 {
        if self.bytes.is_empty() {
            self.bytes = zeros((PLACES * LINE_BYTES) as usize);
        }
        let numbers = missed.start / LINE_BYTES..missed.end.div_ceil(LINE_BYTES);
        let first = Key { image, number: numbers.start }.place();
        let end = (first + (numbers.end - numbers.start)) as usize;
        if self.lines.len() < end {
            let key = Key { image, number: u64::MAX };
            let none = || Line { key, generation: 0, fetched: 0..0, served: [0; WORDS] };
            self.lines.resize_with(end, none);
        }
        self.lines[first as usize..end].iter_mut().for_each(|line| line.fetched = 0..0);
        let from = first * LINE_BYTES + missed.start % LINE_BYTES;
        let place = &self.bytes[from as usize..][..(missed.end - missed.start) as usize];
        place.as_ptr().cast_mut().cast()
    }

    /// Keeps bytes that were fetched in this generation to their [`Lines::room`], of which `served` go to the program.
    pub fn keep(&mut self, image: Rank, missed: &Range<u64>, generation: u64, served: Range<u64>) {
        for number in missed.start / LINE_BYTES..missed.end.div_ceil(LINE_BYTES) {
            let (key, start) = (Key { image, number }, number * LINE_BYTES);
            let within = |bytes: &Range<u64>| {
                let limit = |at: u64| at.clamp(start, start + LINE_BYTES) - start;
                limit(bytes.start)..limit(bytes.end)
            };
            let line = &mut self.lines[key.place() as usize];
            if line.key != key || line.generation != generation {
                line.served = [0; WORDS];
            }
            line.key = key;
            line.generation = generation;
            line.fetched = within(missed);
            line.serve(within(&served));
        }
    }

    /// Forgets the lines of `image` that contain some of these bytes.
    pub fn forget(&mut self, image: Rank, bytes: Range<u64>) {
        let last = bytes.end.saturating_sub(1).max(bytes.start) / LINE_BYTES;
        for number in bytes.start / LINE_BYTES..=last {
            let key = Key { image, number };
            if let Some(line) = self.lines.get_mut(key.place() as usize)
                && line.key == key
            {
                line.fetched = 0..0;
            }
        }
    }
}

/// Bytes that take no memory before they are written.
fn zeros(len: usize) -> Box<[Cell<u8>]> {
    let bytes = Box::into_raw(vec![0u8; len].into_boxed_slice());
    // SAFETY: just taken out of a box; a cell has the layout of what is in it.
    unsafe { Box::from_raw(bytes as *mut [Cell<u8>]) }
}

/// Whether a range contains another one.
fn contains(outer: &Range<u64>, inner: &Range<u64>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

#[cfg(all(test, not(loom)))]
mod tests;
