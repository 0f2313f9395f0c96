//! Executes plans on vectors.

use super::partners::Partners;
use super::{CollCall, scratch};
use crate::plan::{CHUNK, FAR_CHUNK, Plan};
use crate::reduction::Reduction;
use crate::select::spans_regions;
use smallvec::SmallVec;
use std::ops::Range;
use xmp_core::{Image, Rank, Result};

/// A vector that goes through a schedule.
#[derive(Clone, Copy, Debug)]
pub struct Vector<'a> {
    /// Its first byte.
    pub start: *mut u8,
    /// Its length in bytes, a multiple of that of an element.
    pub len: usize,
    /// Bytes of an element.
    pub element: usize,
    /// How elements are combined, for schedules that combine.
    pub reduction: Option<&'a Reduction<'a>>,
}

impl Vector<'_> {
    /// The `len` bytes at `start`, which are not combined.
    pub fn bytes(start: *mut u8, len: usize) -> Vector<'static> {
        Vector { start, len, element: 1, reduction: None }
    }
}

/// Executes what `plan` plans on the vector, segment by segment. All participants give the same length, element and
/// plan.
///
/// # Errors
/// As [`super::run`].
///
/// # Safety
/// As [`super::run`], for the vector.
pub unsafe fn run_on_vector(
    image: &Image,
    peer: impl Fn(usize) -> Rank,
    plan: impl Fn() -> Plan,
    vector: Vector<'_>,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let Vector { start, len, element, reduction } = vector;
    let count = len / element;
    // The same on all images, whatever their partners.
    let chunk = if spans_regions(image) { FAR_CHUNK } else { CHUNK };
    let mut partners = Partners::new(image);
    let mut from = 0;
    // Of a vector without elements messages travel all the same: who gets one knows that its sender takes part.
    loop {
        let plan = plan();
        let segment = Segment {
            start: start.wrapping_add(from * element),
            count: plan.segment(count - from, element, chunk),
            element,
        };
        from += segment.count;
        // SAFETY: a part of the vector.
        unsafe { segment.run(image, &peer, plan, reduction, &mut partners, coll)? };
        if from == count {
            return Ok(());
        }
    }
}

/// Elements that go through a schedule at once.
#[derive(Clone, Copy)]
struct Segment {
    start: *mut u8,
    count: usize,
    element: usize,
}

impl Segment {
    /// # Safety
    /// As [`run_on_vector`].
    unsafe fn run(
        self,
        image: &Image,
        peer: impl Fn(usize) -> Rank,
        plan: Plan,
        reduction: Option<&Reduction<'_>>,
        partners: &mut Partners,
        coll: &mut CollCall<'_>,
    ) -> Result<()> {
        let parts = plan.parts;
        let offsets: SmallVec<[usize; 8]> =
            (0..=parts).map(|part| plan.first(part, self.count) * self.element).collect();
        let work_len = match plan.work.count {
            0 => 0,
            _ => offsets[plan.work.like + 1] - offsets[plan.work.like],
        };
        // Each begins where any element may.
        let stride = work_len.next_multiple_of(16);
        scratch::with(plan.work.count * stride, |work| {
            let bytes = |blocks: &Range<usize>| match (blocks.is_empty(), blocks.start < parts) {
                (true, _) => (self.start, 0),
                (false, true) => {
                    let from = offsets[blocks.start];
                    (self.start.wrapping_add(from), offsets[blocks.end] - from)
                }
                (false, false) => {
                    assert_eq!(blocks.len(), 1, "work blocks are used one by one");
                    (work.wrapping_add((blocks.start - parts) * stride), work_len)
                }
            };
            // SAFETY: the vector is valid (contract above); work blocks are this image's.
            unsafe { super::run_on(image, peer, plan.rounds, bytes, reduction, partners, coll) }
        })
    }
}
