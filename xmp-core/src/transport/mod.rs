//! Transports: how bytes reach the segment of another image.
//!
//! Algorithms never ask which transport runs; they ask for a pointer ([`Transport::host_ptr`]) and for
//! [`Capabilities`]. Offsets are relative to the target's segment; bounds are checked where user input
//! enters, not here.

#[cfg(not(loom))]
mod hosts;
mod local;
mod pending;
#[cfg(not(loom))]
pub mod processes;
pub mod threads;
mod word;

#[cfg(not(loom))]
pub use hosts::Hosts;
pub use local::Local;
pub use pending::ProgramOrder;
pub use word::{compare_swap_word, fetch_word};

use crate::error::Result;
use crate::rank::Rank;
use crate::server::Op;
use crate::server::handlers::Handler;
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

/// Contiguous bytes of a transfer that has several such.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where they are in the target's segment.
    pub offset: u64,
    /// Bytes from the start of the transfer's memory here to theirs.
    pub local: isize,
    /// How many.
    pub len: usize,
}

impl Run {
    /// The bytes of the target's segment that it touches.
    pub fn touched(&self) -> Range<u64> {
        self.offset..self.offset.saturating_add(self.len as u64)
    }
}

/// How a packet is announced to its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// By this value in the word right behind it, which no other bytes of packets ever use. Only where bytes arrive in
    /// order ([`Capabilities::ordered_bytes`]).
    Trailing(u64),
    /// By the value of a notification counter.
    Counter {
        /// Segment offset of the counter.
        offset: u64,
        /// What it becomes.
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
    /// Every kind.
    pub const ALL: [AtomicOp; 6] =
        [AtomicOp::Load, AtomicOp::Swap, AtomicOp::Add, AtomicOp::And, AtomicOp::Or, AtomicOp::Xor];

    /// What a word with this value holds after one with this operand. Also the operand of one that does what two do, one
    /// after the other, the first one with `value` as its operand.
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
    /// Makes it 0 if it is this.
    Clear(u64),
}

/// Whom [`Transport::signal`] wakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// The target.
    Target,
    /// The images of the target's host that sleep, if there are any: a word of 4 bytes at this offset of the target's
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
    /// Its bytes.
    #[inline(always)]
    pub const fn bytes(self) -> u64 {
        match self {
            Width::W4 => 4,
            Width::W8 => 8,
        }
    }
}

/// One dimension of a strided section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// Number of elements.
    pub extent: usize,
    /// Bytes from one element to the next in the target's segment.
    pub remote: i64,
    /// Bytes from one element to the next in local memory.
    pub local: i64,
}

/// A strided section: `run` contiguous bytes at each point of a grid (first dimension fastest).
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    /// Contiguous bytes.
    pub run: usize,
    /// The grid.
    pub dims: &'a [Dim],
}

/// One-sided operations on the segments of other images.
///
/// # Completion and ordering
/// A put is locally complete when the call returns (the source may be changed) and complete at the target
/// after [`Transport::flush`]. `put_notify` makes its counter visible after its data. Two operations to
/// one target are otherwise unordered until a flush.
///
/// # Safety
/// Safe code loads from and stores to what [`Transport::host_ptr`] returns, so an implementation guarantees
/// that the pointer leads to the byte at `offset` of the target's segment, that it does so as long as the
/// transport lives, and that the whole segment lies around it contiguously: what is valid at an offset of the
/// segment is valid at that distance from the pointer. It gives `None` for an image whose segment is not
/// mapped here.
///
/// Callers of the `unsafe` methods guarantee that `src`/`dst` is valid for the bytes that the operation
/// touches and that `offset..` with those bytes lies in the segment, in memory that no image accesses
/// in a conflicting way without synchronisation (Fortran's segment rules).
pub unsafe trait Transport: Debug {
    /// What this transport can do.
    fn capabilities(&self) -> Capabilities;

    /// The address of `offset` in the segment of `target`, if it can be loaded from and stored to.
    fn host_ptr(&self, target: Rank, offset: u64) -> Option<NonNull<u8>>;

    /// Copies `len` bytes into the segment of `target`.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn put(&self, target: Rank, offset: u64, src: *const u8, len: usize) -> Result<()>;

    /// Copies `len` bytes out of the segment of `target`.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn get(&self, target: Rank, offset: u64, dst: *mut u8, len: usize) -> Result<()>;

    /// Puts a strided section.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn put_strided(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        section: Section<'_>,
    ) -> Result<()>;

    /// Gets a strided section.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn get_strided(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        section: Section<'_>,
    ) -> Result<()>;

    /// Puts runs of bytes, which may lie anywhere in the segment.
    ///
    /// # Safety
    /// See the trait, for each run.
    unsafe fn put_runs(&self, target: Rank, src: *const u8, runs: &[Run]) -> Result<()> {
        let put = |run: &Run| {
            // SAFETY: the caller's guarantee.
            unsafe { self.put(target, run.offset, src.wrapping_offset(run.local), run.len) }
        };
        runs.iter().try_for_each(put)
    }

    /// Gets runs of bytes, which may lie anywhere in the segment.
    ///
    /// # Safety
    /// See the trait, for each run.
    unsafe fn get_runs(&self, target: Rank, dst: *mut u8, runs: &[Run]) -> Result<()> {
        let get = |run: &Run| {
            // SAFETY: the caller's guarantee.
            unsafe { self.get(target, run.offset, dst.wrapping_offset(run.local), run.len) }
        };
        runs.iter().try_for_each(get)
    }

    /// Puts `len` bytes, then stores `value` into the notification counter at `counter` and wakes the
    /// target if it sleeps.
    ///
    /// # Safety
    /// See the trait; `counter` is the segment offset of a counter of which this image is the writer.
    unsafe fn put_notify(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        len: usize,
        counter: u64,
        value: u64,
    ) -> Result<()>;

    /// Stores `value` into the notification counter at `counter`, of which the target need not know at once: it gets there
    /// with the next that this image sends to an image of that host, but for puts, or before this image has stopped.
    ///
    /// # Safety
    /// As [`Transport::put_notify`].
    unsafe fn tell(&self, target: Rank, counter: u64, value: u64) -> Result<()> {
        // SAFETY: the caller's guarantee; no data.
        unsafe { self.put_notify(target, 0, [].as_ptr(), 0, counter, value) }
    }

    /// Puts `parts`, one behind the other, so that they end at the 8-aligned offset `end`, then makes their `mark` and
    /// wakes the target if it sleeps.
    ///
    /// # Safety
    /// See the trait; this image is the only writer of the word of the mark.
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
    /// See the trait; conflicting accesses to the word must be atomic.
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
    /// As [`Transport::fetch_op`].
    unsafe fn compare_swap(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        expected: u64,
        desired: u64,
    ) -> Result<u64>;

    /// Updates an aligned word of `target` and wakes those who may wait for that, without an answer: behind everything that
    /// this image has put to images of that host. When the word is not what is to be cleared, or there is none, the next
    /// call that has an answer fails.
    ///
    /// # Safety
    /// As [`Transport::fetch_op`].
    unsafe fn signal(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        update: Update,
        wake: Wake,
    ) -> Result<()>;

    /// Wakes `target` if it sleeps, so that it looks again at what it waits for.
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

    /// Completes what must be complete before this image notifies `target`, and nobody else: all operations, but for those
    /// to images of the target's host if that is another one. The notification comes there behind them, so the target, and
    /// whoever it tells, sees what was put there.
    ///
    /// # Errors
    /// As [`Transport::flush_all`].
    fn flush_for(&self, target: Rank) -> Result<()> {
        let _ = target;
        self.flush_all()
    }

    /// Waits until everything that this image has sent has arrived, notifications and packets too. To be called before
    /// the image says that it has stopped: who sees that must see what it did before.
    ///
    /// # Errors
    /// When a target cannot be reached.
    fn finish(&self) -> Result<()> {
        self.flush_all()
    }

    /// Has a handler work where the memory of `target` is, with `payload`; it appends its answer to `reply`.
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

    /// The way of long messages between this image and `partner`, if there is one besides puts into its segment.
    fn rendezvous(&self, partner: Rank) -> Option<&dyn Rendezvous> {
        let _ = partner;
        None
    }

    /// What must be done while this image waits, if anything: it is a leader, and serves.
    fn behind_waits(&self) -> Option<&dyn Background> {
        None
    }
}

/// Messages between two images that both wait for them: of those with the same label, what one sends first is what the other
/// receives first.
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
    /// The bytes are valid, and nobody else accesses them, until the operation is over.
    unsafe fn receive(&self, from: Rank, label: u16, bytes: *mut [u8]) -> Result<Op>;

    /// Whether the operation is over, which it is after an error, too.
    ///
    /// # Errors
    /// When the fabric fails, or the message was longer than its room.
    fn is_over(&self, op: Op) -> Result<bool>;

    /// Ends an operation whose partner has ended.
    fn give_up(&self, op: Op);
}
