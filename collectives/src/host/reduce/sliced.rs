//! Each member combines a slice of each chunk for all: every element is combined once.
//!
//! A pipeline over chunks with one step each. Before a step a member stages the next chunk (without its own
//! slice: no other member needs that), combines its slice of the chunk that was staged before the last step, and
//! copies out the results of the chunk before that one:
//!
//! ```text
//! before step  1         2          3          4
//! stage        chunk 0   chunk 1    chunk 2
//! combine                chunk 0    chunk 1    chunk 2
//! copy out                          chunk 0    chunk 1    (after the last step: chunk 2)
//! ```

use super::{Operand, slice};
use crate::host::copy::take;
use crate::host::{Host, Sources};
use std::ops::Range;
use xmp_core::Result;
use xmp_core::coll_area::STAGING;

/// Most bytes of a chunk, and of an element.
pub const MOST: usize = STAGING / 2;

/// One member in the algorithm.
#[derive(Debug)]
pub struct Sliced<'a> {
    host: &'a Host<'a>,
    operand: &'a Operand<'a>,
    /// Elements in a chunk.
    per_step: usize,
}

impl<'a> Sliced<'a> {
    /// Works in chunks of about `chunk` bytes, at most [`MOST`]; elements are at most [`MOST`] bytes.
    pub fn new(host: &'a Host<'a>, operand: &'a Operand<'a>, chunk: usize) -> Sliced<'a> {
        Sliced { host, operand, per_step: (chunk / operand.element()).max(1) }
    }

    /// The whole algorithm.
    ///
    /// # Errors
    /// When a member has ended.
    ///
    /// # Safety
    /// The operand is valid.
    pub unsafe fn run(&self) -> Result<()> {
        // SAFETY: the operand is valid (contract above).
        unsafe {
            self.begin();
            self.host.barrier()?;
            self.finish()
        }
    }

    /// What comes before the first step.
    ///
    /// # Safety
    /// The operand is valid.
    pub unsafe fn begin(&self) {
        if let Some(piece) = self.operand.pieces(self.per_step).next() {
            // SAFETY: the operand is valid (contract above).
            unsafe { self.stage(&piece) };
        }
    }

    /// What comes after the first step.
    ///
    /// # Errors
    /// When a member has ended.
    ///
    /// # Safety
    /// The operand is valid; all members have begun and made the step.
    pub unsafe fn finish(&self) -> Result<()> {
        let mut pieces = self.operand.pieces(self.per_step);
        let mut staged = pieces.next();
        let mut combined: Option<Range<usize>> = None;
        // SAFETY: what is read was written before the last step, what is written is read after the coming one.
        unsafe {
            loop {
                if let Some(piece) = &combined {
                    self.copy_out(piece);
                }
                if let Some(piece) = &staged {
                    self.combine(piece);
                }
                combined = std::mem::replace(&mut staged, pieces.next());
                if let Some(piece) = &staged {
                    self.stage(piece);
                } else if combined.is_none() {
                    return Ok(());
                }
                self.host.barrier()?;
            }
        }
    }

    /// Length of a member's staging: the elements of a chunk, and behind them the results of a slice of another
    /// chunk, which may be as long.
    fn staging_len(&self) -> usize {
        2 * self.results()
    }

    /// Offset of the results in staging.
    fn results(&self) -> usize {
        self.per_step * self.operand.element()
    }

    /// This member's staging for the coming step.
    fn staging(&self) -> *mut u8 {
        self.host.area.staging(self.staging_len())
    }

    /// A member's staging in the last step.
    fn staging_of(&self, position: usize) -> *const u8 {
        self.host.area.staging_of(position, self.staging_len())
    }

    fn slice_of(&self, piece: &Range<usize>, position: usize) -> Range<usize> {
        slice(piece, self.operand.element(), self.host.members(), position)
    }

    /// Offset of an element of a piece in the staging buffer.
    fn offset(&self, piece: &Range<usize>, element: usize) -> usize {
        (element - piece.start) * self.operand.element()
    }

    /// # Safety
    /// The piece is of the operand.
    unsafe fn stage(&self, piece: &Range<usize>) {
        let own = self.slice_of(piece, self.host.me());
        for part in [piece.start..own.start, own.end..piece.end] {
            // SAFETY: own staging buffer of the coming step, in bounds.
            unsafe {
                let at = self.staging().add(self.offset(piece, part.start));
                let bytes = part.len() * self.operand.element();
                self.host.area.stage(at, self.operand.at(part.start), bytes);
            }
        }
    }

    /// # Safety
    /// The piece was staged by all before the last step.
    unsafe fn combine(&self, piece: &Range<usize>) {
        let (host, operand) = (self.host, self.operand);
        let own = self.slice_of(piece, host.me());
        if own.is_empty() {
            return;
        }
        let offset = self.offset(piece, own.start);
        let buffer = operand.at(own.start);
        // SAFETY: in bounds; see above.
        unsafe {
            let source = |i| {
                if i == host.me() { buffer.cast_const() } else { self.staging_of(i).add(offset) }
            };
            let sources: Sources = (0..host.members()).map(source).collect();
            operand.reduction.combine(buffer, &sources, own.len());
            if operand.to != Some(host.me()) {
                let bytes = own.len() * operand.element();
                host.area.stage(self.staging().add(self.results()), buffer, bytes);
            }
        }
    }

    /// # Safety
    /// The piece was combined by all before the last step.
    unsafe fn copy_out(&self, piece: &Range<usize>) {
        let (host, operand) = (self.host, self.operand);
        if !operand.wanted_by(host.me()) {
            return;
        }
        for other in (0..host.members()).filter(|&i| i != host.me()) {
            let slice = self.slice_of(piece, other);
            // SAFETY: in bounds; see above.
            unsafe {
                let bytes = slice.len() * operand.element();
                take(operand.at(slice.start), self.staging_of(other).add(self.results()), bytes);
            }
        }
    }
}
