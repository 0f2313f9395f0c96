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

/// Most bytes of a chunk, and of an element: behind the staged chunk lies the result of a slice, which may be
/// the whole chunk when that is one element.
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
    let pipeline = Pipeline { host, operand, results: per_step * operand.element() };
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
    /// Offset of a slice's results in the staging buffer, bytes.
    results: usize,
}

impl Pipeline<'_> {
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
                std::ptr::copy_nonoverlapping(
                    self.operand.at(part.start),
                    self.host.board.staging().add(self.offset(piece, part.start)),
                    part.len() * self.operand.element(),
                );
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
                false => host.board.staging_of(i).add(offset),
            };
            let sources: Sources = (0..host.members()).map(source).collect();
            let results = host.board.staging().add(self.results);
            match operand.to {
                Some(to) if to == host.me() => {
                    operand.reduction.combine(buffer, &sources, own.len());
                }
                Some(_) => operand.reduction.combine(results, &sources, own.len()),
                None => {
                    operand.reduction.combine(buffer, &sources, own.len());
                    let bytes = own.len() * operand.element();
                    std::ptr::copy_nonoverlapping(buffer, results, bytes);
                }
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
                    host.board.staging_of(other).add(self.results),
                    operand.at(slice.start),
                    slice.len() * operand.element(),
                );
            }
        }
    }
}
