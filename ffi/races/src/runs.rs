//! The accesses of one thread since the last image control statement that are not entered yet: a run of contiguous
//! bytes for each place of the program.
//!
//! A place that accesses the element after its last one makes its run longer. Otherwise the run breaks: it is entered, and a new
//! one begins. That an access is entered later changes nothing as long as the image executes no image control statement, see
//! `xmp_core::races`.

use crate::filter::entry;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Places that have runs at a time; a power of two.
const RUNS: usize = 1 << 11;

/// A run. The thread that it belongs to makes it longer; beginning and end are within the lock of the table.
#[derive(Debug, Default)]
struct Run {
    /// [`key`] of its place; 0 for none.
    key: AtomicUsize,
    from: AtomicUsize,
    to: AtomicUsize,
    site: AtomicU16,
}

/// The runs of a thread.
#[derive(Debug)]
pub struct Table {
    runs: Box<[Run]>,
    /// The numbers of the runs that are not empty.
    open: Mutex<Vec<usize>>,
}

/// A place, by the return address of its call, and the kind of its access: never 0.
fn key(place: usize, writes: bool) -> usize {
    place << 1 | usize::from(writes)
}

impl Default for Table {
    fn default() -> Table {
        Table { runs: (0..RUNS).map(|_| Run::default()).collect(), open: Mutex::default() }
    }
}

impl Table {
    /// The thread accesses these bytes at a place.
    #[inline]
    pub fn access(&self, address: usize, len: usize, writes: bool, place: usize) {
        let key = key(place, writes);
        let number = (key ^ key >> 11) & (RUNS - 1);
        let run = &self.runs[number];
        // Relaxed: only this thread changes the run, but for `flush`, which another thread calls while this one accesses nothing;
        // threads of a program that breaks this rule race with one another, and an access may be missed.
        if run.key.load(Ordering::Relaxed) == key {
            let (from, to) = (run.from.load(Ordering::Relaxed), run.to.load(Ordering::Relaxed));
            if address == to {
                run.to.store(address + len, Ordering::Relaxed);
                return;
            }
            if from <= address && address + len <= to {
                return;
            }
        }
        self.begin(number, address..address + len, key, place);
    }

    /// The run with this number breaks if there is one, and another one begins.
    #[cold]
    fn begin(&self, number: usize, bytes: std::ops::Range<usize>, key: usize, place: usize) {
        let Some(entry) = entry() else { return };
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let run = &self.runs[number];
        match run.key.load(Ordering::Relaxed) {
            0 => open.push(number),
            _ => run.enter(),
        }
        if run.key.swap(key, Ordering::Relaxed) != key || run.site.load(Ordering::Relaxed) == 0 {
            run.site.store((entry.site)(place), Ordering::Relaxed);
        }
        run.from.store(bytes.start, Ordering::Relaxed);
        run.to.store(bytes.end, Ordering::Relaxed);
    }

    /// Enters all runs. Any thread may call it.
    pub fn flush(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        for number in open.drain(..) {
            let run = &self.runs[number];
            run.enter();
            run.key.store(0, Ordering::Relaxed);
        }
    }
}

impl Run {
    /// Enters it.
    fn enter(&self) {
        let (from, to) = (self.from.load(Ordering::Relaxed), self.to.load(Ordering::Relaxed));
        let writes = self.key.load(Ordering::Relaxed) & 1 == 1;
        if let Some(entry) = entry() {
            (entry.enter)(from, to - from, writes, self.site.load(Ordering::Relaxed));
        }
    }
}
