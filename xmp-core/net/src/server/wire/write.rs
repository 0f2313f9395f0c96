//! Writes requests.

use super::codes::{self as kind, ADD, CLEAR, FOLLOWS, TARGET, TRAILING, op_code, width_code};
use super::{Grid, Head, MARK, Payload, REQUEST_HEADER, Request};
use crate::transport::{Mark, Update, Wake};

/// The plain fields of a request.
#[derive(Default)]
struct Fields {
    kind: u8,
    code: u8,
    width: u8,
    offset: u64,
    values: [u64; 2],
}

/// Writes a request to the end of `message`.
pub fn write_request(message: &mut Vec<u8>, head: Head, request: &Request<'_>) {
    let put = |message: &mut Vec<u8>, fields: Fields| {
        let Fields { kind, code, width, offset, values: [a, b] } = fields;
        let mut header = [0; REQUEST_HEADER];
        header[..4].copy_from_slice(&[MARK, kind, code, width]);
        for (at, word) in [(4, head.origin.get()), (8, head.target.get()), (12, head.id)] {
            header[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        for (at, word) in [(16, offset), (24, a), (32, b)] {
            header[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        message.extend_from_slice(&header);
    };
    let fields = Fields::default();
    match *request {
        Request::Put { offset, data } => {
            let (width, len, tail) = payload(data);
            put(message, Fields { kind: kind::PUT, width, offset, values: [len, 0], ..fields });
            message.extend_from_slice(tail);
        }
        Request::Get { offset, len } => {
            put(message, Fields { kind: kind::GET, offset, values: [len, 0], ..fields });
        }
        Request::Scatter { ref grid, data } => {
            let (width, len, tail) = payload(data);
            let (code, offset) = (grid.loops.len() as u8, grid.offset);
            let values = [grid.unit as u64, len];
            put(message, Fields { kind: kind::SCATTER, code, width, offset, values });
            write_dims(message, grid);
            message.extend_from_slice(tail);
        }
        Request::Gather { ref grid } => {
            let (code, offset) = (grid.loops.len() as u8, grid.offset);
            put(
                message,
                Fields {
                    kind: kind::GATHER,
                    code,
                    offset,
                    values: [grid.unit as u64, 0],
                    ..fields
                },
            );
            write_dims(message, grid);
        }
        Request::ScatterRuns { runs, data } => {
            let values = [runs.count(), 0];
            put(message, Fields { kind: kind::SCATTER_RUNS, values, ..fields });
            message.extend_from_slice(runs.bytes());
            message.extend_from_slice(data);
        }
        Request::GatherRuns { runs } => {
            let values = [runs.count(), 0];
            put(message, Fields { kind: kind::GATHER_RUNS, values, ..fields });
            message.extend_from_slice(runs.bytes());
        }
        Request::Notify { counter, value } => {
            let values = [value, 0];
            put(message, Fields { kind: kind::NOTIFY, offset: counter, values, ..fields });
        }
        Request::Packet { end, parts: [data, header], mark } => {
            let values = match mark {
                Mark::Trailing(value) => [TRAILING, value],
                Mark::Counter { offset, value } => [offset, value],
            };
            let code = header.len() as u8;
            put(message, Fields { kind: kind::PACKET, code, offset: end, values, ..fields });
            message.extend_from_slice(data);
            message.extend_from_slice(header);
        }
        Request::FetchOp { op, offset, width, operand } => {
            let (code, width, values) = (op_code(op), width_code(width), [operand, 0]);
            put(message, Fields { kind: kind::FETCH_OP, code, width, offset, values });
        }
        Request::FetchTogether { op, offset, width, members } => {
            let (code, width, values) = (op_code(op), width_code(width), [members.count(), 0]);
            put(message, Fields { kind: kind::FETCH_TOGETHER, code, width, offset, values });
            message.extend_from_slice(members.bytes());
        }
        Request::CompareSwap { offset, width, expected, desired } => {
            let (width, values) = (width_code(width), [expected, desired]);
            put(message, Fields { kind: kind::COMPARE_SWAP, width, offset, values, ..fields });
        }
        Request::Signal { offset, width, update, wake } => {
            let (code, value) = match update {
                Update::Add(value) => (ADD, value),
                Update::Clear(value) => (CLEAR, value),
            };
            let gate = match wake {
                Wake::Target => TARGET,
                Wake::Sleepers(gate) => gate,
            };
            let (width, values) = (width_code(width), [value, gate]);
            put(message, Fields { kind: kind::SIGNAL, code, width, offset, values });
        }
        Request::Ring => put(message, Fields { kind: kind::RING, ..fields }),
        Request::Flush => put(message, Fields { kind: kind::FLUSH, ..fields }),
        Request::Call { handler, data } => {
            let (width, len, tail) = payload(data);
            let values = [len, handler.into()];
            put(message, Fields { kind: kind::CALL, width, values, ..fields });
            message.extend_from_slice(tail);
        }
        Request::States(changes) => {
            put(message, Fields { kind: kind::STATES, ..fields });
            message.extend_from_slice(changes.bytes());
        }
    }
}

fn payload(data: Payload<'_>) -> (u8, u64, &[u8]) {
    match data {
        Payload::Inline(bytes) => (0, bytes.len() as u64, bytes),
        Payload::Follows(len) => (FOLLOWS, len, &[]),
    }
}

fn write_dims(message: &mut Vec<u8>, grid: &Grid) {
    for dim in &grid.loops {
        message.extend((dim.extent as u64).to_le_bytes());
        message.extend(dim.remote.to_le_bytes());
    }
}
