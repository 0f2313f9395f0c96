//! Reads and checks requests.

use super::codes::{self as kind, ADD, CLEAR, FOLLOWS, TARGET, TRAILING, op_code};
use super::{
    Changes, Grid, Head, LOOP, MARK, MAX_LOOPS, Members, Payload, REQUEST_HEADER, RUN, Request,
    Runs,
};
use super::{bad, u32_at, u64_at};
use crate::error::Result;
use crate::nest::Loop;
use crate::rank::Rank;
use crate::transport::{AtomicOp, Mark, Update, Wake, Width};

/// Reads a request.
///
/// # Errors
/// [`Error::Invalid`](crate::error::Error::Invalid) for bytes that [`write_request`](super::write_request) does not write. The
/// sender that such bytes name is not reliable.
pub fn read_request(message: &[u8]) -> Result<(Head, Request<'_>)> {
    let (header, tail) = message.split_first_chunk::<REQUEST_HEADER>().ok_or_else(|| {
        bad(format!("a request of {} bytes has no header of {REQUEST_HEADER}", message.len()))
    })?;
    if header[0] != MARK {
        return Err(bad(format!("a request that begins with {:#04x}, not {MARK:#04x}", header[0])));
    }
    let [kind, code, width] = [header[1], header[2], header[3]];
    let head = Head {
        origin: Rank::new(u32_at(header, 4)),
        target: Rank::new(u32_at(header, 8)),
        id: u32_at(header, 12),
    };
    let [offset, a, b] = [16, 24, 32].map(|at| u64_at(header, at));
    let no_tail = |request| match tail.len() {
        0 => Ok(request),
        more => Err(bad(format!("{more} bytes behind a request of kind {kind}"))),
    };
    let request = match kind {
        kind::PUT => Request::Put { offset, data: read_payload(width, a, tail)? },
        kind::GET => no_tail(Request::Get { offset, len: a })?,
        kind::SCATTER => {
            let (grid, tail) = read_grid(offset, a, code, tail)?;
            Request::Scatter { grid, data: read_payload(width, b, tail)? }
        }
        kind::GATHER => {
            let (grid, rest) = read_grid(offset, a, code, tail)?;
            match rest.len() {
                0 => Request::Gather { grid },
                more => return Err(bad(format!("{more} bytes behind a section"))),
            }
        }
        kind::SCATTER_RUNS => {
            let (runs, data) = usize::try_from(a)
                .ok()
                .and_then(|count| tail.split_at_checked(count.checked_mul(RUN)?))
                .ok_or_else(|| bad(format!("{a} runs in {} bytes", tail.len())))?;
            let runs = Runs::read(runs)?;
            match runs.total() == data.len() as u64 {
                true => Request::ScatterRuns { runs, data },
                false => {
                    let (total, given) = (runs.total(), data.len());
                    return Err(bad(format!("runs of {total} bytes with {given}")));
                }
            }
        }
        kind::GATHER_RUNS => {
            let runs = Runs::read(tail)?;
            match runs.count() == a {
                true => Request::GatherRuns { runs },
                false => return Err(bad(format!("{a} runs in {} bytes", tail.len()))),
            }
        }
        kind::NOTIFY => no_tail(Request::Notify { counter: offset, value: a })?,
        kind::PACKET => {
            let Some(data) = tail.len().checked_sub(code.into()) else {
                return Err(bad(format!(
                    "a packet of {} bytes with a header of {code}",
                    tail.len()
                )));
            };
            let (data, header) = tail.split_at(data);
            let mark = match a {
                TRAILING => Mark::Trailing(b),
                offset => Mark::Counter { offset, value: b },
            };
            Request::Packet { end: offset, parts: [data, header], mark }
        }
        kind::FETCH_OP => {
            let op = read_op(code)?;
            no_tail(Request::FetchOp { op, offset, width: read_width(width)?, operand: a })?
        }
        kind::FETCH_TOGETHER => {
            let members = Members::read(tail)?;
            if members.count() != a {
                return Err(bad(format!("{a} merged operations in {} bytes", tail.len())));
            }
            Request::FetchTogether {
                op: read_op(code)?,
                offset,
                width: read_width(width)?,
                members,
            }
        }
        kind::COMPARE_SWAP => {
            let width = read_width(width)?;
            no_tail(Request::CompareSwap { offset, width, expected: a, desired: b })?
        }
        kind::SIGNAL => {
            let update = match code {
                ADD => Update::Add(a),
                CLEAR => Update::Clear(a),
                _ => return Err(bad(format!("an update with code {code}"))),
            };
            let wake = match b {
                TARGET => Wake::Target,
                gate => Wake::Sleepers(gate),
            };
            no_tail(Request::Signal { offset, width: read_width(width)?, update, wake })?
        }
        kind::RING => no_tail(Request::Ring)?,
        kind::FLUSH => no_tail(Request::Flush)?,
        kind::CALL => {
            let handler =
                u16::try_from(b).map_err(|_| bad(format!("a handler with number {b}")))?;
            Request::Call { handler, data: read_payload(width, a, tail)? }
        }
        kind::STATES => Request::States(Changes::read(tail)?),
        _ => return Err(bad(format!("a request of kind {kind}"))),
    };
    Ok((head, request))
}

fn read_payload(width: u8, len: u64, tail: &[u8]) -> Result<Payload<'_>> {
    match width {
        0 if len == tail.len() as u64 => Ok(Payload::Inline(tail)),
        FOLLOWS if tail.is_empty() => Ok(Payload::Follows(len)),
        _ => Err(bad(format!("a payload of {len} bytes (form {width}) with {}", tail.len()))),
    }
}

fn read_grid(offset: u64, unit: u64, loops: u8, tail: &[u8]) -> Result<(Grid, &[u8])> {
    let loops = usize::from(loops);
    if loops > MAX_LOOPS || tail.len() < loops * LOOP {
        return Err(bad(format!("a nest of {loops} loops in {} bytes", tail.len())));
    }
    let (bytes, rest) = tail.split_at(loops * LOOP);
    let one = |bytes: &[u8]| Loop {
        extent: u64_at(bytes, 0) as usize,
        remote: u64_at(bytes, 8) as i64,
        local: 0,
    };
    let unit = unit as usize;
    Ok((Grid { offset, unit, loops: bytes.chunks_exact(LOOP).map(one).collect() }, rest))
}

fn read_op(code: u8) -> Result<AtomicOp> {
    let op = AtomicOp::ALL.into_iter().find(|&op| op_code(op) == code);
    op.ok_or_else(|| bad(format!("an atomic operation with code {code}")))
}

fn read_width(code: u8) -> Result<Width> {
    match code {
        4 => Ok(Width::W4),
        8 => Ok(Width::W8),
        _ => Err(bad(format!("an atomic word of {code} bytes"))),
    }
}
