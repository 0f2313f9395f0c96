//! The leader level: executes schedules between images of different hosts (or between any images), over the
//! channels of [`xmp_core::notify`].

mod message;
mod partners;
pub mod trees;
mod verdict;

pub use verdict::Verdict;

use crate::reduction::Reduction;
use crate::schedules::{Round, Then};
use message::exchange;
use partners::Partners;
use smallvec::SmallVec;
use std::ops::Range;
use xmp_core::{Image, Rank, Result};

/// Bytes of a vector that go through a schedule at a time: what one participant passes on, the next can work on
/// already; and the memory for what is received is bounded.
pub const CHUNK: usize = 64 * 1024;

/// The blocks of a participant.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a> {
    /// First byte of block 0.
    pub start: *mut u8,
    /// Offsets of the blocks and, at the end, the length of all.
    pub offsets: &'a [usize],
}

impl Blocks<'_> {
    fn bytes(&self, blocks: &Range<usize>) -> (*mut u8, usize) {
        match blocks.is_empty() {
            true => (self.start, 0),
            false => {
                let from = self.offsets[blocks.start];
                (self.start.wrapping_add(from), self.offsets[blocks.end] - from)
            }
        }
    }
}

/// Executes the rounds of this image. `peer` gives the image at a position of the schedule; `reduction` is needed
/// by schedules that combine.
///
/// An image that has ended does not stop the schedule: the others complete it, so that the channels between them
/// stay in step, and pass on in `verdict` that the data is worthless.
///
/// # Errors
/// When the job is ending or the transport fails.
///
/// # Safety
/// The blocks are valid, aligned for their elements, and not accessed by others.
pub unsafe fn run(
    image: &Image,
    peer: impl Fn(usize) -> Rank,
    rounds: impl Iterator<Item = Round>,
    blocks: Blocks<'_>,
    reduction: Option<&Reduction<'_>>,
    verdict: &mut Verdict,
) -> Result<()> {
    let mut partners = Partners::new(image);
    // SAFETY: the caller's guarantee.
    unsafe { run_part(image, &peer, rounds, blocks, reduction, &mut partners, verdict) }
}

/// As [`run`], for a part of an operation with these partners.
///
/// # Errors
/// As there.
///
/// # Safety
/// As there.
unsafe fn run_part(
    image: &Image,
    peer: &impl Fn(usize) -> Rank,
    rounds: impl Iterator<Item = Round>,
    blocks: Blocks<'_>,
    reduction: Option<&Reduction<'_>>,
    partners: &mut Partners,
    verdict: &mut Verdict,
) -> Result<()> {
    let mut work: SmallVec<[u128; 4]> = SmallVec::new();
    for round in rounds {
        let out = round.send.as_ref().map(|transfer| {
            let (start, len) = blocks.bytes(&transfer.blocks);
            // SAFETY: own blocks.
            (peer(transfer.peer), unsafe { std::slice::from_raw_parts(start, len) })
        });
        let Some((transfer, then)) = &round.receive else {
            exchange(image, partners, out, None, verdict)?;
            continue;
        };
        let from = peer(transfer.peer);
        let (start, len) = blocks.bytes(&transfer.blocks);
        if *then == Then::Replace {
            // SAFETY: own blocks; no round replaces what it sends.
            let into = unsafe { std::slice::from_raw_parts_mut(start, len) };
            exchange(image, partners, out, Some((from, into)), verdict)?;
            continue;
        }
        work.resize(len.div_ceil(16), 0);
        // SAFETY: `work` has at least `len` bytes.
        let into = unsafe { std::slice::from_raw_parts_mut(work.as_mut_ptr().cast::<u8>(), len) };
        exchange(image, partners, out, Some((from, &mut *into)), verdict)?;
        if verdict.is_good() && len > 0 {
            let reduction = reduction.expect("a schedule that combines has a reduction");
            let (own, received) = (start.cast_const(), into.as_ptr());
            let (left, right) =
                if *then == Then::Before { (received, own) } else { (own, received) };
            // SAFETY: both are `len` bytes of elements.
            unsafe { reduction.two(start, left, right, len / reduction.element()) };
        }
    }
    Ok(())
}

/// Executes a schedule on vectors: one block, in chunks of whole elements of `element` bytes.
///
/// # Errors
/// As [`run`].
///
/// # Safety
/// As [`run`], for `len` bytes at `start`.
pub unsafe fn run_on_vector<R: Iterator<Item = Round>>(
    image: &Image,
    peer: impl Fn(usize) -> Rank,
    rounds: impl Fn() -> R,
    (start, len): (*mut u8, usize),
    (element, reduction): (usize, Option<&Reduction<'_>>),
    verdict: &mut Verdict,
) -> Result<()> {
    let mut partners = Partners::new(image);
    let step = (CHUNK / element).max(1) * element;
    for from in (0..len).step_by(step) {
        let blocks =
            Blocks { start: start.wrapping_add(from), offsets: &[0, step.min(len - from)] };
        // SAFETY: a part of the vector.
        unsafe { run_part(image, &peer, rounds(), blocks, reduction, &mut partners, verdict)? };
    }
    Ok(())
}
