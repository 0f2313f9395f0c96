//! Requests: each kind as it is written and as it is read, and how a header describes where bytes are at the target.
//!
//! | layout | code | offset | first value | tail |
//! |---|---|---|---|---|
//! | contiguous | [`CONTIGUOUS`] | of the bytes | their number | |
//! | nest | number of loops | of the first unit | bytes of a unit | extent and distance of each loop |
//! | runs | [`RUNS`] | 0 | their number | offset and length of each |

use super::atomic::read_width;
use super::{
    Action, Changes, Dependencies, Fields, Grid, Head, LOOP, MARK, MAX_LOOPS, Payload,
    REQUEST_HEADER, Record, RemoteLayout, Request, Run, Runs, bad, u64_at,
};
use crate::error::Result;
use crate::nest::Loop;
use crate::transport::Mark;

/// Kinds of requests.
mod kind {
    pub const PUT: u8 = 1;
    pub const GET: u8 = 2;
    pub const PACKET: u8 = 3;
    pub const NOTIFY: u8 = 4;
    pub const ATOMIC: u8 = 5;
    pub const RING: u8 = 6;
    pub const FLUSH: u8 = 7;
    pub const CALL: u8 = 8;
    pub const STATES: u8 = 9;
    pub const NOTE: u8 = 10;
    pub const AFTER: u8 = 11;
    pub const GET_AHEAD: u8 = 12;
}

/// The form of a payload in the request.
const INLINE: u8 = 0;
/// The form of a payload that follows.
const FOLLOWS: u8 = 1;
/// The code of a contiguous layout.
const CONTIGUOUS: u8 = 0;
/// The code of runs.
const RUNS: u8 = u8::MAX;
/// Where the two values of a header are.
const VALUES: [usize; 2] = [24, 32];
/// Instead of a counter's offset: the packet is announced by the word after it.
const TRAILING: u64 = u64::MAX;

/// Writes a request to the end of `message`.
pub fn write_request(message: &mut Vec<u8>, head: Head, request: &Request<'_>) {
    let fields = Fields::default();
    match request {
        &Request::Put {
            to: RemoteLayout::Contiguous { offset, len },
            data: Payload::Inline(bytes),
        } => {
            debug_assert_eq!(len, bytes.len() as u64);
            write_short_put(message, head, offset, bytes);
        }
        Request::Put { to, data } => {
            let its = to.fields();
            let values = [its.values[0], data.size()];
            Fields { kind: kind::PUT, form: form(data), values, ..its }.write(message, head);
            to.write_tail(message);
            message.extend_from_slice(inline(data));
        }
        Request::Get { from } => {
            Fields { kind: kind::GET, ..from.fields() }.write(message, head);
            from.write_tail(message);
        }
        Request::GetAhead { arrivals, is_awaited, from } => {
            let (offset, values) = (u64::from(*arrivals), [from.count(), u64::from(*is_awaited)]);
            Fields { kind: kind::GET_AHEAD, code: RUNS, offset, values, ..fields }
                .write(message, head);
            message.extend_from_slice(from.bytes());
        }
        &Request::Packet { end, parts: [data, header], mark } => {
            let values = match mark {
                Mark::Trailing(value) => [TRAILING, value],
                Mark::Counter { offset, value } => [offset, value],
            };
            let code = header.len() as u8;
            Fields { kind: kind::PACKET, code, offset: end, values, ..fields }.write(message, head);
            message.extend_from_slice(data);
            message.extend_from_slice(header);
        }
        &Request::Notify { counter, value } => {
            let values = [value, 0];
            Fields { kind: kind::NOTIFY, offset: counter, values, ..fields }.write(message, head);
        }
        &Request::Atomic { offset, width, action } => {
            let form = width.bytes() as u8;
            Fields { kind: kind::ATOMIC, form, offset, ..action.fields() }.write(message, head);
            message.extend_from_slice(action.tail());
        }
        Request::Ring => Fields { kind: kind::RING, ..fields }.write(message, head),
        Request::Flush => Fields { kind: kind::FLUSH, ..fields }.write(message, head),
        Request::Call { handler, data } => {
            let values = [u64::from(*handler), data.size()];
            Fields { kind: kind::CALL, form: form(data), values, ..fields }.write(message, head);
            message.extend_from_slice(inline(data));
        }
        Request::States(changes) => {
            Fields { kind: kind::STATES, ..fields }.write(message, head);
            message.extend_from_slice(changes.bytes());
        }
        Request::Note(bytes) => {
            let values = [bytes.len() as u64, 0];
            Fields { kind: kind::NOTE, values, ..fields }.write(message, head);
            message.extend_from_slice(bytes);
        }
        Request::After(dependencies) => {
            let values = [dependencies.count(), 0];
            Fields { kind: kind::AFTER, values, ..fields }.write(message, head);
            message.extend_from_slice(dependencies.bytes());
        }
    }
}

/// Writes a contiguous put that contains its bytes to the end of `message`.
// In line: the processor waits where it loads a head as a whole whose words it has just stored.
#[inline(always)]
pub fn write_short_put(message: &mut Vec<u8>, head: Head, offset: u64, data: &[u8]) {
    let values = [data.len() as u64; 2];
    let fields = Fields { kind: kind::PUT, code: CONTIGUOUS, form: INLINE, offset, values };
    fields.write(message, head);
    message.extend_from_slice(data);
}

/// A contiguous put that contains its bytes has `len` of them now.
#[inline]
pub fn lengthen_short_put(request: &mut [u8], len: usize) {
    let len = (len as u64).to_le_bytes();
    for value in VALUES {
        request[value..value + len.len()].copy_from_slice(&len);
    }
}

/// Reads a request.
///
/// # Errors
/// [`Error::Invalid`](crate::error::Error::Invalid) for bytes that [`write_request`] does not write. The sender that
/// such bytes name is not reliable.
pub fn read_request(message: &[u8]) -> Result<(Head, Request<'_>)> {
    let (head, fields, tail) = Fields::read(message)?;
    let Fields { kind, code, form, offset, values: [a, b] } = fields;
    let (request, rest) = match kind {
        kind::PUT => {
            let (to, tail) = RemoteLayout::read(&fields, tail)?;
            (Request::Put { data: read_put(&to, form, b, tail)?, to }, &[][..])
        }
        kind::GET => {
            let (from, rest) = RemoteLayout::read(&fields, tail)?;
            (Request::Get { from }, rest)
        }
        kind::GET_AHEAD => match RemoteLayout::read(&fields, tail)? {
            (RemoteLayout::Runs(from), rest) => {
                (Request::GetAhead { arrivals: offset as u32, is_awaited: b != 0, from }, rest)
            }
            (other, _) => return Err(bad(format!("a get ahead of {other:?}"))),
        },
        kind::PACKET => {
            let len = tail.len();
            let data = len.checked_sub(code.into());
            let parts = data
                .map(|data| tail.split_at(data))
                .ok_or_else(|| bad(format!("a packet of {len} bytes with a header of {code}")))?;
            let mark = match a {
                TRAILING => Mark::Trailing(b),
                offset => Mark::Counter { offset, value: b },
            };
            (Request::Packet { end: offset, parts: parts.into(), mark }, &[][..])
        }
        kind::NOTIFY => (Request::Notify { counter: offset, value: a }, tail),
        kind::ATOMIC => {
            let (action, rest) = Action::read(&fields, tail)?;
            (Request::Atomic { offset, width: read_width(form)?, action }, rest)
        }
        kind::RING => (Request::Ring, tail),
        kind::FLUSH => (Request::Flush, tail),
        kind::CALL => {
            let handler = u16::try_from(a);
            let handler = handler.map_err(|_| bad(format!("a handler with number {a}")))?;
            (Request::Call { handler, data: read_payload(form, b, tail)? }, &[][..])
        }
        kind::STATES => (Request::States(Changes::read(tail)?), &[][..]),
        kind::NOTE if a == tail.len() as u64 => (Request::Note(tail), &[][..]),
        kind::AFTER => match Dependencies::read(tail)? {
            dependencies if dependencies.count() == a => (Request::After(dependencies), &[][..]),
            others => return Err(bad(format!("{} dependencies of {a}", others.count()))),
        },
        _ => return Err(bad(format!("a request of kind {kind}"))),
    };
    if rest.is_empty() {
        Ok((head, request))
    } else {
        Err(bad(format!("{} bytes after a request of kind {kind}", rest.len())))
    }
}

/// Reads a contiguous put that contains its bytes, in few steps, because messages have many: head, offset and bytes.
/// `None` for any other request, and for bytes that [`read_request`] refuses.
#[inline]
pub fn read_short_put(message: &[u8]) -> Option<(Head, u64, &[u8])> {
    let (header, data) = message.split_first_chunk::<REQUEST_HEADER>()?;
    let len = data.len() as u64;
    let is_one = header.starts_with(&[MARK, kind::PUT, CONTIGUOUS, INLINE])
        && VALUES.iter().all(|&value| u64_at(header, value) == len);
    is_one.then(|| (Head::read(header), u64_at(header, 16), data))
}

impl<'a> RemoteLayout<'a> {
    /// The fields of a header that tell this layout.
    fn fields(&self) -> Fields {
        let (code, offset, size) = match self {
            RemoteLayout::Contiguous { offset, len } => (CONTIGUOUS, *offset, *len),
            RemoteLayout::Nest(grid) => (grid.loops.len() as u8, grid.offset, grid.unit as u64),
            RemoteLayout::Runs(runs) => (RUNS, 0, runs.count()),
        };
        Fields { code, offset, values: [size, 0], ..Fields::default() }
    }

    /// Writes what is after the header.
    fn write_tail(&self, message: &mut Vec<u8>) {
        match self {
            RemoteLayout::Contiguous { .. } => {}
            RemoteLayout::Nest(grid) => {
                for it in &grid.loops {
                    message.extend((it.extent as u64).to_le_bytes());
                    message.extend(it.remote.to_le_bytes());
                }
            }
            RemoteLayout::Runs(runs) => message.extend_from_slice(runs.bytes()),
        }
    }

    /// Reads a layout; returns the bytes after it, too.
    fn read(fields: &Fields, tail: &'a [u8]) -> Result<(RemoteLayout<'a>, &'a [u8])> {
        let Fields { code, offset, values: [size, _], .. } = *fields;
        match code {
            CONTIGUOUS => Ok((RemoteLayout::Contiguous { offset, len: size }, tail)),
            RUNS => {
                let (runs, rest) = usize::try_from(size)
                    .ok()
                    .and_then(|count| tail.split_at_checked(count.checked_mul(Run::BYTES)?))
                    .ok_or_else(|| bad(format!("{size} runs in {} bytes", tail.len())))?;
                Ok((RemoteLayout::Runs(Runs::read(runs)?), rest))
            }
            loops => {
                let (grid, rest) = read_grid(offset, size, loops.into(), tail)?;
                Ok((RemoteLayout::Nest(grid), rest))
            }
        }
    }
}

fn read_grid(offset: u64, unit: u64, loops: usize, tail: &[u8]) -> Result<(Grid, &[u8])> {
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

/// Reads the payload of a put. The bytes of runs never follow.
fn read_put<'a>(to: &RemoteLayout<'_>, form: u8, len: u64, tail: &'a [u8]) -> Result<Payload<'a>> {
    let data = read_payload(form, len, tail)?;
    let wanted = match to {
        RemoteLayout::Contiguous { len, .. } => *len,
        RemoteLayout::Runs(_) if form == FOLLOWS => {
            return Err(bad("runs whose bytes follow".into()));
        }
        RemoteLayout::Runs(runs) => runs.total(),
        // Compared where the nest is checked.
        RemoteLayout::Nest(_) => len,
    };
    if wanted == len { Ok(data) } else { Err(bad(format!("a put of {wanted} bytes with {len}"))) }
}

fn read_payload(form: u8, len: u64, tail: &[u8]) -> Result<Payload<'_>> {
    match form {
        INLINE if len == tail.len() as u64 => Ok(Payload::Inline(tail)),
        FOLLOWS if tail.is_empty() => Ok(Payload::Follows(len)),
        _ => Err(bad(format!("a payload of {len} bytes (form {form}) with {}", tail.len()))),
    }
}

fn form(data: &Payload<'_>) -> u8 {
    match data {
        Payload::Inline(_) => INLINE,
        Payload::Follows(_) => FOLLOWS,
    }
}

fn inline<'a>(data: &Payload<'a>) -> &'a [u8] {
    match data {
        Payload::Inline(bytes) => bytes,
        Payload::Follows(_) => &[],
    }
}
