//! The elements that one image gives to a reduction or a scan.

use crate::reduction::Reduction;
use std::ops::Range;

/// The elements of this image in a reduction or a scan, and how they are combined. The result replaces them.
#[derive(Clone, Copy, Debug)]
pub struct Elements<'a> {
    start: *mut u8,
    count: usize,
    reduction: &'a Reduction<'a>,
}

impl<'a> Elements<'a> {
    /// The `count` elements at `start`, which need not be aligned.
    ///
    /// # Safety
    /// As long as the value is used, `start` is valid for reads and writes of `count` elements of the reduction, and
    /// nothing accesses them but the operation that has the value.
    #[inline(always)]
    pub unsafe fn new(start: *mut u8, count: usize, reduction: &'a Reduction<'a>) -> Elements<'a> {
        Elements { start, count, reduction }
    }

    /// Number of elements.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The rule to combine the elements.
    #[inline(always)]
    pub fn reduction(&self) -> &'a Reduction<'a> {
        self.reduction
    }

    /// Bytes of one element.
    #[inline(always)]
    pub fn element(&self) -> usize {
        self.reduction.element()
    }

    /// Bytes of all elements.
    #[inline(always)]
    pub fn bytes(&self) -> usize {
        self.count * self.element()
    }

    /// Address of an element.
    #[inline(always)]
    pub fn at(&self, element: usize) -> *mut u8 {
        self.start.wrapping_add(element * self.element())
    }

    /// The elements in pieces of at most `step`.
    pub fn pieces(&self, step: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let count = self.count;
        (0..count).step_by(step).map(move |from| from..(from + step).min(count))
    }
}
