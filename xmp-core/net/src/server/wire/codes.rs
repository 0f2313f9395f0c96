//! Numbers in the headers of requests.

use crate::transport::{AtomicOp, Width};

pub const PUT: u8 = 1;
pub const GET: u8 = 2;
pub const SCATTER: u8 = 3;
pub const GATHER: u8 = 4;
pub const NOTIFY: u8 = 5;
pub const PACKET: u8 = 6;
pub const FETCH_OP: u8 = 7;
pub const COMPARE_SWAP: u8 = 8;
pub const RING: u8 = 9;
pub const FLUSH: u8 = 10;
pub const CALL: u8 = 11;
pub const STATES: u8 = 12;
pub const SIGNAL: u8 = 13;
pub const SCATTER_RUNS: u8 = 14;
pub const GATHER_RUNS: u8 = 15;
pub const FETCH_TOGETHER: u8 = 16;

/// Code of an update: adds to the word.
pub const ADD: u8 = 1;
/// Code of an update: clears the word.
pub const CLEAR: u8 = 2;
/// In place of a gate's offset: wakes the target.
pub const TARGET: u64 = u64::MAX;

/// In the width byte of a request whose payload follows.
pub const FOLLOWS: u8 = 1;
/// In place of a counter's offset: the packet is announced by its mark.
pub const TRAILING: u64 = u64::MAX;

/// The number of an atomic operation.
pub fn op_code(op: AtomicOp) -> u8 {
    match op {
        AtomicOp::Load => 1,
        AtomicOp::Swap => 2,
        AtomicOp::Add => 3,
        AtomicOp::And => 4,
        AtomicOp::Or => 5,
        AtomicOp::Xor => 6,
    }
}

/// The number of a width: its bytes.
pub fn width_code(width: Width) -> u8 {
    match width {
        Width::W4 => 4,
        Width::W8 => 8,
    }
}
