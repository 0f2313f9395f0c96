//! Transports: one-sided operations on the segments of other images.
//!
//! Algorithms never ask which transport runs. They ask for a pointer ([`Transport::host_ptr`]); where there is none, they
//! put, get and notify. Offsets are relative to the target's segment. Bounds are checked where user input enters, not in
//! a transport.

mod local;
mod operation;
mod read_cache;
mod rendezvous;
#[cfg(all(test, not(loom)))]
mod test_job;
mod word;

pub use local::Local;
pub use operation::{
    AtomicOp, AtomicRequest, FlushScope, Layout, Mark, Meeting, MeetingPoint, Post, Run, Update,
    Wake, Width,
};
pub use read_cache::ReadCache;
pub use rendezvous::{Op, Rendezvous};
pub use word::{compare_swap_word, fetch_word, update_word};

use crate::error::Result;
use crate::job::Handler;
use crate::rank::Rank;
use crate::wait::{Background, SharedCores};
use std::ptr::NonNull;
use std::rc::Rc;

/// Gets whose bytes come with the messages of a synchronisation of all images.
pub trait AheadTransport {
    /// Whether this image can get anything ahead.
    fn gets_ahead(&self) -> bool;

    /// Before this image tells other hosts that it has arrived at a synchronisation of all images: the bytes that they have requested
    /// for it go with that message.
    ///
    /// # Errors
    /// When another host cannot be reached.
    fn arrives(&self) -> Result<()>;

    /// Requests bytes of the segment of `target` as they are when all images have arrived at a synchronisation of all images.
    /// Returns false if that is not possible now.
    ///
    /// # Errors
    /// When the target cannot be reached.
    fn request_ahead(&self, target: Rank, at: Meeting, runs: &[Run]) -> Result<bool>;

    /// The bytes of the last request, one run after the other; `None` if an image had not arrived.
    ///
    /// # Errors
    /// When the target cannot be reached.
    fn take_ahead(&self, target: Rank) -> Result<Option<Vec<u8>>>;
}

/// One-sided operations on the segments of other images.
///
/// # Completion and ordering
/// A put is locally complete when the call returns (the source may be changed) and complete at the target after
/// [`Transport::flush`]. A post and a signal take effect after everything that this image has put to images of the
/// target's host. Two operations to one target are otherwise unordered until a flush.
///
/// # Safety
/// Safe code loads from and stores to what [`Transport::host_ptr`] returns. So an implementation guarantees that the
/// pointer leads to the byte at `offset` of the target's segment, that it does so as long as the transport lives, and
/// that the whole segment is around it contiguously: what is valid at an offset of the segment is valid at that
/// distance from the pointer. It returns `None` for an image whose segment is not mapped in this process.
///
/// Callers of the `unsafe` methods guarantee that the bytes are in the segment, in memory that no image accesses in a
/// conflicting way without synchronisation (Fortran's segment rules).
pub unsafe trait Transport {
    /// The address of `offset` in the segment of `target`, if this process can load from and store to it.
    fn host_ptr(&self, target: Rank, offset: u64) -> Option<NonNull<u8>>;

    /// Copies the bytes of a layout into the segment of `target`.
    ///
    /// # Errors
    /// When the target cannot be reached.
    ///
    /// # Safety
    /// All bytes can be read at their distances from `src`, are in the segment at their distances from `offset`, and
    /// are not accessed in conflict.
    unsafe fn put(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        layout: Layout<'_>,
    ) -> Result<()>;

    /// Copies the bytes of a layout out of the segment of `target`.
    ///
    /// # Errors
    /// When the target cannot be reached.
    ///
    /// # Safety
    /// All bytes can be written at their distances from `dst`, are in the segment at their distances from `offset`, and
    /// are not accessed in conflict.
    unsafe fn get(&self, target: Rank, offset: u64, dst: *mut u8, layout: Layout<'_>)
    -> Result<()>;

    /// Copies `len` bytes of a descriptor, or of what describes a block of memory, out of the segment of `target`: they change only
    /// by statements that allocate, deallocate or assign pointers.
    ///
    /// # Errors
    /// When the target cannot be reached.
    ///
    /// # Safety
    /// As for [`Transport::get`].
    unsafe fn get_descriptor(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        len: usize,
    ) -> Result<()> {
        // SAFETY: the same contract.
        unsafe { self.get(target, offset, dst, Layout::Contiguous(len)) }
    }

    /// Stores a packet or a notification and wakes the target if it sleeps.
    ///
    /// # Errors
    /// When the target cannot be reached.
    ///
    /// # Safety
    /// Packet, mark and counter are in the segment, the words aligned; the packet is not accessed in conflict. This
    /// image is the only writer of the counter or of the word of the mark.
    unsafe fn post(&self, target: Rank, post: Post<'_>) -> Result<()>;

    /// Executes a read-modify-write on an aligned word of `target` and returns its former value, zero-extended.
    ///
    /// # Errors
    /// When the target cannot be reached.
    ///
    /// # Safety
    /// The word is in the segment, aligned for `width`; conflicting accesses to it are atomic.
    unsafe fn atomic(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        request: AtomicRequest,
    ) -> Result<u64>;

    /// Updates an aligned word of `target` and wakes the images that may wait for that, without a reply.
    ///
    /// # Errors
    /// When the word does not hold the value to be cleared, or does not exist: from this call or, on another host, from
    /// the next call that has a reply.
    ///
    /// # Safety
    /// The word, and the gate that `wake` names, are in the segment, aligned; conflicting accesses to them are atomic.
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

    /// Completes operations: returns when they have taken effect at their targets.
    ///
    /// # Errors
    /// When a target cannot be reached, or an operation that had no reply was refused.
    fn flush(&self, scope: FlushScope) -> Result<()>;

    /// Executes a handler, with `payload`, where the memory of `target` is addressable; the handler appends its answer
    /// to `reply`.
    ///
    /// # Errors
    /// The error of the handler, or that the target cannot be reached.
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

    /// What this image knows of the cores that it shares with others, for waits of the transport. Called once, before anything else,
    /// if the image may share them.
    fn share_cores(&self, cores: Rc<dyn SharedCores>) {
        let _ = cores;
    }

    /// This image has synchronised with another one, or may have, by other means than this transport's: bytes that it has
    /// got before may have changed. Any thread may call it.
    fn acquire(&self) {}

    /// This image is at this point of a synchronisation of all images, between hosts: it may get descriptors ahead.
    ///
    /// # Errors
    /// When a host cannot be reached.
    fn meets(&self, point: MeetingPoint) -> Result<()> {
        let _ = point;
        Ok(())
    }

    /// The work that this image must do while it waits, if any: a leader serves requests.
    fn background(&self) -> Option<&dyn Background> {
        None
    }
}

xmp_map::debug_by_name!(Transport);
