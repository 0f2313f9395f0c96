//! Operations on words: executed by this CPU, so that they are coherent with those of the images of this host.

use super::Outcome;
use crate::error::Result;
use crate::rank::Rank;
use crate::server::local_host::LocalHost;
use crate::transport::{AtomicOp, AtomicRequest, Update, Wake, Width};

/// Executes a read-modify-write of a word of the target, which is woken if it may be waiting for it. The outcome is the
/// former value.
///
/// # Errors
/// When there is no such word.
pub fn execute(
    host: &LocalHost,
    target: Rank,
    offset: u64,
    width: Width,
    request: AtomicRequest,
) -> Result<u64> {
    let what = match request {
        AtomicRequest::Fetch(..) => "atomic operation",
        AtomicRequest::CompareSwap { .. } => "compare and swap",
    };
    host.word(what, target, offset, width)?;
    // SAFETY: an aligned word of the segment, just checked.
    let old = unsafe { host.local().atomic(target, offset, width, request)? };
    let changes = match request {
        AtomicRequest::Fetch(op, _) => op != AtomicOp::Load,
        AtomicRequest::CompareSwap { expected, .. } => old == expected,
    };
    if changes {
        host.local().ring(target);
    }
    Ok(old)
}

/// Updates a word of the target without a reply.
///
/// # Errors
/// When there is no such word, or it does not hold the value to be cleared.
pub fn signal(
    host: &LocalHost,
    target: Rank,
    offset: u64,
    width: Width,
    update: Update,
    wake: Wake,
) -> Result<Outcome> {
    host.word("signal", target, offset, width)?;
    if let Wake::Sleepers(gate) = wake {
        host.word("signal", target, gate, Width::W4)?;
    }
    // SAFETY: aligned words of the segment, just checked.
    unsafe { host.local().signal(target, offset, width, update, wake)? };
    Ok(Outcome::Done)
}
