//! The wire format of requests and replies: a header of fixed length, little endian, and a tail that depends on the
//! kind. Every message is checked: bytes that no origin writes are an error.
//!
//! | bytes | request | reply |
//! |---|---|---|
//! | 0 | [`MARK`] | [`MARK`] |
//! | 1 | kind | kind |
//! | 2, 3 | code and form, or 0 | 0 |
//! | 4..8 | rank of the origin | the request's number |
//! | 8..12 | rank of the target | number of the server's host |
//! | 12..16 | the request's number | number of the reply among those of this server to this image |
//! | 16..24 | offset in the target's segment | a value |
//! | 24..32, 32..40 | two values | number of the image's requests that were executed (24..32) |

mod atomic;
mod lists;
mod reply;
mod request;
#[cfg(all(test, not(loom)))]
mod tests;

pub use lists::Record;
pub use reply::{read_reply, write_reply};
pub use request::{
    lengthen_short_put, read_request, read_short_put, write_request, write_short_put,
};

use crate::error::{Error, Result};
use crate::nest::{Loop, Nest};
use crate::rank::Rank;
use crate::transport::{AtomicOp, AtomicRequest, Mark, Update, Wake, Width};
use smallvec::SmallVec;
use std::marker::PhantomData;
use std::ops::Range;

/// Bytes of the header of a request.
pub const REQUEST_HEADER: usize = 40;
/// Bytes of the header of a reply.
pub const REPLY_HEADER: usize = 32;
/// First byte of every message; changes with the format.
pub const MARK: u8 = 0xC3;
/// Bytes of a dimension of a section.
pub const LOOP: usize = 16;
/// Most dimensions of a section: the greatest rank of Fortran.
pub const MAX_LOOPS: usize = 15;

/// Origin and target of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The image that sends the request and gets the reply.
    pub origin: Rank,
    /// The image whose segment the request is about; on the server's host.
    pub target: Rank,
    /// Number of the request, repeated in its reply.
    pub id: u32,
}

/// Bytes that belong to a request: in it, or in messages of their own after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload<'a> {
    /// The bytes.
    Inline(&'a [u8]),
    /// This many bytes come as [`super::Tag::REQUEST_DATA`].
    Follows(u64),
}

impl Payload<'_> {
    /// Number of bytes.
    pub fn size(&self) -> u64 {
        match self {
            Payload::Inline(bytes) => bytes.len() as u64,
            Payload::Follows(len) => *len,
        }
    }
}

/// The units of a nest in the target's segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Offset of the first byte.
    pub offset: u64,
    /// Contiguous bytes.
    pub unit: usize,
    /// The loops around them; their distances in local memory are 0.
    pub loops: SmallVec<[Loop; 4]>,
}

impl Grid {
    /// The target's side of a nest at `offset`, by the longest units.
    pub fn of(offset: u64, nest: Nest<'_>) -> Grid {
        let (unit, loops) = nest.side(|it| it.remote);
        Grid { offset, unit, loops }
    }

    /// The nest; its distances in local memory are 0.
    pub fn nest(&self) -> Nest<'_> {
        Nest { unit: self.unit, loops: &self.loops }
    }

    /// Bytes of the units, packed; `None` when there are more than can be addressed.
    pub fn packed(&self) -> Option<u64> {
        self.nest().bytes().map(|len| len as u64)
    }

    /// The bytes of the segment from the first to the last one touched, which may be outside it.
    pub fn touched(&self) -> Range<i128> {
        self.nest().touched(self.offset)
    }
}

/// A change of an image's state, as hosts propagate it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It has stopped.
    Stopped,
    /// It has failed.
    Failed,
    /// It has entered its survivor synchronisation of this number.
    SurvivorSync(u32),
    /// It has started error termination with this code.
    Ending(i32),
    /// Its host's launcher has started error termination with this code.
    EndingByLauncher(i32),
    /// A program was notified of a failed image.
    Acknowledged,
    /// It is about to report an error that ends the job: a hash of the text.
    Complaint(u32),
    /// So many images of its host have reached their normal end, and the others have failed.
    AtEnd(u32),
}

/// A list of records, as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List<'a, R>(&'a [u8], PhantomData<R>);

/// Changes of the states of images.
pub type Changes<'a> = List<'a, (Rank, Change)>;
/// Read-modify-writes of several images that were merged.
pub type Members<'a> = List<'a, Member>;
/// Dependencies on messages of other images.
pub type Dependencies<'a> = List<'a, Dependency>;
/// Contiguous runs of bytes in the target's segment.
pub type Runs<'a> = List<'a, Run>;

/// One of several merged operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The origin.
    pub origin: Rank,
    /// Number of its request.
    pub id: u32,
    /// The operand.
    pub operand: u64,
}

/// A dependency on the messages of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The image.
    pub image: Rank,
    /// The number of its messages to this server, from the first one on.
    pub messages: u64,
}

/// A contiguous run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it begins in the target's segment.
    pub offset: u64,
    /// Its bytes.
    pub len: u32,
}

/// The layout of the bytes of a put or get in the target's segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteLayout<'a> {
    /// Contiguous bytes.
    Contiguous {
        /// Offset of the first one.
        offset: u64,
        /// Number of bytes.
        len: u64,
    },
    /// The units of a nest.
    Nest(Grid),
    /// Runs.
    Runs(Runs<'a>),
}

impl RemoteLayout<'_> {
    /// The simplest layout of the target's side of a nest at `offset`.
    pub fn of(offset: u64, nest: Nest<'_>) -> RemoteLayout<'static> {
        let grid = Grid::of(offset, nest);
        if grid.loops.is_empty() {
            RemoteLayout::Contiguous { offset, len: grid.unit as u64 }
        } else {
            RemoteLayout::Nest(grid)
        }
    }
}

/// The operation of a request on a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<'a> {
    /// A read-modify-write; its reply is the former value.
    Execute(AtomicRequest),
    /// An update without a reply.
    Signal {
        /// The update.
        update: Update,
        /// The images that may wait for it.
        wake: Wake,
    },
    /// Read-modify-writes by several images, which take effect together, in their order; each has its own reply. Servers
    /// write this action when they forward requests; the head is that of the first one.
    Merged {
        /// The operation.
        op: AtomicOp,
        /// The merged operations.
        members: Members<'a>,
    },
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request<'a> {
    /// Bytes into the segment, packed if they are not contiguously there.
    Put {
        /// The destination.
        to: RemoteLayout<'a>,
        /// The bytes.
        data: Payload<'a>,
    },
    /// Bytes out of the segment, packed likewise.
    Get {
        /// The source.
        from: RemoteLayout<'a>,
    },
    /// The same of runs, for a reply in any case: without bytes, unless all images of the host have arrived at as many synchronisations
    /// of all images (`origin/ahead.rs`).
    GetAhead {
        /// The number of synchronisations, wrapping.
        arrivals: u32,
        /// Whether the reply waits until they have arrived.
        is_awaited: bool,
        /// The source.
        from: Runs<'a>,
    },
    /// A packet.
    Packet {
        /// The offset of its end.
        end: u64,
        /// Data and header.
        parts: [&'a [u8]; 2],
        /// How it is announced.
        mark: Mark,
    },
    /// A notification.
    Notify {
        /// Offset of the counter.
        counter: u64,
        /// Its new value.
        value: u64,
    },
    /// An operation on a word.
    Atomic {
        /// Offset of the word.
        offset: u64,
        /// Its width.
        width: Width,
        /// The operation.
        action: Action<'a>,
    },
    /// Wakes the image.
    Ring,
    /// Requests a reply when everything before is executed.
    Flush,
    /// A handler of a front end.
    Call {
        /// Its number.
        handler: u16,
        /// The bytes passed to it.
        data: Payload<'a>,
    },
    /// States of images have changed that are on the *sender's* host, or on hosts whose changes it propagates.
    States(Changes<'a>),
    /// Bytes for what is above the servers (`notes.rs`), from the leader of another host.
    Note(&'a [u8]),
    /// What comes after it waits until the server has executed these messages of other images
    /// (`origin/causal_order.rs`).
    After(Dependencies<'a>),
}

impl<'a> Request<'a> {
    /// Whether bytes of it follow in messages of their own.
    pub fn is_followed(&self) -> bool {
        matches!(
            self,
            Request::Put { data: Payload::Follows(_), .. }
                | Request::Call { data: Payload::Follows(_), .. }
        )
    }

    /// Whether it is a header, and the loops of a section, alone: shorter than the others by far.
    pub fn is_short(&self) -> bool {
        match self {
            Request::Put { to: RemoteLayout::Runs(_), .. } => false,
            Request::Put { .. } | Request::Call { .. } => self.is_followed(),
            Request::Get { from } => !matches!(from, RemoteLayout::Runs(_)),
            Request::Atomic { action, .. } => action.tail().is_empty(),
            Request::Notify { .. } | Request::Ring | Request::Flush => true,
            Request::GetAhead { .. }
            | Request::Packet { .. }
            | Request::States(_)
            | Request::Note(_)
            | Request::After(_) => false,
        }
    }

    /// A put of contiguous bytes.
    pub fn put(offset: u64, data: Payload<'a>) -> Request<'a> {
        Request::Put { to: RemoteLayout::Contiguous { offset, len: data.size() }, data }
    }

    /// A get of contiguous bytes.
    pub fn get(offset: u64, len: u64) -> Request<'a> {
        Request::Get { from: RemoteLayout::Contiguous { offset, len } }
    }
}

/// The answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<'a> {
    /// This many requests were executed; the answer to no request.
    Credit,
    /// Executed; with the returned value, if any.
    Value(u64),
    /// These bytes.
    Data(&'a [u8]),
    /// This many bytes come as [`super::Tag::REPLY_DATA`].
    Follows(u64),
    /// It was refused, or an earlier request of the image was: the reason.
    Refused(&'a str),
    /// It was refused because this image has stopped.
    Stopped(Rank),
    /// It was refused because this image has failed.
    Failed(Rank),
}

/// A reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<'a> {
    /// Number of the request.
    pub id: u32,
    /// Number of the host whose server replies.
    pub host: u32,
    /// Number of the reply among those of this server to this image, from 0, wrapping: the image reads them in this
    /// order.
    pub number: u32,
    /// Number of the image's requests that were executed.
    pub executed: u64,
    /// The answer.
    pub answer: Answer<'a>,
}

/// The fields of a header. What they mean depends on the kind.
#[derive(Clone, Copy, Debug, Default)]
struct Fields {
    kind: u8,
    code: u8,
    /// Bytes of a word, or the form of a payload.
    form: u8,
    offset: u64,
    values: [u64; 2],
}

impl Head {
    #[inline]
    fn read(header: &[u8; REQUEST_HEADER]) -> Head {
        let [origin, target, id] = [4, 8, 12].map(|at| u32_at(header, at));
        Head { origin: Rank::new(origin), target: Rank::new(target), id }
    }
}

impl Fields {
    /// Writes the header to the end of `message`.
    #[inline]
    fn write(self, message: &mut Vec<u8>, head: Head) {
        let Fields { kind, code, form, offset, values: [a, b] } = self;
        let mut header = [0; REQUEST_HEADER];
        header[..4].copy_from_slice(&[MARK, kind, code, form]);
        for (at, word) in [(4, head.origin.get()), (8, head.target.get()), (12, head.id)] {
            header[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        for (at, word) in [(16, offset), (24, a), (32, b)] {
            header[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        message.extend_from_slice(&header);
    }

    /// Reads the header of a message; returns the bytes after it, too.
    fn read(message: &[u8]) -> Result<(Head, Fields, &[u8])> {
        let (header, tail) = message.split_first_chunk::<REQUEST_HEADER>().ok_or_else(|| {
            bad(format!("a request of {} bytes has no header of {REQUEST_HEADER}", message.len()))
        })?;
        let [mark, kind, code, form] = [0, 1, 2, 3].map(|at| header[at]);
        if mark != MARK {
            return Err(bad(format!("a request that begins with {mark:#04x}, not {MARK:#04x}")));
        }
        let head = Head::read(header);
        let [offset, a, b] = [16, 24, 32].map(|at| u64_at(header, at));
        Ok((head, Fields { kind, code, form, offset, values: [a, b] }, tail))
    }
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
