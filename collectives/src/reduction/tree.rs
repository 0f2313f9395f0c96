//! Combination of any number of operands in canonical brackets ([`crate::schedules::recursive_doubling`]).
//!
//! The elements are combined in blocks that stay in the first-level cache, so intermediate results cost no memory
//! traffic.

use super::{Brackets, Reduction};
use crate::schedules::recursive_doubling::Fold;
use smallvec::SmallVec;

/// Bytes of a block of intermediate results.
const BLOCK: usize = 4096;

/// A buffer for a block, aligned for any element; on the heap only for elements longer than a block.
type Block = SmallVec<[u128; BLOCK / 16]>;

impl Reduction<'_> {
    /// Writes the combination of `count` elements of all `sources`, in their order, to `dst`.
    ///
    /// # Safety
    /// All are valid for `count` elements; `dst` is one of the sources or overlaps none. There is at least one source.
    #[inline]
    pub unsafe fn combine(&self, dst: *mut u8, sources: &[*const u8], count: usize) {
        // SAFETY: sources and destination are valid for `count` elements (contract above).
        unsafe {
            match *sources {
                [left, right] => self.two(dst, left, right, count),
                _ => combine(self, dst, sources, count),
            }
        }
    }
}

impl Reduction<'_> {
    /// Writes the combination of `count` elements of the `sources` in these brackets to `dst`.
    ///
    /// # Safety
    /// All are valid for `count` elements; `dst` overlaps no source.
    pub unsafe fn combine_in(
        &self,
        dst: *mut u8,
        brackets: &Brackets,
        sources: &[*const u8],
        count: usize,
    ) {
        let step = (BLOCK / self.element()).max(1);
        for from in (0..count).step_by(step) {
            let block = Within { reduction: self, sources, from: from * self.element() };
            // SAFETY: all are valid for these elements (contract above).
            unsafe {
                block.evaluate(brackets, dst.add(block.from), step.min(count - from));
            }
        }
    }
}

/// Any brackets over one block.
struct Within<'a> {
    reduction: &'a Reduction<'a>,
    sources: &'a [*const u8],
    /// Offset of the block in the sources, bytes.
    from: usize,
}

impl Within<'_> {
    /// # Safety
    /// Those of [`Reduction::combine_in`], for `count` elements of the block.
    unsafe fn evaluate(&self, brackets: &Brackets, dst: *mut u8, count: usize) {
        let source = |number: usize| self.sources[number].wrapping_add(self.from);
        let bytes = count * self.reduction.element();
        // SAFETY: all operands are valid for `count` elements (contract above), and so are the blocks.
        unsafe {
            let two = match brackets {
                Brackets::Source(number) => {
                    return std::ptr::copy_nonoverlapping(source(*number), dst, bytes);
                }
                Brackets::Two(two) => two,
            };
            if let Some(sources) = four(two)
                && self.reduction.four(dst, sources.map(source), count)
            {
                return;
            }
            let mut blocks = [Block::new(), Block::new()];
            let mut operands = [std::ptr::null(); 2];
            for ((half, block), operand) in two.iter().zip(&mut blocks).zip(&mut operands) {
                *operand = match half {
                    Brackets::Source(number) => source(*number),
                    Brackets::Two(_) => {
                        block.reserve(bytes.div_ceil(16));
                        let place = block.as_mut_ptr().cast();
                        self.evaluate(half, place, count);
                        place.cast_const()
                    }
                };
            }
            self.reduction.two(dst, operands[0], operands[1], count);
        }
    }
}

/// The sources of brackets of the form ((a b) (c d)).
fn four(two: &[Brackets; 2]) -> Option<[usize; 4]> {
    let [Brackets::Two(left), Brackets::Two(right)] = two else { return None };
    match (&**left, &**right) {
        (
            [Brackets::Source(a), Brackets::Source(b)],
            [Brackets::Source(c), Brackets::Source(d)],
        ) => Some([*a, *b, *c, *d]),
        _ => None,
    }
}

/// # Safety
/// Those of [`Reduction::combine`].
unsafe fn combine(reduction: &Reduction<'_>, dst: *mut u8, sources: &[*const u8], count: usize) {
    let element = reduction.element();
    let fold = Fold::of(sources.len());
    let step = (BLOCK / element).max(1);
    let mut from = 0;
    while from < count {
        let tree =
            Tree { reduction, fold, sources, from: from * element, count: step.min(count - from) };
        // SAFETY: all are valid for these elements (contract above).
        unsafe { tree.evaluate(0..fold.seats(), dst.add(from * element)) };
        from += step;
    }
}

/// The tree of brackets over one block.
struct Tree<'a> {
    reduction: &'a Reduction<'a>,
    fold: Fold,
    sources: &'a [*const u8],
    /// Offset of the block in the sources, bytes.
    from: usize,
    /// Elements in the block.
    count: usize,
}

impl Tree<'_> {
    /// Writes the combination of these seats, a power of two of them, to `dst`. All operands are read before `dst`, which
    /// may be one of them, is written.
    ///
    /// # Safety
    /// Those of [`Reduction::combine`].
    unsafe fn evaluate(&self, seats: std::ops::Range<usize>, dst: *mut u8) {
        let (reduction, count) = (self.reduction, self.count);
        let first = seats.start;
        // SAFETY: all operands are valid for `count` elements (contract above), of this block.
        unsafe {
            match (seats.len(), self.fold.pair(first)) {
                (1, Some(lower)) => {
                    return reduction.two(dst, self.source(lower), self.source(lower + 1), count);
                }
                (1, None) => {
                    let source = self.source(self.fold.single(first));
                    return std::ptr::copy(source, dst, count * reduction.element());
                }
                (2, None) => {
                    let lower = self.fold.single(first);
                    return reduction.two(dst, self.source(lower), self.source(lower + 1), count);
                }
                (4, None) => {
                    let lower = self.fold.single(first);
                    let sources = std::array::from_fn(|i| self.source(lower + i));
                    if reduction.four(dst, sources, count) {
                        return;
                    }
                }
                _ => {}
            }
            let middle = first + seats.len() / 2;
            let mut left = self.block();
            let mut right = self.block();
            let (left, right) = (left.as_mut_ptr().cast(), right.as_mut_ptr().cast());
            self.evaluate(first..middle, left);
            self.evaluate(middle..seats.end, right);
            reduction.two(dst, left, right, count);
        }
    }

    fn source(&self, position: usize) -> *const u8 {
        self.sources[position].wrapping_add(self.from)
    }

    fn block(&self) -> Block {
        Block::with_capacity((self.count * self.reduction.element()).div_ceil(16))
    }
}
