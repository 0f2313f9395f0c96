//! Everybody combines a slice of each chunk for all: every element is combined once.
//!
//! A pipeline over chunks with one step each. Before a step a member stages the next chunk (without its own
//! slice: nobody else needs that), combines its slice of the chunk that was staged before the last step, and
//! copies out the results of the chunk before that one:
//!
//! ```text
//! before step  1         2          3          4
//! stage        chunk 0   chunk 1    chunk 2
//! combine                chunk 0    chunk 1    chunk 2
//! copy out                          chunk 0    chunk 1    (after the last step: chunk 2)
//! ```

use super::{Operand, slice};
use crate::host::{Host, Sources};
use std::ops::Range;
use xmp_core::Result;
use xmp_core::board::STAGING;

/// Most bytes of a chunk, and of an element.
pub const MOST: usize = STAGING / 2;

/// Works in chunks of about `chunk` bytes, at most [`MOST`].
///
/// # Errors
/// When a member has ended.
///
/// # Safety
/// The operand is valid; elements are at most [`MOST`] bytes.
pub unsafe fn run(host: &Host<'_>, operand: &Operand<'_>, chunk: usize) -> Result<()> {
    let per_step = (chunk / operand.element()).max(1);
    let pipeline = Pipeline { host, operand, chunk: per_step * operand.element() };
    let mut pieces = operand.pieces(per_step);
    let (mut staged, mut combined): (Option<Range<usize>>, Option<Range<usize>>) = (None, None);
    // SAFETY: pieces fit in staging; what is read was written before the last step, what is written is read
    // after the coming one.
    unsafe {
        loop {
            if let Some(piece) = &combined {
                pipeline.copy_out(piece);
            }
            if let Some(piece) = &staged {
                pipeline.combine(piece);
            }
            let next = pieces.next();
            if let Some(piece) = &next {
                pipeline.stage(piece);
            }
            combined = staged;
            staged = next;
            if staged.is_none() && combined.is_none() {
                return Ok(());
            }
            host.step()?;
        }
    }
}

struct Pipeline<'a> {
    host: &'a Host<'a>,
    operand: &'a Operand<'a>,
    /// Bytes of a whole chunk. In staging there are the elements of a chunk, and behind them the results of a
    /// slice of another, which may be as long.
    chunk: usize,
}

impl Pipeline<'_> {
    /// This member's staging for the coming step.
    fn staging(&self) -> *mut u8 {
        self.host.board.staging(2 * self.chunk)
    }

    /// A member's staging in the last step.
    fn staging_of(&self, position: usize) -> *const u8 {
        self.host.board.staging_of(position, 2 * self.chunk)
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
                self.host.board.stage(at, self.operand.at(part.start), bytes);
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
            let source = |i| match i == host.me() {
                true => buffer.cast_const(),
                false => self.staging_of(i).add(offset),
            };
            let sources: Sources = (0..host.members()).map(source).collect();
            operand.reduction.combine(buffer, &sources, own.len());
            if operand.to != Some(host.me()) {
                let bytes = own.len() * operand.element();
                host.board.stage(self.staging().add(self.chunk), buffer, bytes);
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
                std::ptr::copy_nonoverlapping(
                    self.staging_of(other).add(self.chunk),
                    operand.at(slice.start),
                    slice.len() * operand.element(),
                );
            }
        }
    }
}
