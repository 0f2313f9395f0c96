//! Requests to other hosts: the shadow of a segment, the clocks of its words and the table of races are on the host of
//! the segment. The server of that host executes for an image the operation that the image would execute there itself.
//!
//! A request is words of 8 bytes, the first of which is the kind of request, and perhaps a text.

use super::access::{Access, GRANULE, bytes_within};
use super::layout::ShadowLayout;
use super::shadow::{Shadows, statement_of};
use super::slots;
use super::table::{Entry, WholeTable};
use crate::error::{Error, Result};
use crate::job::{Handler, HandlerCall, Job};
use crate::rank::Rank;
use crate::transport::{FlushScope, Layout, Transport};
use std::ops::Range;
use xmp_source::Statement;

/// Serves requests of images of other hosts.
const HANDLER: Handler = Handler { number: 0xff03, run: serve };

/// Lets the server of this host execute requests of images of other hosts.
///
/// # Errors
/// When a front end has taken its number.
pub fn register(job: &Job) -> Result<()> {
    job.handlers().register(HANDLER)
}

/// The kind of a request. The words that follow it are in brackets.
mod wish {
    /// Adds to the clock of a word [offset, clock].
    pub const ADD: u64 = 0;
    /// Posts an event [offset, clock].
    pub const POST: u64 = 1;
    /// The clock of a word [offset].
    pub const SEE: u64 = 2;
    /// Enters an access [word of the access, clock, offset and length of each range]. The reply has offset and word of
    /// each conflict.
    pub const ACCESS: u64 = 3;
    /// The statement of a site, as a text [site].
    pub const STATEMENT: u64 = 4;
    /// Enters a race in the table [key]. The reply has its number, and 1 if it is new; nothing if there is no room.
    pub const ENTER: u64 = 5;
    /// Keeps the text about a race for the end of the job [number], a text.
    pub const DESCRIBE: u64 = 6;
    /// Counts races [number, how many].
    pub const COUNT: u64 = 7;
    /// Counts an image as ended. The reply has the number of ended images.
    pub const END: u64 = 8;
    /// The table. The reply has how many were ignored and left out, then of each race the count, the length of the text, and this.
    pub const TABLE: u64 = 9;
    /// The same for the summary of the job, once; then nothing.
    pub const SUMMARY: u64 = 10;
}

/// Most ranges of bytes in one request.
const MOST_RANGES: usize = 4096;

const WORD: usize = size_of::<u64>();

/// Other hosts, reached through a transport.
#[derive(Clone, Copy, Debug)]
pub struct Remote<'a>(pub &'a dyn Transport);

impl Remote<'_> {
    fn ask(
        &self,
        of: Rank,
        wish: u64,
        words: impl IntoIterator<Item = u64>,
        text: &str,
    ) -> Result<Vec<u8>> {
        let words = [wish].into_iter().chain(words);
        let payload: Vec<u8> = words.flat_map(u64::to_le_bytes).chain(text.bytes()).collect();
        let mut reply = Vec::new();
        self.0.call(of, HANDLER, &payload, &mut reply)?;
        Ok(reply)
    }

    /// Stores words at an offset of the segment of an image, of which nothing is read before this image notifies another one.
    pub fn store(&self, of: Rank, offset: u64, words: impl Iterator<Item = u64>) -> Result<()> {
        let bytes: Vec<u8> = words.flat_map(u64::to_ne_bytes).collect();
        // SAFETY: the bytes can be read. The layout has room for the words there, which no other image writes, and which nothing reads
        // before a notification.
        unsafe { self.0.put(of, offset, bytes.as_ptr(), Layout::Contiguous(bytes.len())) }
    }

    /// Completes earlier stores.
    pub fn flush(&self) -> Result<()> {
        self.0.flush(FlushScope::All)
    }

    /// Merges a clock into the clock of a word.
    pub fn add_to(&self, of: Rank, offset: u64, clock: impl Iterator<Item = u64>) -> Result<()> {
        self.ask(of, wish::ADD, [offset].into_iter().chain(clock), "").map(drop)
    }

    /// Posts an event with a clock.
    pub fn post(&self, of: Rank, offset: u64, clock: impl Iterator<Item = u64>) -> Result<()> {
        self.ask(of, wish::POST, [offset].into_iter().chain(clock), "").map(drop)
    }

    /// Calls `see` with the clock of a word.
    pub fn see(&self, of: Rank, offset: u64, mut see: impl FnMut(usize, u64)) -> Result<()> {
        let reply = self.ask(of, wish::SEE, [offset], "")?;
        words(&reply).enumerate().for_each(|(image, segment)| see(image, segment));
        Ok(())
    }

    /// Enters an access to ranges of bytes, and calls `found` with those that conflict with it and their offsets.
    pub fn access(
        &self,
        of: Rank,
        mine: &Access,
        clock: impl Iterator<Item = u64> + Clone,
        ranges: &[Range<u64>],
        mut found: impl FnMut(u64, Access),
    ) -> Result<()> {
        for ranges in ranges.chunks(MOST_RANGES) {
            let ranges = ranges.iter().flat_map(|range| [range.start, range.end]);
            let request = [mine.to_word()].into_iter().chain(clock.clone()).chain(ranges);
            let reply = self.ask(of, wish::ACCESS, request, "")?;
            let mut reply = words(&reply);
            while let (Some(offset), Some(word)) = (reply.next(), reply.next()) {
                if let Some(other) = Access::from_word(word) {
                    found(offset, other);
                }
            }
        }
        Ok(())
    }

    /// The statement of a site of an image, if it is known.
    pub fn statement(&self, of: Rank, site: u16) -> Option<Statement> {
        let reply = self.ask(of, wish::STATEMENT, [site.into()], "").ok()?;
        Statement::from_text(std::str::from_utf8(&reply).ok()?)
    }

    /// The entry of the race with this key in the table of the job, and whether it is new. `None` if there is no room for it.
    pub fn enter(&self, key: u64) -> Result<Option<(Entry, bool)>> {
        let reply = self.ask(TABLE_OF, wish::ENTER, [key], "")?;
        let mut reply = words(&reply);
        let entered = reply.next().zip(reply.next());
        Ok(entered.map(|(number, is_new)| (Entry::from_number(number), is_new == 1)))
    }

    /// Keeps the text about a new race for the end of the job.
    pub fn describe(&self, entry: Entry, text: &str) -> Result<()> {
        self.ask(TABLE_OF, wish::DESCRIBE, [entry.number()], text).map(drop)
    }

    /// Counts a race that was found more often.
    pub fn count(&self, entry: Entry, times: u64) -> Result<()> {
        self.ask(TABLE_OF, wish::COUNT, [entry.number(), times], "").map(drop)
    }

    /// Counts an image as ended, and returns the number of ended images.
    pub fn end(&self) -> Result<u64> {
        let reply = self.ask(TABLE_OF, wish::END, [], "")?;
        words(&reply).next().ok_or_else(malformed)
    }

    /// The table of the job.
    pub fn table(&self) -> Result<WholeTable> {
        let reply = self.ask(TABLE_OF, wish::TABLE, [], "")?;
        read_table(&reply).ok_or_else(malformed)
    }

    /// The same for the summary of the job, once.
    pub fn take_summary(&self) -> Result<Option<WholeTable>> {
        let reply = self.ask(TABLE_OF, wish::SUMMARY, [], "")?;
        let is_taken = reply.is_empty();
        if is_taken { Ok(None) } else { read_table(&reply).map(Some).ok_or_else(malformed) }
    }
}

/// The image whose segment has the table.
pub const TABLE_OF: Rank = Rank::new(0);

/// The words of a request or a reply.
fn words(bytes: &[u8]) -> impl Iterator<Item = u64> + Clone {
    bytes.as_chunks::<WORD>().0.iter().map(|&word| u64::from_le_bytes(word))
}

fn malformed() -> Error {
    Error::Invalid("a message of the check for races that no image sends".into())
}

/// Executes a request of an image of another host.
fn serve(served: HandlerCall<'_>, payload: &[u8], reply: &mut Vec<u8>) -> Result<()> {
    let HandlerCall { job, origin, target } = served;
    let layout = ShadowLayout::new(&job.geometry().layout(), job.images())?;
    let shadows = Shadows::new(job, layout);
    let mut request = words(payload);
    let mut next = || request.next().ok_or_else(malformed);
    let wish = next()?;
    match wish {
        wish::ADD | wish::POST | wish::SEE => {
            let offset = next()?;
            if !offset.is_multiple_of(GRANULE) || offset >= shadows.end() {
                return Err(malformed());
            }
            match wish {
                wish::ADD => shadows.add_to(target, offset, request),
                wish::POST => shadows.post(origin, target, offset, request),
                _ => {
                    let mut clock = vec![0; job.images()];
                    shadows.see(target, offset, |image, segment| clock[image] = segment);
                    append(reply, clock);
                }
            }
        }
        wish::ACCESS => {
            let mine = Access::from_word(next()?).ok_or_else(malformed)?;
            let clock: Vec<u64> = request.by_ref().take(job.images()).collect();
            if clock.len() < job.images() || mine.image != origin.get() {
                return Err(malformed());
            }
            while let (Some(start), Some(end)) = (request.next(), request.next()) {
                access(&shadows, target, mine, &clock, start..end, reply)?;
            }
        }
        wish::STATEMENT => {
            let site = u16::try_from(next()?).map_err(|_| malformed())?;
            let statement = statement_of(&shadows, target, site);
            reply.extend(statement.map(|it| it.to_text()).unwrap_or_default().bytes());
        }
        _ => serve_table(&shadows, wish, payload, reply)?,
    }
    Ok(())
}

/// Enters an access of an image of another host to bytes of `of`, and appends the accesses that conflict with it. One
/// access of several granules is appended once.
fn access(
    shadows: &Shadows<&Job>,
    of: Rank,
    mine: Access,
    clock: &[u64],
    bytes: Range<u64>,
    reply: &mut Vec<u8>,
) -> Result<()> {
    if bytes.start >= bytes.end || bytes.end > shadows.end() {
        return Err(malformed());
    }
    let is_before = |it: &Access| {
        let ordered = clock.get(it.image as usize).copied().unwrap_or(0);
        it.image == mine.image || it.segment <= ordered
    };
    let mut last = None;
    slots::record(
        shadows.slots(of, bytes.clone()),
        bytes.clone(),
        mine,
        is_before,
        |granule, other| {
            let its = (other.image, other.site, other.kind);
            if last.replace(its) != Some(its) {
                let from = granule * GRANULE;
                let both = other.bytes & bytes_within(from, &bytes);
                append(reply, [from + u64::from(both.trailing_zeros()), other.to_word()]);
            }
        },
    );
    Ok(())
}

/// The part of `serve` for the table of races.
fn serve_table(
    shadows: &Shadows<&Job>,
    wish: u64,
    payload: &[u8],
    reply: &mut Vec<u8>,
) -> Result<()> {
    let table = shadows.table();
    let mut request = words(payload).skip(1);
    let mut next = || request.next().ok_or_else(malformed);
    match wish {
        wish::ENTER => {
            if let Some((entry, is_new)) = table.enter(next()?) {
                append(reply, [entry.number(), is_new.into()]);
            }
        }
        wish::DESCRIBE => {
            let entry = Entry::from_number(next()?);
            let text = payload.get(2 * WORD..).and_then(|text| std::str::from_utf8(text).ok());
            table.describe(entry, text.ok_or_else(malformed)?);
        }
        wish::COUNT => table.count(Entry::from_number(next()?), next()?),
        wish::END => append(reply, [table.end()]),
        wish::TABLE => append_table(reply, &table.whole()),
        wish::SUMMARY => {
            if let Some(table) = table.take_summary() {
                append_table(reply, &table);
            }
        }
        _ => return Err(malformed()),
    }
    Ok(())
}

fn append(reply: &mut Vec<u8>, words: impl IntoIterator<Item = u64>) {
    reply.extend(words.into_iter().flat_map(u64::to_le_bytes));
}

fn append_table(reply: &mut Vec<u8>, table: &WholeTable) {
    append(reply, [table.ignored, table.left_out]);
    for (count, text) in &table.races {
        append(reply, [*count, text.len() as u64]);
        reply.extend(text.bytes());
    }
}

fn read_table(mut bytes: &[u8]) -> Option<WholeTable> {
    let word = |bytes: &mut &[u8]| {
        let (word, rest) = bytes.split_first_chunk::<WORD>()?;
        *bytes = rest;
        Some(u64::from_le_bytes(*word))
    };
    let (ignored, left_out) = (word(&mut bytes)?, word(&mut bytes)?);
    let mut races = Vec::new();
    while !bytes.is_empty() {
        let (count, len) = (word(&mut bytes)?, word(&mut bytes)?);
        let (text, rest) = bytes.split_at_checked(usize::try_from(len).ok()?)?;
        races.push((count, String::from_utf8_lossy(text).into_owned()));
        bytes = rest;
    }
    Some(WholeTable { ignored, left_out, races })
}
