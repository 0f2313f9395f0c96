//! Atomic operations: executed by this CPU, so that they are coherent with those of the images of this host.

use super::Outcome;
use crate::error::Result;
use crate::server::here::Here;
use crate::server::wire::Head;
use crate::transport::{AtomicOp, AtomicRequest, Update, Wake, Width};

/// A read-modify-write of a word of the target, which is woken if it may be waiting for it.
///
/// # Errors
/// When there is no such word.
pub fn fetch_op(
    here: &Here,
    head: Head,
    op: AtomicOp,
    offset: u64,
    width: Width,
    operand: u64,
) -> Result<Outcome> {
    here.word("atomic operation", head.target, offset, width)?;
    // SAFETY: an aligned word of the segment, just checked.
    let old = unsafe {
        here.local().atomic(head.target, offset, width, AtomicRequest::Fetch(op, operand))?
    };
    if op != AtomicOp::Load {
        here.local().ring(head.target);
    }
    Ok(Outcome::Value(old))
}

/// A compare-and-swap of a word of the target, which is woken if it may be waiting for it.
///
/// # Errors
/// When there is no such word.
pub fn compare_swap(
    here: &Here,
    head: Head,
    offset: u64,
    width: Width,
    [expected, desired]: [u64; 2],
) -> Result<Outcome> {
    here.word("compare and swap", head.target, offset, width)?;
    let (target, local) = (head.target, here.local());
    // SAFETY: an aligned word of the segment, just checked.
    let old = unsafe {
        local.atomic(target, offset, width, AtomicRequest::CompareSwap { expected, desired })?
    };
    if old == expected {
        local.ring(target);
    }
    Ok(Outcome::Value(old))
}

/// An update of a word of the target without a reply.
///
/// # Errors
/// When there is no such word, or it does not hold the value to be cleared.
pub fn signal(
    here: &Here,
    head: Head,
    offset: u64,
    width: Width,
    update: Update,
    wake: Wake,
) -> Result<Outcome> {
    here.word("signal", head.target, offset, width)?;
    if let Wake::Sleepers(gate) = wake {
        here.word("signal", head.target, gate, Width::W4)?;
    }
    // SAFETY: aligned words of the segment, just checked.
    unsafe { here.local().signal(head.target, offset, width, update, wake)? };
    Ok(Outcome::Done)
}
