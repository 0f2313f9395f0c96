//! Transports: one-sided operations on the segments of other images.
//!
//! Algorithms never ask which transport runs; they ask for a pointer ([`Transport::host_ptr`]) and for
//! [`Capabilities`]. Offsets are relative to the target's segment. Bounds are checked where user input enters, not in a
//! transport.

mod local;
mod pending;
mod word;

pub use local::Local;
pub use pending::ProgramOrder;
pub use word::{compare_swap_word, fetch_word};

use crate::error::Result;
use crate::job::Handler;
use crate::nest::Nest;
use crate::rank::Rank;
use crate::wait::Background;
use std::fmt::Debug;
use std::ops::Range;
use std::ptr::NonNull;

/// What a transport can do beyond the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// A put is complete at the target when the call returns.
    pub immediate_puts: bool,
    /// The bytes of one put become visible in order, so that the last one announces the others.
    pub ordered_bytes: bool,
    /// Local memory must be registered before it can be the source or destination of a transfer.
    pub needs_registration: bool,
    /// Operations complete while the target computes without calling the library.
    pub independent_progress: bool,
}

/// One run of contiguous bytes of a transfer with several runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Offset of the run in the target's segment.
    pub offset: u64,
    /// Bytes from the start of the transfer's local memory to the run.
    pub local: isize,
    /// Bytes of the run.
    pub len: usize,
}

impl Run {
    /// The bytes of the target's segment that the run touches.
    pub fn touched(&self) -> Range<u64> {
        self.offset..self.offset.saturating_add(self.len as u64)
    }
}

/// An operation that was started; the network alone knows what the number means. It is over, and the number may come
/// again, once the network has reported its completion or failure, or it was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op(pub u64);

/// How a packet is announced to its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// By this value in the word right behind the packet, which no other bytes of packets ever use. Only where bytes
    /// arrive in order ([`Capabilities::ordered_bytes`]).
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

/// What [`Transport::signal`] does with a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// Adds, wrapping.
    Add(u64),
    /// Sets it to 0 if it is this value.
    Clear(u64),
}

/// The images that [`Transport::signal`] wakes.
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

/// One-sided operations on the segments of other images.
///
/// # Completion and ordering
/// A put is locally complete when the call returns (the source may be changed) and complete at the target after
/// [`Transport::flush`]. `put_notify` makes its counter visible after its data. Two operations to one target are
/// otherwise unordered until a flush.
///
/// # Safety
/// Safe code loads from and stores to what [`Transport::host_ptr`] returns. So an implementation guarantees that the
/// pointer leads to the byte at `offset` of the target's segment, that it does so as long as the transport lives, and
/// that the whole segment lies around it contiguously: what is valid at an offset of the segment is valid at that
/// distance from the pointer. It returns `None` for an image whose segment is not mapped in this process.
///
/// Callers of the `unsafe` methods guarantee that `src`/`dst` is valid for the bytes that the operation touches, and
/// that `offset..` with those bytes lies in the segment, in memory that no image accesses in a conflicting way without
/// synchronisation (Fortran's segment rules).
pub unsafe trait Transport: Debug {
    /// What this transport can do.
    fn capabilities(&self) -> Capabilities;

    /// The address of `offset` in the segment of `target`, if this process can load from and store to it.
    fn host_ptr(&self, target: Rank, offset: u64) -> Option<NonNull<u8>>;

    /// Copies `len` bytes into the segment of `target`.
    ///
    /// # Safety
    /// `src` is valid for `len` bytes, and `offset..offset + len` lies in the segment and is not accessed in conflict.
    unsafe fn put(&self, target: Rank, offset: u64, src: *const u8, len: usize) -> Result<()>;

    /// Copies `len` bytes out of the segment of `target`.
    ///
    /// # Safety
    /// `dst` is valid for `len` bytes, and `offset..offset + len` lies in the segment and is not accessed in conflict.
    unsafe fn get(&self, target: Rank, offset: u64, dst: *mut u8, len: usize) -> Result<()>;

    /// Puts the units of a nest.
    ///
    /// # Safety
    /// Each unit is valid at its distance from `src`, lies in the segment at its distance from `offset`,
    /// and is not accessed in conflict.
    unsafe fn put_strided(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        nest: Nest<'_>,
    ) -> Result<()>;

    /// Gets the units of a nest.
    ///
    /// # Safety
    /// Each unit is valid at its distance from `dst`, lies in the segment at its distance from `offset`,
    /// and is not accessed in conflict.
    unsafe fn get_strided(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        nest: Nest<'_>,
    ) -> Result<()>;

    /// Puts runs of bytes, which may lie anywhere in the segment.
    ///
    /// # Safety
    /// Each run is valid at its distance from `src`, lies in the segment, and is not accessed in conflict.
    unsafe fn put_runs(&self, target: Rank, src: *const u8, runs: &[Run]) -> Result<()> {
        let put = |run: &Run| {
            // SAFETY: the run is valid on both sides (contract of this method).
            unsafe { self.put(target, run.offset, src.wrapping_offset(run.local), run.len) }
        };
        runs.iter().try_for_each(put)
    }

    /// Gets runs of bytes, which may lie anywhere in the segment.
    ///
    /// # Safety
    /// Each run is valid at its distance from `dst`, lies in the segment, and is not accessed in conflict.
    unsafe fn get_runs(&self, target: Rank, dst: *mut u8, runs: &[Run]) -> Result<()> {
        let get = |run: &Run| {
            // SAFETY: the run is valid on both sides (contract of this method).
            unsafe { self.get(target, run.offset, dst.wrapping_offset(run.local), run.len) }
        };
        runs.iter().try_for_each(get)
    }

    /// Puts `len` bytes, then stores `value` into the notification counter at `counter` and wakes the target if it
    /// sleeps.
    ///
    /// # Safety
    /// As for [`Transport::put`]; `counter` is the segment offset of a counter of which this image is the only writer.
    unsafe fn put_notify(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        len: usize,
        counter: u64,
        value: u64,
    ) -> Result<()>;

    /// Lazy notification: stores `value` into the notification counter at `counter`, at some time. The store travels
    /// with the next message, other than a put, that this image sends to an image of that host, at the latest before
    /// this image has stopped.
    ///
    /// # Safety
    /// `counter` is the segment offset of a counter of which this image is the only writer.
    unsafe fn tell(&self, target: Rank, counter: u64, value: u64) -> Result<()> {
        // SAFETY: no data; the counter is valid (contract of this method).
        unsafe { self.put_notify(target, 0, [].as_ptr(), 0, counter, value) }
    }

    /// Puts `parts`, one behind the other, so that they end at the 8-aligned offset `end`, then makes their `mark` and
    /// wakes the target if it sleeps.
    ///
    /// # Safety
    /// The parts and the mark lie in the segment and are not accessed in conflict; this image is the only writer of the
    /// word of the mark.
    unsafe fn put_packet(
        &self,
        target: Rank,
        end: u64,
        parts: [&[u8]; 2],
        mark: Mark,
    ) -> Result<()>;

    /// Executes `op` on an aligned word of `target` and returns its former value.
    ///
    /// # Safety
    /// The word lies in the segment, aligned for `width`; conflicting accesses to it are atomic.
    unsafe fn fetch_op(
        &self,
        op: AtomicOp,
        target: Rank,
        offset: u64,
        width: Width,
        operand: u64,
    ) -> Result<u64>;

    /// Stores `desired` into an aligned word of `target` if it is `expected`; returns its former value.
    ///
    /// # Safety
    /// The word lies in the segment, aligned for `width`; conflicting accesses to it are atomic.
    unsafe fn compare_swap(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        expected: u64,
        desired: u64,
    ) -> Result<u64>;

    /// Updates an aligned word of `target` and wakes the images that may wait for that, without a reply. The update
    /// takes effect after everything that this image has put to images of that host.
    ///
    /// # Errors
    /// When the word does not hold the value to be cleared, or does not exist: from this call or, on another host, from
    /// the next call that has a reply.
    ///
    /// # Safety
    /// The word, and the gate that `wake` names, lie in the segment, aligned; conflicting accesses to them are atomic.
    unsafe fn signal(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        update: Update,
        wake: Wake,
    ) -> Result<()>;

    /// Wakes `target` if it sleeps, so that it evaluates its condition again.
    fn ring(&self, target: Rank);

    /// Completes all operations to `target`.
    ///
    /// # Errors
    /// When the target cannot be reached.
    fn flush(&self, target: Rank) -> Result<()>;

    /// Completes all operations to all images.
    ///
    /// # Errors
    /// When a target cannot be reached.
    fn flush_all(&self) -> Result<()>;

    /// Completes the operations that must be complete before this image notifies `target`: all but those to the
    /// target's host, if that is another host. The notification arrives there behind those, so the target, and any
    /// image that it notifies, sees them.
    ///
    /// # Errors
    /// When a target cannot be reached.
    fn flush_for(&self, target: Rank) -> Result<()> {
        let _ = target;
        self.flush_all()
    }

    /// Waits until everything that this image has sent has arrived, including notifications and packets. Called before
    /// the image publishes that it has stopped, so that an image that sees that sees what it did before.
    ///
    /// # Errors
    /// When a target cannot be reached.
    fn finish(&self) -> Result<()> {
        self.flush_all()
    }

    /// Executes a handler, with `payload`, where the memory of `target` is addressable; the handler appends its answer
    /// to `reply`.
    ///
    /// # Errors
    /// That of the handler; when the target cannot be reached.
    fn call(
        &self,
        target: Rank,
        handler: Handler,
        payload: &[u8],
        reply: &mut Vec<u8>,
    ) -> Result<()>;

    /// The rendezvous for long messages between this image and `partner`, if there is one besides puts into its
    /// segment.
    fn rendezvous(&self, partner: Rank) -> Option<&dyn Rendezvous> {
        let _ = partner;
        None
    }

    /// The work that this image must do while it waits, if any: a leader serves requests.
    fn behind_waits(&self) -> Option<&dyn Background> {
        None
    }
}

/// Messages between two images that both wait for them. Of messages with the same label, the n-th that one image sends
/// is the n-th that the other receives.
pub trait Rendezvous: Debug {
    /// Begins to send to an image that has begun to receive, or will before it waits for anything else.
    ///
    /// # Errors
    /// When the fabric fails.
    ///
    /// # Safety
    /// The bytes are valid and unchanged until the operation is over.
    unsafe fn send(&self, to: Rank, label: u16, bytes: *const [u8]) -> Result<Op>;

    /// Begins to receive.
    ///
    /// # Errors
    /// When the fabric fails.
    ///
    /// # Safety
    /// The bytes are valid, and no other code accesses them, until the operation is over.
    unsafe fn receive(&self, from: Rank, label: u16, bytes: *mut [u8]) -> Result<Op>;

    /// Whether the operation is over. It is also over after an error.
    ///
    /// # Errors
    /// When the fabric fails, or the message was longer than its room.
    fn is_over(&self, op: Op) -> Result<bool>;

    /// Gives up an operation whose partner has ended.
    fn give_up(&self, op: Op);
}
