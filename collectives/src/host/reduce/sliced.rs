//! Reduction by slices: each member combines one slice of each chunk for all, so every element is combined once.
//!
//! The chunks go through a pipeline with one barrier each. Before a barrier a member stages the next chunk, without its
//! own slice, which no other member needs. It combines its slice of the chunk that was staged before the last barrier,
//! and copies out the results of the chunk before that one:
//!
//! ```text
//! before barrier  1         2          3          4
//! stage           chunk 0   chunk 1    chunk 2
//! combine                   chunk 0    chunk 1    chunk 2
//! copy out                             chunk 0    chunk 1    (after the last barrier: chunk 2)
//! ```

use super::{Operand, slice};
use crate::copy::take;
use crate::host::{Host, Sources};
use std::ops::Range;
use xmp_core::BoxedResult;
use xmp_core::coll_area::STAGING;
use xmp_core::sync::{prefetch_for_read, prefetch_for_write};

/// Bytes of a chunk, and of an element, up to which this algorithm can be used.
pub const MAX_CHUNK: usize = STAGING / 2;

/// Bytes of each operand that are requested before the program's operation is called with them. Those of 8 members fit into
/// the nearest cache.
const REQUESTED: usize = 4096;

/// Bytes of a cache line.
const LINE: usize = 64;

/// The algorithm on one member.
#[derive(Debug)]
pub struct Sliced<'a> {
    host: &'a Host<'a>,
    operand: &'a Operand<'a>,
    /// Elements in a chunk.
    step: usize,
}

impl<'a> Sliced<'a> {
    /// The algorithm with chunks of about `chunk` bytes, at most [`MAX_CHUNK`], for elements of at most [`MAX_CHUNK`] bytes. The
    /// chunk of a short operand is no longer than that, so that its place in staging advances.
    pub fn new(host: &'a Host<'a>, operand: &'a Operand<'a>, chunk: usize) -> Sliced<'a> {
        let elements = &operand.elements;
        let step = (chunk / elements.element()).min(elements.count()).max(1);
        Sliced { host, operand, step }
    }

    /// Executes the whole algorithm.
    pub fn run(&self) -> BoxedResult<()> {
        self.begin();
        self.host.barrier()?;
        self.finish()
    }

    /// Does what comes before the first barrier.
    pub fn begin(&self) {
        if let Some(piece) = self.operand.elements.pieces(self.step).next() {
            self.stage(&piece);
            if self.stages_calls() {
                self.prefetch_results(&piece);
            }
        }
    }

    /// Does what comes after the first barrier, for which all members have begun this algorithm.
    pub fn finish(&self) -> BoxedResult<()> {
        let mut pieces = self.operand.elements.pieces(self.step);
        let mut staged = pieces.next();
        let mut combined: Option<Range<usize>> = None;
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

    /// Length of a member's staging buffer: the elements of a chunk, and after them the results of a slice of another
    /// chunk, which may be as long.
    fn staging_len(&self) -> usize {
        2 * self.results()
    }

    /// Offset of the results in a staging buffer.
    fn results(&self) -> usize {
        self.step * self.operand.elements.element()
    }

    /// This member's staging buffer of the current epoch.
    fn staging(&self) -> *mut u8 {
        self.host.area.staging(self.staging_len())
    }

    /// A member's staging buffer of the last epoch.
    fn staging_of(&self, position: usize) -> *const u8 {
        self.host.area.staging_of(position, self.staging_len())
    }

    fn slice_of(&self, piece: &Range<usize>, position: usize) -> Range<usize> {
        slice(piece, self.operand.elements.element(), self.host.members(), position)
    }

    /// Offset of an element of a piece in a staging buffer.
    fn offset(&self, piece: &Range<usize>, element: usize) -> usize {
        (element - piece.start) * self.operand.elements.element()
    }

    fn stage(&self, piece: &Range<usize>) {
        let (area, elements) = (self.host.area, &self.operand.elements);
        let own = self.slice_of(piece, self.host.me());
        for part in [piece.start..own.start, own.end..piece.end] {
            let bytes = part.len() * elements.element();
            // SAFETY: the elements have this part, which is in the first half of the staging buffer.
            unsafe {
                let at = self.staging().add(self.offset(piece, part.start));
                area.stage(at, elements.at(part.start), bytes);
            }
        }
    }

    /// Combines this member's slice of a piece that all members staged before the last barrier.
    fn combine(&self, piece: &Range<usize>) {
        let (host, elements) = (self.host, &self.operand.elements);
        let own = self.slice_of(piece, host.me());
        if own.is_empty() {
            return;
        }
        let offset = self.offset(piece, own.start);
        let buffer = elements.at(own.start);
        let source = |i| {
            let of_other = || self.staging_of(i).wrapping_add(offset);
            if i == host.me() { buffer.cast_const() } else { of_other() }
        };
        let sources: Sources = (0..host.members()).map(source).collect();
        let bytes = own.len() * elements.element();
        // SAFETY: the elements have this slice. Staging buffers of the last epoch are not written before the next
        // barrier; the second half of this member's staging buffer has room for the results of a slice.
        unsafe {
            let results = self.staging().add(self.results());
            if self.stages_calls() {
                self.call(results, &sources, own.len());
                std::ptr::copy_nonoverlapping(results, buffer, bytes);
            } else if self.operand.to == Some(host.me()) {
                elements.reduction().combine(buffer, &sources, own.len());
            } else {
                elements.reduction().combine(buffer, &sources, own.len());
                host.area.stage(results, buffer, bytes);
            }
        }
    }

    /// Whether this member calls an operation of the program and stages its results.
    fn stages_calls(&self) -> bool {
        let by_program = self.operand.elements.reduction().is_by_program();
        by_program && self.operand.to != Some(self.host.me())
    }

    /// Calls the operation of the program, whose results go to staging at once: their lines come from other cores during the
    /// calls. The operands of the others are requested block by block before the calls: a processor itself looks only a few calls
    /// ahead.
    ///
    /// # Safety
    /// `results` and the sources are valid for `count` elements; nothing else accesses `results`.
    unsafe fn call(&self, results: *mut u8, sources: &Sources, count: usize) {
        let reduction = self.operand.elements.reduction();
        let element = reduction.element();
        let step = (REQUESTED / element).max(1);
        for from in (0..count).step_by(step) {
            let block = step.min(count - from);
            let at = from * element;
            let sources: Sources = sources.iter().map(|source| source.wrapping_add(at)).collect();
            for other in self.host.others() {
                for line in (0..block * element).step_by(LINE) {
                    prefetch_for_read(sources[other].wrapping_add(line));
                }
            }
            // SAFETY: the block is within `count` elements.
            unsafe { reduction.combine(results.add(at), &sources, block) };
        }
    }

    /// Takes the first lines of the results of a piece away from the members that have read them. The members wait for the
    /// barrier meanwhile, and the calls that follow are slow enough.
    fn prefetch_results(&self, piece: &Range<usize>) {
        let (host, element) = (self.host, self.operand.elements.element());
        let results = host.area.staging_after(self.staging_len()).wrapping_add(self.results());
        let bytes = self.slice_of(piece, host.me()).len() * element;
        for line in (0..bytes.min(REQUESTED)).step_by(LINE) {
            prefetch_for_write(results.wrapping_add(line));
        }
    }

    /// Copies the results of a piece whose slices all members combined before the last barrier.
    fn copy_out(&self, piece: &Range<usize>) {
        let (host, elements) = (self.host, &self.operand.elements);
        if !self.operand.wanted_by(host.me()) {
            return;
        }
        for other in host.others_from_next() {
            let slice = self.slice_of(piece, other);
            let bytes = slice.len() * elements.element();
            let results = self.staging_of(other).wrapping_add(self.results());
            // SAFETY: the elements have this slice. Staging buffers of the last epoch are not written before the next
            // barrier.
            unsafe { take(elements.at(slice.start), results, bytes) };
        }
    }
}
