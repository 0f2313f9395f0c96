//! Operations on words: executed by this CPU, so that they are coherent with those of the images of this host.

use super::Outcome;
use crate::error::Result;
use crate::rank::Rank;
use crate::server::here::Here;
use crate::transport::{AtomicOp, AtomicRequest, Update, Wake, Width};

/// Executes a read-modify-write of a word of the target, which is woken if it may be waiting for it. The outcome is the
/// former value.
///
/// # Errors
/// When there is no such word.
pub fn execute(
    here: &Here,
    target: Rank,
    offset: u64,
    width: Width,
    request: AtomicRequest,
) -> Result<u64> {
    let what = match request {
        AtomicRequest::Fetch(..) => "atomic operation",
        AtomicRequest::CompareSwap { .. } => "compare and swap",
    };
    here.word(what, target, offset, width)?;
    // SAFETY: an aligned word of the segment, just checked.
    let old = unsafe { here.local().atomic(target, offset, width, request)? };
    let changes = match request {
        AtomicRequest::Fetch(op, _) => op != AtomicOp::Load,
        AtomicRequest::CompareSwap { expected, .. } => old == expected,
    };
    if changes {
        here.local().ring(target);
    }
    Ok(old)
}

/// Updates a word of the target without a reply.
///
/// # Errors
/// When there is no such word, or it does not hold the value to be cleared.
pub fn signal(
    here: &Here,
    target: Rank,
    offset: u64,
    width: Width,
    update: Update,
    wake: Wake,
) -> Result<Outcome> {
    here.word("signal", target, offset, width)?;
    if let Wake::Sleepers(gate) = wake {
        here.word("signal", target, gate, Width::W4)?;
    }
    // SAFETY: aligned words of the segment, just checked.
    unsafe { here.local().signal(target, offset, width, update, wake)? };
    Ok(Outcome::Done)
}
