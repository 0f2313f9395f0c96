//! Execution of plans on vectors.

use super::message::Partners;
use super::{Blocks, CollCall, run, run_on, scratch};
use crate::elements::Elements;
use crate::host::broadcast::Message;
use crate::plan::{CHUNK, FABRIC_CHUNK, Participant, VectorPlan};
use crate::reduction::Reduction;
use crate::schedules::prefix;
use crate::select::has_separate_hosts;
use smallvec::SmallVec;
use std::marker::PhantomData;
use std::ops::Range;
use xmp_core::{Error, Image, Rank, Result};

/// Memory of this image that goes through a schedule: bytes, or elements that the schedule combines.
#[derive(Clone, Copy, Debug)]
pub struct Vector<'a> {
    start: *mut u8,
    count: usize,
    reduction: Option<&'a Reduction<'a>>,
    memory: PhantomData<&'a mut [u8]>,
}

impl<'a> Vector<'a> {
    /// Bytes that the schedule does not combine.
    pub fn bytes(bytes: &'a mut [u8]) -> Vector<'a> {
        let (start, count) = (bytes.as_mut_ptr(), bytes.len());
        Vector { start, count, reduction: None, memory: PhantomData }
    }

    /// Elements that the schedule combines.
    pub fn elements(elements: &Elements<'a>) -> Vector<'a> {
        let (start, reduction) = (elements.at(0), Some(elements.reduction()));
        Vector { start, count: elements.count(), reduction, memory: PhantomData }
    }

    /// The bytes of elements, which the schedule does not combine.
    pub fn bytes_of(elements: &Elements<'a>) -> Vector<'a> {
        let (start, count) = (elements.at(0), elements.bytes());
        Vector { start, count, reduction: None, memory: PhantomData }
    }

    /// The bytes of a broadcast.
    pub fn of_message(message: &Message) -> Vector<'static> {
        let (start, count) = (message.start(), message.bytes());
        Vector { start, count, reduction: None, memory: PhantomData }
    }

    /// The bytes as those of a broadcast from the participant at position `root`.
    pub fn message(&self, root: usize) -> Message {
        // SAFETY: the vector has these bytes, which only the operation that has the vector accesses.
        unsafe { Message::new(self.start, self.count * self.element(), root) }
    }

    fn element(&self) -> usize {
        self.reduction.map_or(1, Reduction::element)
    }
}

/// Executes a plan on the vector, segment by segment. All participants give the same number of elements and the same
/// reduction, and their `plan` chooses the same algorithm. When an image that this one needs has ended or has left the
/// set, `coll` says so, and the other rounds are left out.
pub fn run_on_vector(
    image: &Image,
    peer: impl Fn(usize) -> Rank,
    plan: impl Fn() -> VectorPlan,
    vector: Vector<'_>,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let element = vector.element();
    // The same on all images, whatever their partners.
    let chunk = if has_separate_hosts(image) { FABRIC_CHUNK } else { CHUNK };
    let mut partners = Partners::new(image);
    let mut from = 0;
    // Messages travel for an empty vector, too: they say that their sender takes part.
    loop {
        let plan = plan();
        let count = plan.segment(vector.count - from, element, chunk);
        let start = vector.start.wrapping_add(from * element);
        from += count;
        let segment = Vector { start, count, ..vector };
        segment.run(image, &peer, plan, &mut partners, coll)?;
        if from == vector.count {
            return Ok(());
        }
    }
}

impl Vector<'_> {
    /// Executes a plan on all elements at once.
    fn run(
        self,
        image: &Image,
        peer: impl Fn(usize) -> Rank,
        plan: VectorPlan,
        partners: &mut Partners,
        coll: &mut CollCall<'_>,
    ) -> Result<()> {
        let parts = plan.parts;
        let offsets: SmallVec<[usize; 8]> =
            (0..=parts).map(|part| plan.first(part, self.count) * self.element()).collect();
        let work_len = match plan.work.count {
            0 => 0,
            _ => offsets[plan.work.like + 1] - offsets[plan.work.like],
        };
        // Each work block begins where any element may.
        let stride = work_len.next_multiple_of(16);
        scratch::with(plan.work.count * stride, |work| {
            let work = work.as_mut_ptr();
            let place = |blocks: &Range<usize>| match (blocks.is_empty(), blocks.start < parts) {
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
            // SAFETY: the parts cover the vector, which is valid, and the work blocks `work`.
            unsafe { run_on(image, peer, plan.rounds, place, self.reduction, partners, coll) }
        })
    }
}

/// Moves vectors by one participant ([`prefix::shift`]): each participant gets the elements of the one before; the first
/// keeps its own.
pub fn shift(
    image: &Image,
    who: Participant,
    peer: impl Fn(usize) -> Rank,
    elements: &Elements<'_>,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let Participant { n, position: me } = who;
    let len = elements.bytes();
    for from in (0..len).step_by(CHUNK) {
        let (at, part) = (elements.at(0).wrapping_add(from), CHUNK.min(len - from));
        // What comes must not replace what is being sent.
        scratch::with(2 * part, |bytes| {
            // SAFETY: the elements have `part` bytes there.
            unsafe { bytes.as_mut_ptr().copy_from_nonoverlapping(at, part) };
            let blocks = Blocks { bytes: &mut *bytes, offsets: &[0, part, 2 * part] };
            run(image, &peer, prefix::shift(n, me), blocks, coll)?;
            if me > 0 {
                // SAFETY: as above.
                unsafe { at.copy_from_nonoverlapping(bytes[part..].as_ptr(), part) };
            }
            Ok::<_, Error>(())
        })?;
    }
    Ok(())
}
