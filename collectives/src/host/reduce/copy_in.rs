//! Copy-in: each member stages all its elements, and a member that gets the result combines all of them: one step a
//! chunk. The combining is done as often as there are members, but no member waits for a result.

use super::Operand;
use crate::host::{Host, Sources};
use std::ops::Range;
use xmp_core::Result;
use xmp_core::coll_area::STAGING;

/// Longest element that this algorithm can take, in bytes.
pub const LONGEST: usize = STAGING;

/// One member in the algorithm.
#[derive(Debug)]
pub struct CopyIn<'a> {
    host: &'a Host<'a>,
    operand: &'a Operand<'a>,
    /// Elements in a chunk.
    per_step: usize,
}

impl<'a> CopyIn<'a> {
    /// Works in chunks of about `chunk` bytes, at most [`STAGING`]; elements are at most [`LONGEST`] bytes.
    pub fn new(host: &'a Host<'a>, operand: &'a Operand<'a>, chunk: usize) -> CopyIn<'a> {
        CopyIn { host, operand, per_step: (chunk / operand.element()).max(1) }
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
            if self.operand.count <= self.per_step {
                // The general path, without its loop over pieces.
                let all = 0..self.operand.count;
                self.stage(&all);
                self.host.barrier()?;
                self.combine(&all);
                return Ok(());
            }
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
        // SAFETY: staging of the last step is read before the next one.
        unsafe {
            while let Some(piece) = staged {
                self.combine(&piece);
                staged = pieces.next();
                if let Some(piece) = &staged {
                    self.stage(piece);
                    self.host.barrier()?;
                }
            }
        }
        Ok(())
    }

    /// # Safety
    /// The operand is valid.
    unsafe fn stage(&self, piece: &Range<usize>) {
        let (area, own) = (self.host.area, self.operand.at(piece.start));
        let bytes = piece.len() * self.operand.element();
        if self.operand.to != Some(self.host.me()) {
            // SAFETY: own staging of the coming step, of this length.
            unsafe { area.stage(area.staging(bytes), own, bytes) };
        }
    }

    /// # Safety
    /// The piece was staged by all before the last step.
    unsafe fn combine(&self, piece: &Range<usize>) {
        let (host, operand) = (self.host, self.operand);
        if !operand.wanted_by(host.me()) {
            return;
        }
        let own = operand.at(piece.start);
        let bytes = piece.len() * operand.element();
        let source =
            |i| if i == host.me() { own.cast_const() } else { host.area.staging_of(i, bytes) };
        let sources: Sources = (0..host.members()).map(source).collect();
        // SAFETY: see above. Own elements are read where they are: no other member writes them.
        unsafe { operand.reduction.combine(own, &sources, piece.len()) };
    }
}
