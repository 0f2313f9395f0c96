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

mod changes;
mod codes;
mod grid;
mod members;
mod read;
mod reply;
mod runs;
#[cfg(all(test, not(loom)))]
mod tests;
mod write;

pub use changes::{CHANGE, write_change};
pub use members::{MEMBER, Member, write_member};
pub use read::read_request;
pub use reply::{read_reply, write_reply};
pub use runs::{RUN, write_run};
pub use write::write_request;

use crate::error::Error;
use crate::rank::Rank;
use crate::transport::{AtomicOp, Dim, Mark, Update, Wake, Width};
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
    SurvivorSync(u32),
    /// It has started error termination with this code.
    Ending(i32),
    /// Its host's launcher has.
    EndingByLauncher(i32),
    /// A program was told of a failed image.
    Acknowledged,
}

/// Changes of images in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changes<'a>(&'a [u8]);

/// Read-modify-writes of several images that were merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Members<'a>(&'a [u8]);

/// Contiguous runs of bytes in the target's segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runs<'a>(&'a [u8]);

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
    /// Packed bytes to runs.
    ScatterRuns {
        /// Where to.
        runs: Runs<'a>,
        /// What: as many bytes as the runs have.
        data: &'a [u8],
    },
    /// The bytes of runs, packed.
    GatherRuns {
        /// Where from.
        runs: Runs<'a>,
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
    /// Read-modify-writes of one word by several images, which take effect together, in their order; each has its own
    /// reply. Servers write it where they pass requests on; its head is that of the first one.
    FetchTogether {
        /// Which.
        op: AtomicOp,
        /// Where.
        offset: u64,
        /// Of how many bytes.
        width: Width,
        /// Whose.
        members: Members<'a>,
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
    /// An update of a word without an answer.
    Signal {
        /// Where.
        offset: u64,
        /// Of how many bytes.
        width: Width,
        /// What becomes of it.
        update: Update,
        /// Who may wait for it.
        wake: Wake,
    },
    /// Wakes the image.
    Ring,
    /// A reply when everything before is done.
    Flush,
    /// A handler of a front end.
    Call {
        /// Its number.
        handler: u16,
        /// What it is given.
        data: Payload<'a>,
    },
    /// States of images have changed that are on the *sender's* host, or on hosts that it speaks for.
    States(Changes<'a>),
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
    /// The same, because this image has stopped.
    Stopped(Rank),
    /// The same, because this image has failed.
    Failed(Rank),
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

fn bad(what: String) -> Error {
    Error::Invalid(format!("a message between hosts is damaged: {what}"))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
