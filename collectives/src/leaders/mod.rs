//! The leader level: executes schedules between images of different hosts (or between any images), over the
//! channels of [`xmp_core::notify`].

pub mod alltoall;
mod call;
mod call_status;
mod message;
mod partners;
mod scratch;
pub mod shift;
mod vector;

pub use call::CollCall;
pub use call_status::CallStatus;
pub use vector::{Vector, run_on_vector};

use crate::parts::{bytes, bytes_mut};
use crate::reduction::Reduction;
use crate::schedules::{Round, Then};
use message::exchange;
use partners::Partners;
use smallvec::SmallVec;
use std::ops::Range;
use xmp_core::{Image, Rank, Result};

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
        if blocks.is_empty() {
            return (self.start, 0);
        }
        let from = self.offsets[blocks.start];
        (self.start.wrapping_add(from), self.offsets[blocks.end] - from)
    }
}

/// Executes the rounds of this image. `peer` gives the image at a position of the schedule; `reduction` is needed
/// by schedules that combine.
///
/// When an image that is needed has ended, or has been told of an end, this one leaves out the rest, as `coll` says.
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
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let place = |range: &Range<usize>| blocks.bytes(range);
    let mut partners = Partners::new(image);
    // SAFETY: the blocks are valid (contract above).
    unsafe { run_on(image, peer, rounds, place, reduction, &mut partners, coll) }
}

/// As [`run`], for a schedule that combines nothing and blocks that lie where `place` says: address and length of a
/// range of them.
///
/// # Errors
/// As [`run`].
///
/// # Safety
/// As [`run`].
pub unsafe fn run_placed(
    image: &Image,
    peer: impl Fn(usize) -> Rank,
    rounds: impl Iterator<Item = Round>,
    place: impl Fn(&Range<usize>) -> (*mut u8, usize),
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let mut partners = Partners::new(image);
    // SAFETY: the blocks are valid (contract above).
    unsafe { run_on(image, peer, rounds, place, None, &mut partners, coll) }
}

/// As [`run`], for a part of an operation that has these partners. `place` gives address and length of a range of
/// blocks.
///
/// # Errors
/// As [`run`].
///
/// # Safety
/// As [`run`].
unsafe fn run_on(
    image: &Image,
    peer: impl Fn(usize) -> Rank,
    rounds: impl Iterator<Item = Round>,
    place: impl Fn(&Range<usize>) -> (*mut u8, usize),
    reduction: Option<&Reduction<'_>>,
    partners: &mut Partners,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    for round in rounds {
        let out = round.send.as_ref().map(|transfer| {
            let (start, len) = place(&transfer.blocks);
            // SAFETY: own blocks.
            (peer(transfer.peer), unsafe { bytes(start, len) })
        });
        match &round.receive {
            None => exchange(image, partners, out, None, coll)?,
            Some((transfer, Then::Replace)) => {
                let (start, len) = place(&transfer.blocks);
                // SAFETY: own blocks; no round replaces what it sends.
                let into = unsafe { bytes_mut(start, len) };
                exchange(image, partners, out, Some((peer(transfer.peer), into)), coll)?;
            }
            Some((transfer, then)) => {
                let (start, len) = place(&transfer.blocks);
                let from = peer(transfer.peer);
                scratch::with(len, |into| -> Result<()> {
                    // SAFETY: `len` bytes, initialised; they are borrowed nowhere else.
                    let into = unsafe { bytes_mut(into, len) };
                    exchange(image, partners, out, Some((from, &mut *into)), coll)?;
                    if coll.is_good() && len > 0 {
                        let reduction = reduction.expect(COMBINES);
                        let (own, received) = (start.cast_const(), into.as_ptr());
                        let (left, right) =
                            if *then == Then::Before { (received, own) } else { (own, received) };
                        // SAFETY: both are `len` bytes of elements.
                        unsafe { reduction.two(start, left, right, len / reduction.element()) };
                    }
                    Ok(())
                })?;
            }
        }
        let Some(operands) = &round.combine else { continue };
        let (start, len) = place(&(operands.own..operands.own + 1));
        if coll.is_good() && len > 0 {
            let reduction = reduction.expect(COMBINES);
            let address = |block| place(&(block..block + 1)).0.cast_const();
            let sources: SmallVec<[*const u8; 32]> = operands.blocks().map(address).collect();
            // SAFETY: all are `len` bytes of elements.
            unsafe { reduction.combine(start, &sources, len / reduction.element()) };
        }
    }
    Ok(())
}

/// What the caller of an operation without a reduction did wrong.
const COMBINES: &str = "a schedule that combines has a reduction";
