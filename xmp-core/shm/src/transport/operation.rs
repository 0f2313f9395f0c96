//! The operands of one-sided operations: layouts of bytes, packets and notifications, atomic operations, flushes.

use crate::nest::Nest;
use crate::rank::Rank;

/// How the bytes of a put or get are in the target's segment, from an offset, and in the memory of this image, from an
/// address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout<'a> {
    /// This many bytes, contiguous on both sides.
    Contiguous(usize),
    /// The units of a nest of loops.
    Nest(Nest<'a>),
    /// Runs that may be anywhere.
    Runs(&'a [Run]),
}

impl Layout<'_> {
    /// Calls `visit` with intervals of the target's segment that contain all bytes of this layout at `offset`: one for
    /// each run, else one.
    ///
    /// # Errors
    /// The first error of `visit`.
    #[inline]
    pub fn for_each_touched<E>(
        self,
        offset: u64,
        mut visit: impl FnMut(u64, u64) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Layout::Contiguous(len) => visit(offset, offset.saturating_add(len as u64)),
            Layout::Nest(nest) => {
                let touched = nest.touched(offset);
                visit(touched.start as u64, touched.end as u64)
            }
            Layout::Runs(runs) => runs.iter().try_for_each(|run| {
                let from = offset.saturating_add(run.offset);
                visit(from, from.saturating_add(run.len as u64))
            }),
        }
    }
}

/// One run of contiguous bytes of a transfer with several runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Bytes in the target's segment from the offset of the transfer to the run.
    pub offset: u64,
    /// Bytes from the start of the transfer's local memory to the run.
    pub local: isize,
    /// Bytes of the run.
    pub len: usize,
}

/// A synchronisation of all images, before which bytes are requested for what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// The one at which this image has arrived; with the number of those at which it has, wrapping.
    Present(u32),
    /// The one after that; with one more.
    Next(u32),
}

/// A point of a synchronisation of all images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeetingPoint {
    /// The image has published its arrival, and has waited for no other one yet.
    Arrived {
        /// The number of synchronisations of all images at which it has arrived, wrapping.
        arrivals: u32,
    },
    /// All images have arrived.
    Met,
}

/// A store that wakes the target if it sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Post<'a> {
    /// Two parts, one after the other, then their mark.
    Packet {
        /// Segment offset of the end of the parts, a multiple of 8.
        end: u64,
        /// The bytes.
        parts: [&'a [u8]; 2],
        /// How they are announced.
        mark: Mark,
    },
    /// A notification: the new value of a counter.
    Notify {
        /// Segment offset of the counter.
        counter: u64,
        /// Its new value.
        value: u64,
    },
    /// A notification that may be late. It travels with the next message, other than a put, that this image sends to an
    /// image of that host, at the latest before this image has stopped.
    NotifyLate {
        /// Segment offset of the counter.
        counter: u64,
        /// Its new value.
        value: u64,
    },
}

/// How a packet is announced to its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// By this value in the word right after the packet, which no other bytes of packets ever use.
    Trailing(u64),
    /// By the value of a notification counter.
    Counter {
        /// Segment offset of the counter.
        offset: u64,
        /// Its new value.
        value: u64,
    },
}

/// A read-modify-write on a word of another image; executed with sequentially consistent order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// Returns the value.
    Load,
    /// Stores the operand.
    Swap,
    /// Adds, wrapping.
    Add,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

impl AtomicOp {
    /// All operations.
    pub const ALL: [AtomicOp; 6] =
        [AtomicOp::Load, AtomicOp::Swap, AtomicOp::Add, AtomicOp::And, AtomicOp::Or, AtomicOp::Xor];

    /// The value of a word that held `value` after this operation with this operand. It is also the operand of one
    /// operation that has the effect of two in sequence, the first with operand `value`.
    pub const fn after(self, value: u64, operand: u64) -> u64 {
        match self {
            AtomicOp::Load => value,
            AtomicOp::Swap => operand,
            AtomicOp::Add => value.wrapping_add(operand),
            AtomicOp::And => value & operand,
            AtomicOp::Or => value | operand,
            AtomicOp::Xor => value ^ operand,
        }
    }
}

/// A read-modify-write with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicRequest {
    /// An operation and its operand.
    Fetch(AtomicOp, u64),
    /// Replaces the value if it is the expected one.
    CompareSwap {
        /// The expected value.
        expected: u64,
        /// The value that replaces it.
        desired: u64,
    },
}

impl AtomicRequest {
    /// Returns the value.
    pub const LOAD: AtomicRequest = AtomicRequest::Fetch(AtomicOp::Load, 0);
}

/// What [`Transport::signal`](super::Transport::signal) does with a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// Adds, wrapping.
    Add(u64),
    /// Sets it to 0 if it is this value.
    Clear(u64),
}

/// The images that [`Transport::signal`](super::Transport::signal) wakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// The target.
    Target,
    /// The sleeping images of the target's host, if there are any: a word of 4 bytes at this offset of the target's
    /// segment counts them (the gate of `wait/README.md`).
    Sleepers(u64),
}

/// Width of an atomic word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 4 bytes.
    W4,
    /// 8 bytes.
    W8,
}

impl Width {
    /// Its size in bytes.
    #[inline(always)]
    pub const fn bytes(self) -> u64 {
        match self {
            Width::W4 => 4,
            Width::W8 => 8,
        }
    }
}

/// The operations that [`Transport::flush`](super::Transport::flush) completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlushScope {
    /// Those to this image.
    Target(Rank),
    /// Those to all images.
    All,
    /// Those that must be complete before this image notifies this one, by a word that only the notified image reads. If that is
    /// on another host: all but those to its host. The notification arrives there after them, so the notified image, and any
    /// image that it notifies, sees them.
    ///
    /// If it is on this host: all; or none, where the transport orders later requests of all images of this host after them (the
    /// causal order of jobs of two hosts). In both cases the image may then notify any images of the job.
    Before(Rank),
    /// Puts, before the calling image changes a word of the given image that any image may read: after an image control
    /// statement, which includes the effect of SYNC MEMORY, such a word may order segments (Fortran 2018, 11.6.1 and 11.6.5). If
    /// the word is on this host: all. If it is on another host, where it is changed after the puts to that host: those to third
    /// hosts that [`FlushScope::Before`] has left incomplete.
    Ordered(Rank),
    /// Those to all images, notifications and packets included: everything that this image has sent has arrived. An image
    /// does this before it publishes that it has stopped, or executed FAIL IMAGE, so that an image that sees that sees what
    /// it did before.
    Everything,
}
