//! The races that the images of a job have found, in memory that they share: equal ones of several images are one.

use crate::sync::{AtomicU64, Ordering};

/// Races that there is room for.
const ENTRIES: usize = 128;
/// Bytes of a text.
const TEXT: usize = 4 << 10;

const WORD: usize = size_of::<u64>();

/// A race, as all images know it.
#[derive(Debug)]
#[repr(C)]
struct Row {
    /// The hash of the properties that equal races have in common; 0: the row is free.
    key: AtomicU64,
    /// The number of times that it was found.
    count: AtomicU64,
    /// Bytes of the text; 0 until it is complete.
    len: AtomicU64,
    text: [AtomicU64; TEXT / WORD],
}

/// The table of a job, which is zeros at first.
#[derive(Debug)]
#[repr(C)]
pub struct Rows {
    /// The number of races that are not reported because the user does not want it.
    ignored: AtomicU64,
    /// Races that there was no room for: each image counts its own.
    left_out: AtomicU64,
    /// The number of images that have ended.
    ended: AtomicU64,
    /// 1 when a process has begun to sum up.
    summed_up: AtomicU64,
    /// The number of images of the table's host that have left the job in error.
    left_in_error: AtomicU64,
    rows: [Row; ENTRIES],
}

/// The whole table of races.
#[derive(Debug, Default)]
pub struct WholeTable {
    /// The number of races that are not reported because the user does not want it.
    pub ignored: u64,
    /// Races that there was no room for.
    pub left_out: u64,
    /// The races in the order in which they were found: how often, and the text.
    pub races: Vec<(u64, String)>,
}

/// Number of a race in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry(usize);

impl Entry {
    /// The entry with this number.
    pub(super) fn from_number(number: u64) -> Entry {
        usize::try_from(number).map_or(Entry::IGNORED, Entry)
    }

    /// Its number.
    pub(super) fn number(self) -> u64 {
        self.0 as u64
    }

    /// That of all races that the user does not want reported. It takes no row.
    pub const IGNORED: Entry = Entry(usize::MAX);
}

/// Access to the table of a job.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a>(pub(super) &'a Rows);

impl Table<'_> {
    /// The entry of the race with this key, which is not 0, and whether it is new. `None` if there is no room for it.
    pub fn enter(&self, key: u64) -> Option<(Entry, bool)> {
        for (number, row) in self.0.rows.iter().enumerate() {
            // Relaxed: the image that takes the row publishes its text by the length.
            match row.key.compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some((Entry(number), true)),
                Err(found) if found == key => return Some((Entry(number), false)),
                Err(_) => {}
            }
        }
        // Relaxed, here and below: these are counts, which are read when all images have ended.
        self.0.left_out.fetch_add(1, Ordering::Relaxed);
        None
    }

    /// Keeps the text about a new race for the report at the end of the job; the first line of a text that is too long.
    pub fn describe(&self, Entry(number): Entry, text: &str) {
        let Some(row) = self.0.rows.get(number) else { return };
        let first_line = text.lines().next().unwrap_or_default();
        let text = if text.len() > TEXT { first_line } else { text };
        if text.len() > TEXT {
            return;
        }
        for (word, bytes) in row.text.iter().zip(text.as_bytes().chunks(WORD)) {
            let mut padded = [0; WORD];
            padded[..bytes.len()].copy_from_slice(bytes);
            word.store(u64::from_ne_bytes(padded), Ordering::Relaxed);
        }
        // Release: the text.
        row.len.store(text.len() as u64, Ordering::Release);
    }

    /// Counts a race that was found more often.
    pub fn count(&self, Entry(number): Entry, times: u64) {
        let count = self.0.rows.get(number).map_or(&self.0.ignored, |row| &row.count);
        count.fetch_add(times, Ordering::Relaxed);
    }

    /// Counts an image as ended, and returns the number of ended images.
    pub fn end(&self) -> u64 {
        // AcqRel: the counts, for the last one.
        self.0.ended.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Counts an image of this host as one that has left the job in error, and returns their number.
    pub fn leave_in_error(&self) -> u64 {
        // AcqRel: the counts of races, for the last one.
        self.0.left_in_error.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Whether no race was found that is reported.
    pub fn is_empty(&self) -> bool {
        self.left_out() == 0 && self.all().iter().all(|(_, text)| text.is_empty())
    }

    /// The whole table for the summary of the job, once: `None` if another process has it.
    pub fn take_summary(&self) -> Option<WholeTable> {
        // Relaxed: it is read when all images have ended.
        (self.0.summed_up.swap(1, Ordering::Relaxed) == 0).then(|| self.whole())
    }

    /// The number of races that are not reported because the user does not want it.
    pub fn ignored(&self) -> u64 {
        self.0.ignored.load(Ordering::Relaxed)
    }

    /// Races that there was no room for.
    pub fn left_out(&self) -> u64 {
        self.0.left_out.load(Ordering::Relaxed)
    }

    /// All of it.
    pub fn whole(&self) -> WholeTable {
        WholeTable { ignored: self.ignored(), left_out: self.left_out(), races: self.all() }
    }

    /// The races in the order in which they were found: how often, and the text.
    pub fn all(&self) -> Vec<(u64, String)> {
        let rows = self.0.rows.iter();
        let used = rows.take_while(|row| row.key.load(Ordering::Relaxed) != 0);
        used.map(|row| (row.count.load(Ordering::Relaxed), row.text())).collect()
    }
}

impl Row {
    fn text(&self) -> String {
        // Acquire: the text.
        let len = self.len.load(Ordering::Acquire) as usize;
        let words = self.text.iter().map(|word| word.load(Ordering::Relaxed).to_ne_bytes());
        let mut bytes: Vec<u8> = words.take(len.div_ceil(WORD)).flatten().collect();
        bytes.truncate(len);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::alloc::{Layout, alloc_zeroed};

    fn rows() -> &'static Rows {
        // SAFETY: zeros are a table, whose words are atomics; it is never freed.
        unsafe { &*alloc_zeroed(Layout::new::<Rows>()).cast::<Rows>() }
    }

    #[test]
    fn equal_races_are_one_and_are_counted() {
        let table = Table(rows());
        let (first, is_new) = table.enter(7).unwrap();
        assert!(is_new);
        table.describe(first, "a.f90:1 and a.f90:2");
        assert_eq!(table.enter(7), Some((first, false)));
        let (second, is_new) = table.enter(8).unwrap();
        assert!(is_new && second != first);
        table.describe(second, "ab");
        [first, second, first].into_iter().for_each(|entry| table.count(entry, 1));
        assert_eq!(table.all(), [(2, "a.f90:1 and a.f90:2".into()), (1, "ab".into())]);
    }

    #[test]
    fn races_beyond_the_room_are_counted_alone() {
        let table = Table(rows());
        for key in 1..=ENTRIES as u64 + 3 {
            let entered = table.enter(key);
            assert_eq!(entered.is_some(), key <= ENTRIES as u64);
        }
        assert_eq!((table.all().len(), table.left_out()), (ENTRIES, 3));
        table.describe(Entry(0), &format!("a.f90:1\n{}", "x".repeat(TEXT)));
        table.describe(Entry(1), &"x".repeat(TEXT + 1));
        assert_eq!(table.all()[..2], [(0, "a.f90:1".into()), (0, String::new())]);
    }

    #[test]
    fn races_that_are_ignored_are_counted_together_and_take_no_room() {
        let table = Table(rows());
        (0..3).for_each(|_| table.count(Entry::IGNORED, 1));
        assert_eq!((table.ignored(), table.all()), (3, Vec::new()));
    }

    #[test]
    fn one_process_sums_up() {
        let table = Table(rows());
        assert!(table.take_summary().is_some() && table.take_summary().is_none());
    }

    #[test]
    fn the_last_image_that_ends_knows_it() {
        let table = Table(rows());
        assert_eq!([table.end(), table.end()], [1, 2]);
        assert_eq!([table.leave_in_error(), table.leave_in_error()], [1, 2]);
    }

    #[test]
    fn a_table_is_empty_until_a_race_has_its_text() {
        let table = Table(rows());
        table.count(Entry::IGNORED, 1);
        let (first, _) = table.enter(7).unwrap();
        assert!(table.is_empty());
        table.describe(first, "a.f90:1 and a.f90:2");
        assert!(!table.is_empty());
    }
}
