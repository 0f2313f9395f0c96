//! Reduction by copy-in: each member stages all its elements, and each member that gets the result combines all of
//! them, with one barrier a chunk. Each member repeats the combination, but no member waits for a result.

use super::Operand;
use crate::host::{Host, Sources};
use std::ops::Range;
use xmp_core::BoxedResult;
use xmp_core::coll_area::STAGING;

/// Bytes of an element up to which this algorithm can be used.
pub const LONGEST: usize = STAGING;

/// The algorithm on one member.
#[derive(Debug)]
pub struct CopyIn<'a> {
    host: &'a Host<'a>,
    operand: &'a Operand<'a>,
    /// Elements in a chunk.
    step: usize,
}

impl<'a> CopyIn<'a> {
    /// The algorithm with chunks of about `chunk` bytes, at most [`STAGING`], for elements of at most [`LONGEST`] bytes.
    pub fn new(host: &'a Host<'a>, operand: &'a Operand<'a>, chunk: usize) -> CopyIn<'a> {
        CopyIn { host, operand, step: (chunk / operand.elements.element()).max(1) }
    }

    /// Executes the whole algorithm.
    pub fn run(&self) -> BoxedResult<()> {
        let count = self.operand.elements.count();
        if count <= self.step {
            // The general way, without its loop over pieces.
            self.stage(&(0..count));
            self.host.barrier()?;
            self.combine(&(0..count));
            return Ok(());
        }
        self.begin();
        self.host.barrier()?;
        self.finish()
    }

    /// Does what comes before the first barrier.
    pub fn begin(&self) {
        if let Some(piece) = self.operand.elements.pieces(self.step).next() {
            self.stage(&piece);
        }
    }

    /// Does what comes after the first barrier, for which all members have begun this algorithm.
    pub fn finish(&self) -> BoxedResult<()> {
        let mut pieces = self.operand.elements.pieces(self.step);
        let mut staged = pieces.next();
        while let Some(piece) = staged {
            self.combine(&piece);
            staged = pieces.next();
            if let Some(piece) = &staged {
                self.stage(piece);
                self.host.barrier()?;
            }
        }
        Ok(())
    }

    fn stage(&self, piece: &Range<usize>) {
        let (area, elements) = (self.host.area, &self.operand.elements);
        let bytes = piece.len() * elements.element();
        if self.operand.to != Some(self.host.me()) {
            // SAFETY: the elements have this piece, and this member's staging buffer of the current epoch its length.
            unsafe { area.stage(area.staging(bytes), elements.at(piece.start), bytes) };
        }
    }

    /// Combines a piece that all members staged before the last barrier.
    fn combine(&self, piece: &Range<usize>) {
        let (host, elements) = (self.host, &self.operand.elements);
        if !self.operand.wanted_by(host.me()) {
            return;
        }
        let own = elements.at(piece.start);
        let bytes = piece.len() * elements.element();
        let source =
            |i| if i == host.me() { own.cast_const() } else { host.area.staging_of(i, bytes) };
        let sources: Sources = (0..host.members()).map(source).collect();
        // SAFETY: the elements have this piece. Staging buffers of the last epoch are not written before the next
        // barrier. No other member writes the own elements, which are read in place.
        unsafe { elements.reduction().combine(own, &sources, piece.len()) };
    }
}
