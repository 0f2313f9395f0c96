//! What requests and replies look like as bytes: a header of fixed length, little endian, and a tail that depends on the
//! kind. Whatever comes in is checked: bytes that no origin writes are an error.
//!
//! | bytes | request | reply |
//! |---|---|---|
//! | 0 | [`MARK`] | [`MARK`] |
//! | 1 | kind | kind |
//! | 2, 3 | code and width, or 0 | 0 |
//! | 4..8 | rank of the image that asks | the request's number |
//! | 8..12 | rank of the image that is asked about | number of the server's host |
//! | 12..16 | the request's number | number of the reply among those of this server to this image |
//! | 16..24 | offset in the target's segment | a value |
//! | 24..32, 32..40 | two values | how many requests of the image were executed (24..32) |

use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::transport::{AtomicOp, Dim, Mark, Section, Width};
use smallvec::SmallVec;

/// Bytes of the header of a request.
pub const REQUEST_HEADER: usize = 40;
/// Bytes of the header of a reply.
pub const REPLY_HEADER: usize = 32;
/// First byte of every message; changes with the format.
pub const MARK: u8 = 0xC1;
/// Bytes of a dimension of a section.
pub const DIM: usize = 16;
/// Most dimensions of a section: the greatest rank of Fortran.
pub const MAX_DIMS: usize = 15;

/// Who asks, about whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The image that asks and gets the reply.
    pub origin: Rank,
    /// The image whose segment it is about; on the server's host.
    pub target: Rank,
    /// Number of the request, repeated in its reply.
    pub id: u32,
}

/// Bytes that belong to a request: in it, or so many in messages of their own behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload<'a> {
    /// They are here.
    Inline(&'a [u8]),
    /// They come as [`super::Tag::REQUEST_DATA`].
    Follows(u64),
}

/// The points of a section in the target's segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Offset of the first byte.
    pub offset: u64,
    /// Contiguous bytes at each point.
    pub run: u64,
    /// Extents, and distances in the segment; those in packed memory are 0.
    pub dims: SmallVec<[Dim; 4]>,
}

/// A change of an image's state that hosts tell one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It has stopped.
    Stopped,
    /// It has failed.
    Failed,
    /// It has begun to meet the images that are left so often.
    Meeting(u32),
    /// It has started error termination with this code.
    Ending(i32),
    /// Its host's launcher has.
    EndingByLauncher(i32),
    /// A program was told of a failed image.
    Acknowledged,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request<'a> {
    /// Bytes into the segment.
    Put {
        /// Where to.
        offset: u64,
        /// What.
        data: Payload<'a>,
    },
    /// Bytes out of the segment.
    Get {
        /// Where from.
        offset: u64,
        /// How many.
        len: u64,
    },
    /// Packed bytes to the points of a section.
    Scatter {
        /// Where to.
        grid: Grid,
        /// What.
        data: Payload<'a>,
    },
    /// The bytes of a section, packed.
    Gather {
        /// Where from.
        grid: Grid,
    },
    /// Bytes into the segment, then a notification.
    Notify {
        /// Where the bytes go.
        offset: u64,
        /// What.
        data: &'a [u8],
        /// Offset of the counter.
        counter: u64,
        /// What it becomes.
        value: u64,
    },
    /// A packet.
    Packet {
        /// Where it ends.
        end: u64,
        /// Data and header.
        parts: [&'a [u8]; 2],
        /// How it is announced.
        mark: Mark,
    },
    /// A read-modify-write.
    FetchOp {
        /// Which.
        op: AtomicOp,
        /// Where.
        offset: u64,
        /// Of how many bytes.
        width: Width,
        /// The operand.
        operand: u64,
    },
    /// A compare-and-swap.
    CompareSwap {
        /// Where.
        offset: u64,
        /// Of how many bytes.
        width: Width,
        /// What must be there.
        expected: u64,
        /// What is to be there then.
        desired: u64,
    },
    /// Wakes the image.
    Ring,
    /// A reply when everything before is done.
    Flush,
    /// A handler of a door.
    Call {
        /// Its number.
        handler: u16,
        /// What it is given.
        data: Payload<'a>,
    },
    /// The state of the target, which is an image of the *sender's* host, has changed.
    State(Change),
}

/// The answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<'a> {
    /// So many requests were executed; an answer to none.
    Credit,
    /// Done; with what it returns, if anything.
    Value(u64),
    /// These bytes.
    Data(&'a [u8]),
    /// So many bytes come as [`super::Tag::REPLY_DATA`].
    Follows(u64),
    /// It was refused, or an earlier request of the image was: why.
    Refused(&'a str),
}

/// A reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<'a> {
    /// Number of the request.
    pub id: u32,
    /// Number of the host whose server replies.
    pub host: u32,
    /// Number of the reply among those of this server to this image, from 0, wrapping: they are read in this order.
    pub number: u32,
    /// How many requests of the image were executed.
    pub executed: u64,
    /// The answer.
    pub answer: Answer<'a>,
}

mod kind {
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
    pub const STATE: u8 = 12;

    pub const CREDIT: u8 = 1;
    pub const VALUE: u8 = 2;
    pub const DATA: u8 = 3;
    pub const FOLLOWS: u8 = 4;
    pub const REFUSED: u8 = 5;
}

/// In the width byte of a request whose payload follows.
const FOLLOWS: u8 = 1;
/// In place of a counter's offset: the packet is announced by its mark.
const TRAILING: u64 = u64::MAX;

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
        message.extend([MARK, kind, code, width]);
        for word in [head.origin.get(), head.target.get(), head.id] {
            message.extend(word.to_le_bytes());
        }
        for word in [offset, a, b] {
            message.extend(word.to_le_bytes());
        }
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
            let (code, offset) = (grid.dims.len() as u8, grid.offset);
            let values = [grid.run, len];
            put(message, Fields { kind: kind::SCATTER, code, width, offset, values });
            write_dims(message, grid);
            message.extend_from_slice(tail);
        }
        Request::Gather { ref grid } => {
            let (code, offset) = (grid.dims.len() as u8, grid.offset);
            put(
                message,
                Fields { kind: kind::GATHER, code, offset, values: [grid.run, 0], ..fields },
            );
            write_dims(message, grid);
        }
        Request::Notify { offset, data, counter, value } => {
            put(message, Fields { kind: kind::NOTIFY, offset, values: [counter, value], ..fields });
            message.extend_from_slice(data);
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
        Request::CompareSwap { offset, width, expected, desired } => {
            let (width, values) = (width_code(width), [expected, desired]);
            put(message, Fields { kind: kind::COMPARE_SWAP, width, offset, values, ..fields });
        }
        Request::Ring => put(message, Fields { kind: kind::RING, ..fields }),
        Request::Flush => put(message, Fields { kind: kind::FLUSH, ..fields }),
        Request::Call { handler, data } => {
            let (width, len, tail) = payload(data);
            let values = [len, handler.into()];
            put(message, Fields { kind: kind::CALL, width, values, ..fields });
            message.extend_from_slice(tail);
        }
        Request::State(change) => {
            let (code, value) = match change {
                Change::Stopped => (1, 0),
                Change::Failed => (2, 0),
                Change::Meeting(count) => (3, count),
                Change::Ending(status) => (4, status as u32),
                Change::EndingByLauncher(status) => (5, status as u32),
                Change::Acknowledged => (6, 0),
            };
            let values = [value.into(), 0];
            put(message, Fields { kind: kind::STATE, code, values, ..fields });
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
    for dim in &grid.dims {
        message.extend((dim.extent as u64).to_le_bytes());
        message.extend(dim.remote.to_le_bytes());
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

fn width_code(width: Width) -> u8 {
    match width {
        Width::W4 => 4,
        Width::W8 => 8,
    }
}

/// Reads a request.
///
/// # Errors
/// [`Error::Invalid`] for bytes that [`write_request`] does not write; who has sent them is not certain then.
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
        kind::NOTIFY => Request::Notify { offset, data: tail, counter: a, value: b },
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
        kind::COMPARE_SWAP => {
            let width = read_width(width)?;
            no_tail(Request::CompareSwap { offset, width, expected: a, desired: b })?
        }
        kind::RING => no_tail(Request::Ring)?,
        kind::FLUSH => no_tail(Request::Flush)?,
        kind::CALL => {
            let handler =
                u16::try_from(b).map_err(|_| bad(format!("a handler with number {b}")))?;
            Request::Call { handler, data: read_payload(width, a, tail)? }
        }
        kind::STATE => {
            let value = a as u32;
            let change = match code {
                1 => Change::Stopped,
                2 => Change::Failed,
                3 => Change::Meeting(value),
                4 => Change::Ending(value as i32),
                5 => Change::EndingByLauncher(value as i32),
                6 => Change::Acknowledged,
                _ => return Err(bad(format!("a change of state with code {code}"))),
            };
            no_tail(Request::State(change))?
        }
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

fn read_grid(offset: u64, run: u64, dims: u8, tail: &[u8]) -> Result<(Grid, &[u8])> {
    let dims = usize::from(dims);
    if dims > MAX_DIMS || tail.len() < dims * DIM {
        return Err(bad(format!("a section of {dims} dimensions in {} bytes", tail.len())));
    }
    let (bytes, rest) = tail.split_at(dims * DIM);
    let dim = |bytes: &[u8]| Dim {
        extent: u64_at(bytes, 0) as usize,
        remote: u64_at(bytes, 8) as i64,
        local: 0,
    };
    Ok((Grid { offset, run, dims: bytes.chunks_exact(DIM).map(dim).collect() }, rest))
}

fn read_op(code: u8) -> Result<AtomicOp> {
    let all =
        [AtomicOp::Load, AtomicOp::Swap, AtomicOp::Add, AtomicOp::And, AtomicOp::Or, AtomicOp::Xor];
    let op = all.into_iter().find(|&op| op_code(op) == code);
    op.ok_or_else(|| bad(format!("an atomic operation with code {code}")))
}

fn read_width(code: u8) -> Result<Width> {
    match code {
        4 => Ok(Width::W4),
        8 => Ok(Width::W8),
        _ => Err(bad(format!("an atomic word of {code} bytes"))),
    }
}

/// Writes a reply to the end of `message`.
pub fn write_reply(message: &mut Vec<u8>, reply: Reply<'_>) {
    let (kind, value, tail): (u8, u64, &[u8]) = match reply.answer {
        Answer::Credit => (kind::CREDIT, 0, &[]),
        Answer::Value(value) => (kind::VALUE, value, &[]),
        Answer::Data(bytes) => (kind::DATA, bytes.len() as u64, bytes),
        Answer::Follows(len) => (kind::FOLLOWS, len, &[]),
        Answer::Refused(why) => (kind::REFUSED, 0, why.as_bytes()),
    };
    message.extend([MARK, kind, 0, 0]);
    for word in [reply.id, reply.host, reply.number] {
        message.extend(word.to_le_bytes());
    }
    message.extend(value.to_le_bytes());
    message.extend(reply.executed.to_le_bytes());
    message.extend_from_slice(tail);
}

/// Reads a reply.
///
/// # Errors
/// [`Error::Invalid`] for bytes that [`write_reply`] does not write.
pub fn read_reply(message: &[u8]) -> Result<Reply<'_>> {
    let (header, tail) = message
        .split_first_chunk::<REPLY_HEADER>()
        .ok_or_else(|| bad(format!("a reply of {} bytes", message.len())))?;
    let value = u64_at(header, 16);
    let answer = match (header[0], header[1]) {
        (MARK, kind::CREDIT) if tail.is_empty() => Answer::Credit,
        (MARK, kind::VALUE) if tail.is_empty() => Answer::Value(value),
        (MARK, kind::DATA) if tail.len() as u64 == value => Answer::Data(tail),
        (MARK, kind::FOLLOWS) if tail.is_empty() => Answer::Follows(value),
        (MARK, kind::REFUSED) => {
            let why = std::str::from_utf8(tail);
            Answer::Refused(why.map_err(|_| bad("a refusal that is no text".into()))?)
        }
        (mark, kind) => {
            let len = tail.len();
            return Err(bad(format!("a reply {mark:#04x} of kind {kind} with {len} bytes")));
        }
    };
    let [id, host, number] = [4, 8, 12].map(|at| u32_at(header, at));
    Ok(Reply { id, host, number, executed: u64_at(header, 24), answer })
}

fn bad(what: String) -> Error {
    Error::Invalid(format!("a message between hosts is damaged: {what}"))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

impl Grid {
    /// The grid of a section at `offset`.
    pub fn of(offset: u64, section: Section<'_>) -> Grid {
        let dims = section.dims.iter().map(|dim| Dim { local: 0, ..*dim }).collect();
        Grid { offset, run: section.run as u64, dims }
    }

    /// Bytes of the section, packed; `None` when that is more than can be addressed.
    pub fn packed(&self) -> Option<u64> {
        let extents = self.dims.iter().map(|dim| dim.extent as u64);
        if extents.clone().any(|extent| extent == 0) {
            return Some(0);
        }
        extents.into_iter().try_fold(self.run, u64::checked_mul).filter(|&len| len <= 1 << 62)
    }

    /// The first and one past the last byte of the segment that the section touches, which may be far out of it.
    pub fn touched(&self) -> (i128, i128) {
        let (mut from, mut to) = (i128::from(self.offset), 0);
        to += from + i128::from(self.run);
        for dim in &self.dims {
            if dim.extent == 0 {
                return (self.offset.into(), self.offset.into());
            }
            let reach = (dim.extent as i128 - 1) * i128::from(dim.remote);
            from = from.saturating_add(reach.min(0));
            to = to.saturating_add(reach.max(0));
        }
        (from, to)
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
