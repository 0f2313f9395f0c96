//! Execution of schedules by messages: between the leaders of hosts, and between any images that share no collective
//! area. The messages travel over the channels of [`xmp_core::notify`]. What executes a schedule fails when the job is ending
//! or the transport fails.

pub mod alltoall;
mod call;
mod call_status;
mod message;
mod scratch;
mod vector;

pub use call::CollCall;
pub use call_status::CallStatus;
pub(crate) use message::{Partners, exchange, plans_differ};
pub use vector::{Vector, run_on_vector, shift};

use crate::parts::{bytes, bytes_mut};
use crate::reduction::Reduction;
use crate::schedules::{OnReceipt, Round};
use smallvec::SmallVec;
use std::ops::Range;
use xmp_core::{Image, Rank, Result};

/// The blocks of a participant, in memory of its own.
#[derive(Debug)]
pub struct Blocks<'a> {
    /// All blocks.
    pub bytes: &'a mut [u8],
    /// Offsets of the blocks and, at the end, the length of all.
    pub offsets: &'a [usize],
}

/// Executes the rounds of this image, which combine nothing. `peer` gives the image at a position of the schedule. When
/// an image that this one needs has ended or has left the set, `coll` says so, and the other rounds are left out.
pub fn run(
    image: &Image,
    peer: impl Fn(usize) -> Rank,
    rounds: impl Iterator<Item = Round>,
    blocks: Blocks<'_>,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let Blocks { bytes, offsets } = blocks;
    let all = &mut bytes[..*offsets.last().expect("the length of all blocks")];
    let start = all.as_mut_ptr();
    let place = |blocks: &Range<usize>| {
        if blocks.is_empty() {
            return (start, 0);
        }
        let from = offsets[blocks.start];
        (start.wrapping_add(from), offsets[blocks.end] - from)
    };
    // SAFETY: all offsets are within `bytes`: they ascend to the last one.
    unsafe { run_placed(image, peer, rounds, place, coll) }
}

/// Executes the rounds of this image as [`run`] does, with blocks that are anywhere: `place` gives address and length of
/// a range of blocks.
///
/// # Safety
/// All blocks of the schedule are valid; nothing else accesses those that the rounds receive or writes those that they
/// send.
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

/// Executes rounds for a part of an operation that has these partners. Schedules that combine need `reduction`.
///
/// # Safety
/// Those of [`run_placed`]; with a reduction, the blocks hold elements of it.
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
            // SAFETY: blocks of this participant, which are valid (contract above).
            (peer(transfer.peer), unsafe { bytes(start, len) })
        });
        match &round.receive {
            None => exchange(image, partners, out, None, coll)?,
            Some((transfer, OnReceipt::Replace)) => {
                let (start, len) = place(&transfer.blocks);
                // SAFETY: blocks of this participant, which are valid (contract above). No round of a schedule receives
                // what it sends.
                let into = unsafe { bytes_mut(start, len) };
                exchange(image, partners, out, Some((peer(transfer.peer), into)), coll)?;
            }
            Some((transfer, then)) => {
                let (start, len) = place(&transfer.blocks);
                let from = peer(transfer.peer);
                scratch::with(len, |into| -> Result<()> {
                    exchange(image, partners, out, Some((from, &mut *into)), coll)?;
                    if coll.is_good() && len > 0 {
                        let reduction = reduction.expect(COMBINES);
                        let (own, received) = (start.cast_const(), into.as_ptr());
                        let (left, right) = if *then == OnReceipt::Before {
                            (received, own)
                        } else {
                            (own, received)
                        };
                        // SAFETY: both hold `len` bytes of elements (contract above).
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
            // SAFETY: all blocks of the operands hold `len` bytes of elements (contract above).
            unsafe { reduction.combine(start, &sources, len / reduction.element()) };
        }
    }
    Ok(())
}

/// What the caller of a schedule that combines has to give.
const COMBINES: &str = "a schedule that combines has a reduction";
