//! Combination of operands in prefix brackets ([`crate::schedules::prefix`]).

use super::Reduction;
use smallvec::SmallVec;

/// Bytes of a block of intermediate results.
const BLOCK: usize = 4096;

impl Reduction<'_> {
    /// Writes the combination of `count` elements of all `sources`, at least one, in their order and in prefix
    /// brackets, to `dst`.
    ///
    /// # Safety
    /// All are valid for `count` elements; `dst` is one of the sources or overlaps none.
    pub unsafe fn prefix(&self, dst: *mut u8, sources: &[*const u8], count: usize) {
        let step = (BLOCK / self.element()).max(1);
        for from in (0..count).step_by(step) {
            let at = from * self.element();
            let sources: SmallVec<[*const u8; 32]> =
                sources.iter().map(|source| source.wrapping_add(at)).collect();
            // SAFETY: all are valid for these elements (contract above).
            unsafe { self.prefix_of_block(dst.add(at), &sources, step.min(count - from)) };
        }
    }

    /// The prefix of one block. All operands are read before `dst`, which may be one of them, is written.
    ///
    /// # Safety
    /// Those of [`Reduction::prefix`].
    unsafe fn prefix_of_block(&self, dst: *mut u8, sources: &[*const u8], count: usize) {
        // SAFETY: all operands are valid for `count` elements (contract above).
        unsafe {
            if sources.len().is_power_of_two() {
                // Canonical and prefix brackets are the same.
                return self.combine(dst, sources, count);
            }
            let (before, last) = sources.split_at(sources.len() - (1 << sources.len().ilog2()));
            let block = || {
                let len = (count * self.element()).div_ceil(16);
                SmallVec::<[u128; BLOCK / 16]>::with_capacity(len)
            };
            let (mut left, mut right) = (block(), block());
            let (left, right) = (left.as_mut_ptr().cast(), right.as_mut_ptr().cast());
            self.prefix_of_block(left, before, count);
            self.combine(right, last, count);
            self.two(dst, left, right, count);
        }
    }
}
