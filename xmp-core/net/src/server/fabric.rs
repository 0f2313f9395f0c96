//! The fabric: the network between processes, as MPI's non-blocking point-to-point operations in the form that server
//! and origin use.

use crate::error::Result;
use crate::rank::Rank;
use crate::transport::Op;

/// The kind of a message. Messages of one kind from one process to another stay in order; those of different kinds may
/// overtake one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(u16);

impl Tag {
    /// Requests, to the leader of a host.
    pub const REQUEST: Tag = Tag(1);
    /// Replies of a server, to the origin.
    pub const REPLY: Tag = Tag(2);
    /// The bytes of a request that are too many to travel in it.
    pub const REQUEST_DATA: Tag = Tag(3);
    /// The bytes of a reply that are too many to travel in it.
    pub const REPLY_DATA: Tag = Tag(4);
    /// Between servers: forwarded requests, and acknowledgements.
    pub const RELAY: Tag = Tag(5);

    /// From a process that does not use the fabric from now on (`plugin/one_sided`).
    pub const SILENCE: Tag = Tag(6);

    /// None: a receive of this kind is tested so that MPI makes progress (`sockets`).
    pub const BEAT: Tag = Tag(7);

    /// Rendezvous messages between images that both wait for them. The tag contains 14 bits of the label, so that a
    /// message of an operation that was given up is not taken for one of a later operation.
    pub const fn rendezvous(label: u16) -> Tag {
        Tag((1 << 14) | (label % (1 << 14)))
    }

    /// Whether messages of the kind with this number may be long: they are received where they belong.
    pub const fn is_long(number: u16) -> bool {
        number == Tag::REQUEST_DATA.0 || number == Tag::REPLY_DATA.0 || number >> 14 == 1
    }

    /// Whether messages of the kind with this number are requests, or bytes of requests.
    pub const fn is_of_request(number: u16) -> bool {
        number == Tag::REQUEST.0 || number == Tag::REQUEST_DATA.0
    }

    /// The number for MPI: positive, below its least upper bound.
    pub const fn get(self) -> u16 {
        self.0
    }
}

/// Messages between processes, each of which is an image.
///
/// Used by one thread at a time. No method waits; a caller that waits calls [`Fabric::test`] again and again, which
/// makes progress on all operations of this process. An error is one of the fabric itself, which cannot be used any
/// more.
pub trait Fabric: Send {
    /// The image that this process is.
    fn rank(&self) -> Rank;

    /// Starts to send.
    ///
    /// # Errors
    /// When the fabric fails.
    ///
    /// # Safety
    /// `bytes` stay valid and unchanged until the operation is over.
    unsafe fn send(&mut self, to: Rank, tag: Tag, bytes: *const [u8]) -> Result<Op>;

    /// As [`Fabric::send`], for a message that another one to the same process follows at once: it may leave together with that, or at
    /// the next [`Fabric::test`].
    ///
    /// # Errors
    /// When the fabric fails.
    ///
    /// # Safety
    /// That of [`Fabric::send`].
    unsafe fn send_followed(&mut self, to: Rank, tag: Tag, bytes: *const [u8]) -> Result<Op> {
        // SAFETY: the same contract.
        unsafe { self.send(to, tag, bytes) }
    }

    /// Starts to receive the next message of this kind from `from`. A message that is longer than `bytes` is an error.
    ///
    /// # Errors
    /// When the fabric fails.
    ///
    /// # Safety
    /// `bytes` stay valid, and no other code accesses them, until the operation is over.
    unsafe fn receive(&mut self, from: Rank, tag: Tag, bytes: *mut [u8]) -> Result<Op>;

    /// Starts to receive the next message of this kind from any process. Of several of these the one that was started
    /// first gets the first message.
    ///
    /// # Errors
    /// When the fabric fails.
    ///
    /// # Safety
    /// `bytes` stay valid, and no other code accesses them, until the operation is over.
    unsafe fn receive_any(&mut self, tag: Tag, bytes: *mut [u8]) -> Result<Op>;

    /// Makes progress on all operations. If `op` is done, it is over; for a receive, returns the sender and the number
    /// of bytes (for others these mean nothing).
    ///
    /// # Errors
    /// When the fabric or this operation fails.
    fn test(&mut self, op: Op) -> Result<Option<(Rank, usize)>>;

    /// Most bytes of a message that leaves at once whatever its receiver does, as far as is known: the eager limit of MPI. MPICH
    /// over TCP makes longer ones slower.
    fn eager(&self) -> usize {
        16 << 10
    }

    /// Whether what was sent arrives although this process does not call the fabric again. The system sends the bytes of a
    /// connection; an MPI may keep a message until its next call.
    fn sends_by_itself(&self) -> bool {
        false
    }

    /// Whether requests of a process that has ended, or their bytes, may still come, or have come and no receive has returned
    /// them.
    fn has_requests_of(&self, _process: Rank) -> bool {
        false
    }

    /// Whether messages of all kinds can be exchanged with this process. Both ends say the same.
    fn reaches(&self, _process: Rank) -> bool {
        true
    }

    /// A number that grows when bytes have come, or gone that had waited, also those of a message that is not complete: then a
    /// thread that serves does not sleep, because more may follow. Always the same where the fabric does not know.
    fn moves(&self) -> u64 {
        0
    }

    /// Ends an operation that is not done, because its process is about to end or no message will come. Returns whether
    /// it is over. A cancelled receive has nothing in its memory, or a message that is lost. A send may still arrive.
    /// An operation that is not over continues to use its memory until the process ends: a message may be half
    /// received, and not every MPI can cancel a send.
    ///
    /// # Errors
    /// When the fabric fails.
    fn cancel(&mut self, op: Op) -> Result<bool>;

    /// One-sided access to the memory of other hosts, without their servers, where the fabric has it.
    fn window(&mut self) -> Option<&mut dyn Window>;

    /// Ends what the fabric has begun for itself. No operation is started or tested afterwards.
    ///
    /// # Errors
    /// When the fabric fails.
    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}

xmp_map::debug_by_name!(Fabric);

/// Cancels an operation and frees its memory; if the operation continues, the memory is never freed.
///
/// # Errors
/// When the fabric fails; the state of the operation is unknown then, and its memory is not freed.
pub fn cancel_with<M>(fabric: &mut dyn Fabric, op: Op, memory: M) -> Result<()> {
    let outcome = fabric.cancel(op);
    match outcome {
        Ok(true) => drop(memory),
        _ => std::mem::forget(memory),
    }
    outcome.map(drop)
}

/// One-sided access to the segments of other hosts, which are one after the other in the order of their images.
/// Offsets are relative to the first one.
pub trait Window {
    /// Starts to put `bytes` to the host whose leader is `leader`; done when they may be changed.
    ///
    /// # Errors
    /// When the fabric fails.
    ///
    /// # Safety
    /// `bytes` stay valid and unchanged until the operation is over; the destination is memory that the host's images
    /// share.
    unsafe fn put(&mut self, leader: Rank, offset: u64, bytes: *const [u8]) -> Result<Op>;

    /// Starts to get bytes; done when they have arrived.
    ///
    /// # Errors
    /// When the fabric fails.
    ///
    /// # Safety
    /// `bytes` stay valid, and no other code accesses them, until the operation is over; the source is memory that the
    /// host's images share.
    unsafe fn get(&mut self, leader: Rank, offset: u64, bytes: *mut [u8]) -> Result<Op>;

    /// Completes all puts to that host. May wait; the server there must not have to do more than make progress on its
    /// own fabric.
    ///
    /// # Errors
    /// When the fabric fails.
    fn flush(&mut self, leader: Rank) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    /// A fabric whose operations are over, continue, or fail when they are cancelled.
    #[derive(Debug)]
    struct Cancelling(Result<bool>);

    impl Fabric for Cancelling {
        fn rank(&self) -> Rank {
            Rank::new(0)
        }
        unsafe fn send(&mut self, _: Rank, _: Tag, _: *const [u8]) -> Result<Op> {
            Ok(Op(0))
        }
        unsafe fn receive(&mut self, _: Rank, _: Tag, _: *mut [u8]) -> Result<Op> {
            Ok(Op(0))
        }
        unsafe fn receive_any(&mut self, _: Tag, _: *mut [u8]) -> Result<Op> {
            Ok(Op(0))
        }
        fn test(&mut self, _: Op) -> Result<Option<(Rank, usize)>> {
            Ok(None)
        }
        fn cancel(&mut self, _: Op) -> Result<bool> {
            self.0.clone()
        }
        fn window(&mut self) -> Option<&mut dyn Window> {
            None
        }
    }

    #[test]
    fn memory_that_may_still_be_written_is_not_given_back() {
        for (outcome, holders) in
            [(Ok(true), 1), (Ok(false), 2), (Err(crate::error::Error::JobEnding), 2)]
        {
            let memory = Rc::new(());
            let failed = outcome.is_err();
            let cancelled = cancel_with(&mut Cancelling(outcome), Op(0), memory.clone());
            assert_eq!((Rc::strong_count(&memory), cancelled.is_err()), (holders, failed));
        }
    }
}
