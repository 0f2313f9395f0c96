//! Random access, after the HPC Challenge benchmark: a stream of pseudo-random numbers updates a table that is in
//! parts on all images, `table[r mod size] ^= r`. Each update is one atomic operation, so that none is lost.

mod stream;

use std::fmt;
use std::ops::Range;
use std::time::Instant;
use stream::Stream;
use xmp_coarray::prelude::*;

/// Updates for each word of the table.
const UPDATES_PER_WORD: u64 = 4;

/// What came out, and how fast.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// Words of the table.
    pub words: u64,
    /// Number of updates.
    pub updates: u64,
    /// Words that were wrong afterwards.
    pub errors: u64,
    /// Time of the updates.
    pub seconds: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, " Table           = {} words of 8 bytes", self.words)?;
        writeln!(f, " Updates         = {}", self.updates)?;
        writeln!(f, " Time in seconds = {:.3}", self.seconds)?;
        writeln!(f, " GUP/s           = {:.5}", self.updates as f64 / self.seconds * 1e-9)?;
        writeln!(f, " Errors          = {}", self.errors)?;
        write!(f, " VERIFICATION {}", if self.errors == 0 { "SUCCESSFUL" } else { "FAILED" })
    }
}

/// The table: the words in blocks over the images, in image order.
struct Table<'i> {
    image: &'i Image,
    words: u64,
    /// Words of an image; the last ones may have fewer.
    share: u64,
    parts: AtomicCoarray<'i, u64>,
}

impl<'i> Table<'i> {
    /// Word k is k.
    fn new(image: &'i Image, words: u64) -> Result<Table<'i>> {
        let share = words.div_ceil(image.num_images() as u64);
        let parts = AtomicCoarray::new(image, share as usize)?;
        let table = Table { image, words, share, parts };
        for (k, word) in table.own().enumerate() {
            table.parts.store(image.this_image(), k, word)?;
        }
        Ok(table)
    }

    /// The words of this image.
    fn own(&self) -> Range<u64> {
        let start = (self.image.this_image() as u64 - 1) * self.share;
        start.min(self.words)..(start + self.share).min(self.words)
    }

    /// This image's share of `updates` updates: consecutive ones of the stream.
    fn update(&self, updates: u64) -> Result<()> {
        let (me, images) = (self.image.this_image() as u64, self.image.num_images() as u64);
        let (from, to) = (updates * (me - 1) / images, updates * me / images);
        for random in Stream::starting_at(from).take((to - from) as usize) {
            let word = random & (self.words - 1);
            let (part, k) = (word / self.share, word % self.share);
            self.parts.fetch_xor(part as usize + 1, k as usize, random)?;
        }
        self.image.sync_all()
    }

    /// Words of this image that are not what they were at first.
    fn errors(&self) -> Result<u64> {
        let me = self.image.this_image();
        let mut errors = 0;
        for (k, word) in self.own().enumerate() {
            errors += u64::from(self.parts.load(me, k)? != word);
        }
        Ok(errors)
    }
}

/// Runs the benchmark on a table of 2^`log2_words` words. All images call it and get the same report.
///
/// # Errors
/// When there is no memory for the table; when an image has stopped or failed.
pub fn run(image: &Image, log2_words: u32) -> Result<Report> {
    let table = Table::new(image, 1 << log2_words)?;
    let updates = UPDATES_PER_WORD << log2_words;
    image.sync_all()?;
    let clock = Instant::now();
    table.update(updates)?;
    let mut seconds = clock.elapsed().as_secs_f64();
    image.co_max(&mut seconds)?;
    // An update is its own inverse: after the same updates again every word must be as at first.
    table.update(updates)?;
    let mut errors = table.errors()?;
    image.co_sum(&mut errors)?;
    table.parts.free()?;
    Ok(Report { words: 1 << log2_words, updates, errors, seconds })
}
