//! The lines of a line cache: bytes of other images' memory, and the bytes of them that were served.
//!
//! A line has a place by its image and number, in each of several *ways*. So loops that read several arrays, or of several images, in
//! turn keep the lines of each, also where the arrays have a distance at which their lines have the same places. What is fetched at once is
//! in one way, in places that follow one another.

mod line;

use crate::rank::Rank;
use line::{Key, Line, PLACES};
use std::cell::Cell;
use std::ops::Range;

pub use line::LINE_BYTES;

/// Ways.
const WAYS: usize = 4;
/// Most lines of one fetch that nothing but a sequence of gets suggests.
const MOST_LINES: u64 = 16;
/// Most lines of one fetch because they were served in one segment before.
const MOST_LINES_AGAIN: u64 = 32;
/// Long fetches end where a way does.
const _: () = assert!((PLACES as u64).is_multiple_of(MOST_LINES));

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

/// Room for bytes that a look has missed.
#[derive(Debug)]
pub struct Room {
    image: Rank,
    missed: Range<u64>,
    generation: u64,
    /// Index of the first line.
    first: usize,
    /// Where the bytes go.
    pub bytes: *mut u8,
}

/// The lines of an image.
#[derive(Debug)]
pub struct Lines {
    /// Bytes that the first get within a line fetches: a power of two, at most [`LINE_BYTES`].
    first_bytes: u64,
    /// The end of the memory up to which lines are fetched in advance.
    end: u64,
    /// By way and place; as many as were needed.
    lines: Vec<Line>,
    /// The bytes of all lines, one after the other, from the first fetch on.
    bytes: Box<[Cell<u8>]>,
    /// The way in which bytes were found last.
    recent: usize,
    /// Number of fetches.
    fetches: u64,
}

impl Lines {
    /// No lines, of which the first get fetches `first_bytes`. Up to `end` the memory of an image has lines that may be fetched
    /// although nothing in them was asked for yet.
    pub fn new(first_bytes: u64, end: u64) -> Lines {
        let is_of_words = first_bytes.is_multiple_of(u64::BITS.into());
        assert!(is_of_words && first_bytes.is_power_of_two() && first_bytes <= LINE_BYTES);
        let (lines, bytes) = (Vec::new(), Box::default());
        Lines { first_bytes, end, lines, bytes, recent: 0, fetches: 0 }
    }

    /// Looks for bytes of the memory of `image`, which are in one line, in the lines of this generation.
    pub fn look(&mut self, image: Rank, at: Range<u64>, generation: u64) -> Look<'_> {
        let key = Key { image, number: at.start / LINE_BYTES };
        let start = key.number * LINE_BYTES;
        let within = at.start - start..at.end - start;
        let found = self.find(key, generation);
        if let Some(index) = found
            && contains(&self.lines[index].fetched, &within)
        {
            self.recent = index / PLACES;
            let again = self.lines[index].serve(within.clone());
            let from = index * LINE_BYTES as usize + within.start as usize;
            let bytes = &self.bytes[from..][..(within.end - within.start) as usize];
            return if again { Look::Again(bytes) } else { Look::Hit(bytes) };
        }
        // After a second miss in a line, or beside a line that is there as a whole, there will be more.
        let (before, after) = self.beside(key, generation);
        if found.is_some() || before + after > 0 {
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
        let is_of_former = |line: &&Line| line.key == key && line.generation != generation;
        let old = self.at(key).find(is_of_former).filter(|_| first.end <= self.end)?;
        let was_served = |number: u64| {
            let key = Key { number, ..key };
            self.at(key).any(|line| {
                line.key == key && line.generation == old.generation && line.is_served()
            })
        };
        // Their places follow one another, too.
        let most_after = ((PLACES - key.place()) as u64).min(MOST_LINES_AGAIN);
        let after =
            (1..most_after).take_while(|&more| was_served(key.number + more)).count() as u64;
        let most_before = (key.place() as u64).min(key.number).min(MOST_LINES_AGAIN - 1 - after);
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
        // Their places follow one another, too. Long fetches begin and end at multiples of their length, so that no later one of the
        // sequence is cut where a way ends.
        let place = key.place() as u64;
        let most = |beside: u64, left: u64| match 2 * beside {
            MOST_LINES => left % MOST_LINES + 1,
            few => few.min(left + 1),
        };
        if before >= after {
            let most = most(before, PLACES as u64 - 1 - place);
            while lines.end - lines.start < most && is_wanted(lines.end) {
                lines.end += 1;
            }
        } else {
            let most = most(after, place);
            while lines.end - lines.start < most && lines.start > 0 && is_wanted(lines.start - 1) {
                lines.start -= 1;
            }
        }
        lines
    }

    fn is_whole(&self, key: Key, generation: u64) -> bool {
        self.find(key, generation).is_some_and(|index| self.lines[index].fetched == (0..LINE_BYTES))
    }

    /// The index of a line that has bytes of this generation.
    #[inline]
    fn find(&self, key: Key, generation: u64) -> Option<usize> {
        let place = key.place();
        let has = |way: &usize| {
            self.lines.get(way * PLACES + place).is_some_and(|line| line.is(key, generation))
        };
        // A loop mostly finds what it gets in one way.
        let way = Some(self.recent).filter(has).or_else(|| (0..WAYS).find(has));
        way.map(|way| way * PLACES + place)
    }

    /// What is at the places of a line, in all ways.
    fn at(&self, key: Key) -> impl Iterator<Item = &Line> {
        (0..WAYS).filter_map(move |way| self.lines.get(way * PLACES + key.place()))
    }

    /// The way for lines from this one on, `count` of them: one in which they empty no other lines of this generation, otherwise
    /// those that were fetched first.
    fn way(&self, first: Key, count: usize, generation: u64) -> usize {
        let cost = |way: &usize| {
            let start = way * PLACES + first.place();
            let lines = self.lines.iter().skip(start).take(count);
            let with_numbers = lines.zip(first.number..);
            let others = with_numbers.filter(|(line, number)| {
                line.is_of(generation) && line.key != Key { number: *number, ..first }
            });
            let newest = others.map(|(line, _)| line.fetch).max().unwrap_or(0);
            // What is known of the first one is of use there.
            (newest, self.lines.get(start).is_none_or(|line| line.key != first))
        };
        (0..WAYS).min_by_key(cost).expect("a way")
    }

    /// Where bytes go that a look has missed in this generation. Their lines are empty until [`Lines::keep`].
    pub fn room(&mut self, image: Rank, missed: &Range<u64>, generation: u64) -> Room {
        if self.bytes.is_empty() {
            self.bytes = zeros(WAYS * PLACES * LINE_BYTES as usize);
        }
        let numbers = missed.start / LINE_BYTES..missed.end.div_ceil(LINE_BYTES);
        let key = Key { image, number: numbers.start };
        let count = (numbers.end - numbers.start) as usize;
        let first = self.way(key, count, generation) * PLACES + key.place();
        if self.lines.len() < first + count {
            self.lines.resize_with(first + count, || Line::NONE);
        }
        self.lines[first..first + count].iter_mut().for_each(|line| line.fetched = 0..0);
        let from = first * LINE_BYTES as usize + (missed.start % LINE_BYTES) as usize;
        let bytes = &self.bytes[from..][..(missed.end - missed.start) as usize];
        let bytes = bytes.as_ptr().cast_mut().cast();
        Room { image, missed: missed.clone(), generation, first, bytes }
    }

    /// Keeps bytes that were fetched to their room, of which `served` go to the program.
    pub fn keep(&mut self, room: &Room, served: Range<u64>) {
        let Room { image, ref missed, generation, first, .. } = *room;
        self.fetches += 1;
        let numbers = missed.start / LINE_BYTES..missed.end.div_ceil(LINE_BYTES);
        for (index, number) in (first..).zip(numbers) {
            let (key, start) = (Key { image, number }, number * LINE_BYTES);
            let within = |bytes: &Range<u64>| {
                let limit = |at: u64| at.clamp(start, start + LINE_BYTES) - start;
                limit(bytes.start)..limit(bytes.end)
            };
            // Nothing is in two ways.
            let mut known = Line::NONE;
            for way in 0..WAYS {
                let line = self.lines.get_mut(way * PLACES + key.place());
                if let Some(line) = line.filter(|line| line.key == key) {
                    let line = std::mem::replace(line, Line::NONE);
                    known = if line.generation == generation { line } else { known };
                }
            }
            let line = &mut self.lines[index];
            let fetched = within(missed);
            *line = Line { key, generation, fetch: self.fetches, fetched, ..known };
            line.serve(within(&served));
        }
    }

    /// Forgets the lines of `image` that contain some of these bytes.
    pub fn forget(&mut self, image: Rank, bytes: Range<u64>) {
        let last = bytes.end.saturating_sub(1).max(bytes.start) / LINE_BYTES;
        for number in bytes.start / LINE_BYTES..=last {
            let key = Key { image, number };
            for way in 0..WAYS {
                let line = self.lines.get_mut(way * PLACES + key.place());
                if let Some(line) = line.filter(|line| line.key == key) {
                    line.fetched = 0..0;
                }
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
