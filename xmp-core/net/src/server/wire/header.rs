//! The header of requests, with the same fields in each kind, and how it describes where bytes lie at the target.
//!
//! | layout | code | offset | first value | tail |
//! |---|---|---|---|---|
//! | contiguous | [`CONTIGUOUS`] | of the bytes | their number | |
//! | nest | number of loops | of the first unit | bytes of a unit | extent and distance of each loop |
//! | runs | [`RUNS`] | 0 | their number | offset and length of each |

use super::{
    Grid, Head, LOOP, MARK, MAX_LOOPS, REQUEST_HEADER, RUN, RemoteLayout, Runs, bad, u32_at, u64_at,
};
use crate::error::Result;
use crate::nest::{Loop, Nest};
use crate::rank::Rank;
use std::ops::Range;

const CONTIGUOUS: u8 = 0;
const RUNS: u8 = u8::MAX;

/// The fields of a header. What they mean depends on the kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fields {
    pub(super) kind: u8,
    pub(super) code: u8,
    /// Bytes of a word, or the form of a payload.
    pub(super) form: u8,
    pub(super) offset: u64,
    pub(super) values: [u64; 2],
}

impl Fields {
    /// Writes the header to the end of `message`.
    pub(super) fn write(self, message: &mut Vec<u8>, head: Head) {
        let Fields { kind, code, form, offset, values: [a, b] } = self;
        let mut header = [0; REQUEST_HEADER];
        header[..4].copy_from_slice(&[MARK, kind, code, form]);
        for (at, word) in [(4, head.origin.get()), (8, head.target.get()), (12, head.id)] {
            header[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        for (at, word) in [(16, offset), (24, a), (32, b)] {
            header[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        message.extend_from_slice(&header);
    }

    /// Reads the header of a message; returns the bytes behind it, too.
    pub(super) fn read(message: &[u8]) -> Result<(Head, Fields, &[u8])> {
        let (header, tail) = message.split_first_chunk::<REQUEST_HEADER>().ok_or_else(|| {
            bad(format!("a request of {} bytes has no header of {REQUEST_HEADER}", message.len()))
        })?;
        let [mark, kind, code, form] = [0, 1, 2, 3].map(|at| header[at]);
        if mark != MARK {
            return Err(bad(format!("a request that begins with {mark:#04x}, not {MARK:#04x}")));
        }
        let [origin, target, id] = [4, 8, 12].map(|at| u32_at(header, at));
        let head = Head { origin: Rank::new(origin), target: Rank::new(target), id };
        let [offset, a, b] = [16, 24, 32].map(|at| u64_at(header, at));
        Ok((head, Fields { kind, code, form, offset, values: [a, b] }, tail))
    }
}

impl Grid {
    /// The target's side of a nest at `offset`.
    pub fn of(offset: u64, nest: Nest<'_>) -> Grid {
        let loops = nest.loops.iter().map(|it| Loop { local: 0, ..*it }).collect();
        Grid { offset, unit: nest.unit, loops }
    }

    /// The nest; its distances in local memory are 0.
    pub fn nest(&self) -> Nest<'_> {
        Nest { unit: self.unit, loops: &self.loops }
    }

    /// Bytes of the units, packed; `None` when there are more than can be addressed.
    pub fn packed(&self) -> Option<u64> {
        self.nest().bytes().map(|len| len as u64)
    }

    /// The bytes of the segment from the first to the last one touched, which may lie outside it.
    pub fn touched(&self) -> Range<i128> {
        self.nest().touched(self.offset)
    }
}

impl<'a> RemoteLayout<'a> {
    /// The fields of a header that tell this layout.
    pub(super) fn fields(&self) -> Fields {
        let (code, offset, size) = match self {
            RemoteLayout::Contiguous { offset, len } => (CONTIGUOUS, *offset, *len),
            RemoteLayout::Nest(grid) => (grid.loops.len() as u8, grid.offset, grid.unit as u64),
            RemoteLayout::Runs(runs) => (RUNS, 0, runs.count()),
        };
        Fields { code, offset, values: [size, 0], ..Fields::default() }
    }

    /// Writes what is behind the header.
    pub(super) fn write_tail(&self, message: &mut Vec<u8>) {
        match self {
            RemoteLayout::Contiguous { .. } => {}
            RemoteLayout::Nest(grid) => {
                for it in &grid.loops {
                    message.extend((it.extent as u64).to_le_bytes());
                    message.extend(it.remote.to_le_bytes());
                }
            }
            RemoteLayout::Runs(runs) => message.extend_from_slice(runs.bytes()),
        }
    }

    /// Reads a layout; returns the bytes behind it, too.
    pub(super) fn read(fields: &Fields, tail: &'a [u8]) -> Result<(RemoteLayout<'a>, &'a [u8])> {
        let Fields { code, offset, values: [size, _], .. } = *fields;
        match code {
            CONTIGUOUS => Ok((RemoteLayout::Contiguous { offset, len: size }, tail)),
            RUNS => {
                let (runs, rest) = usize::try_from(size)
                    .ok()
                    .and_then(|count| tail.split_at_checked(count.checked_mul(RUN)?))
                    .ok_or_else(|| bad(format!("{size} runs in {} bytes", tail.len())))?;
                Ok((RemoteLayout::Runs(Runs::read(runs)?), rest))
            }
            loops => {
                let (grid, rest) = read_grid(offset, size, loops.into(), tail)?;
                Ok((RemoteLayout::Nest(grid), rest))
            }
        }
    }
}

fn read_grid(offset: u64, unit: u64, loops: usize, tail: &[u8]) -> Result<(Grid, &[u8])> {
    if loops > MAX_LOOPS || tail.len() < loops * LOOP {
        return Err(bad(format!("a nest of {loops} loops in {} bytes", tail.len())));
    }
    let (bytes, rest) = tail.split_at(loops * LOOP);
    let one = |bytes: &[u8]| Loop {
        extent: u64_at(bytes, 0) as usize,
        remote: u64_at(bytes, 8) as i64,
        local: 0,
    };
    let unit = unit as usize;
    Ok((Grid { offset, unit, loops: bytes.chunks_exact(LOOP).map(one).collect() }, rest))
}
