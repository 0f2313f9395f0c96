//! Operations on words: which one, and its operands.
//!
//! | action | code | values | tail |
//! |---|---|---|---|
//! | fetch and op | 1 to 6 | operand | |
//! | compare and swap | [`COMPARE_SWAP`] | expected, desired | |
//! | signal | [`ADD`] or [`CLEAR`] | operand; offset of the gate, or [`TARGET`] | |
//! | merged | [`MERGED`] + 1 to 6 | number of members | the members |

use super::{Action, Fields, Members, bad};
use crate::error::Result;
use crate::transport::{AtomicOp, AtomicRequest, Update, Wake, Width};

const COMPARE_SWAP: u8 = 7;
const ADD: u8 = 8;
const CLEAR: u8 = 9;
const MERGED: u8 = 16;
/// Instead of a gate's offset: wakes the target.
const TARGET: u64 = u64::MAX;

impl<'a> Action<'a> {
    /// The fields of a header that tell this action.
    pub(super) fn fields(&self) -> Fields {
        let (code, values) = match *self {
            Action::Execute(AtomicRequest::Fetch(op, operand)) => (op_code(op), [operand, 0]),
            Action::Execute(AtomicRequest::CompareSwap { expected, desired }) => {
                (COMPARE_SWAP, [expected, desired])
            }
            Action::Signal { update, wake } => {
                let (code, value) = match update {
                    Update::Add(value) => (ADD, value),
                    Update::Clear(value) => (CLEAR, value),
                };
                let gate = match wake {
                    Wake::Target => TARGET,
                    Wake::Sleepers(gate) => gate,
                };
                (code, [value, gate])
            }
            Action::Merged { op, members } => (MERGED + op_code(op), [members.count(), 0]),
        };
        Fields { code, values, ..Fields::default() }
    }

    /// The bytes after the header.
    pub(super) fn tail(&self) -> &'a [u8] {
        if let Action::Merged { members, .. } = self { members.bytes() } else { &[] }
    }

    /// Reads an action; returns the bytes after it, too.
    pub(super) fn read(fields: &Fields, tail: &'a [u8]) -> Result<(Action<'a>, &'a [u8])> {
        let Fields { code, values: [a, b], .. } = *fields;
        let wake = if b == TARGET { Wake::Target } else { Wake::Sleepers(b) };
        let action = match code {
            COMPARE_SWAP => Action::Execute(AtomicRequest::CompareSwap { expected: a, desired: b }),
            ADD => Action::Signal { update: Update::Add(a), wake },
            CLEAR => Action::Signal { update: Update::Clear(a), wake },
            MERGED.. => {
                let members = Members::read(tail)?;
                if members.count() != a {
                    return Err(bad(format!("{a} merged operations in {} bytes", tail.len())));
                }
                return Ok((Action::Merged { op: read_op(code - MERGED)?, members }, &[]));
            }
            _ => Action::Execute(AtomicRequest::Fetch(read_op(code)?, a)),
        };
        Ok((action, tail))
    }
}

fn op_code(op: AtomicOp) -> u8 {
    match op {
        AtomicOp::Load => 1,
        AtomicOp::Swap => 2,
        AtomicOp::Add => 3,
        AtomicOp::And => 4,
        AtomicOp::Or => 5,
        AtomicOp::Xor => 6,
    }
}

fn read_op(code: u8) -> Result<AtomicOp> {
    let op = AtomicOp::ALL.into_iter().find(|&op| op_code(op) == code);
    op.ok_or_else(|| bad(format!("an atomic operation with code {code}")))
}

/// Reads a width: its bytes.
pub(super) fn read_width(bytes: u8) -> Result<Width> {
    match bytes {
        4 => Ok(Width::W4),
        8 => Ok(Width::W8),
        _ => Err(bad(format!("an atomic word of {bytes} bytes"))),
    }
}
