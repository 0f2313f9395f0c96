//! What carries messages between processes: MPI's non-blocking point-to-point operations, in the form that the server
//! and the asking side use them.

use crate::error::Result;
use crate::rank::Rank;
use std::fmt::Debug;

/// What kind of message it is. Messages of one kind from one process to another stay in order; those of different kinds
/// may overtake one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(u16);

impl Tag {
    /// Requests, to the leader of a host.
    pub const REQUEST: Tag = Tag(1);
    /// Replies of a server, to the image that has asked.
    pub const REPLY: Tag = Tag(2);
    /// The bytes of a request that are too many to travel in it.
    pub const REQUEST_DATA: Tag = Tag(3);
    /// The bytes of a reply that are too many to travel in it.
    pub const REPLY_DATA: Tag = Tag(4);
    /// Between servers: requests that are passed on, and acknowledgements.
    pub const RELAY: Tag = Tag(5);

    /// Long messages between images that both wait for them, with this label, of which it has 14 bits: what is left of an
    /// operation that was given up is not taken for a message of a later one.
    pub const fn rendezvous(label: u16) -> Tag {
        Tag((1 << 14) | (label % (1 << 14)))
    }

    /// The number for MPI: positive, below its least upper bound.
    pub const fn get(self) -> u16 {
        self.0
    }
}

/// An operation that was started; the fabric alone knows what the number means. It is over, and the number may come
/// again, once [`Fabric::test`] has said that it is done or has failed, or [`Fabric::cancel`] was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op(pub u64);

/// Messages between processes, each of which is an image.
///
/// Used by one thread at a time. Nothing here waits; whoever waits asks [`Fabric::test`] again and again, which drives
/// all operations of this process. An error is one of the fabric itself: it cannot be used any more.
pub trait Fabric: Debug + Send {
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

    /// Starts to receive the next message of this kind from `from`. A message that is longer than `bytes` is an error.
    ///
    /// # Errors
    /// When the fabric fails.
    ///
    /// # Safety
    /// `bytes` stay valid, and nobody else accesses them, until the operation is over.
    unsafe fn receive(&mut self, from: Rank, tag: Tag, bytes: *mut [u8]) -> Result<Op>;

    /// As [`Fabric::receive`], from anybody. Of several of these the one that was started first gets the first message.
    ///
    /// # Errors
    /// When the fabric fails.
    ///
    /// # Safety
    /// As [`Fabric::receive`].
    unsafe fn receive_any(&mut self, tag: Tag, bytes: *mut [u8]) -> Result<Op>;

    /// Drives all operations. If `op` is done, it is over: of a receive, who has sent, and how many bytes (of others these
    /// say nothing).
    ///
    /// # Errors
    /// When the fabric or this operation fails.
    fn test(&mut self, op: Op) -> Result<Option<(Rank, usize)>>;

    /// Ends an operation that is not done, because its process is about to end or nothing will come; whether it is over. A receive has nothing in
    /// its memory then, or a message that is lost. A send may still arrive. What is not over - a message may be half
    /// received, and a send cannot be cancelled with every MPI - goes on to use its memory, until the process ends.
    ///
    /// # Errors
    /// When the fabric fails.
    fn cancel(&mut self, op: Op) -> Result<bool>;

    /// Access to the memory of other hosts without their servers, where the fabric has it.
    fn window(&mut self) -> Option<&mut dyn Window>;
}

/// Cancels an operation, and gives its memory back, unless the operation goes on: then nobody ever gets it again.
///
/// # Errors
/// When the fabric fails; who knows what becomes of the operation then.
pub fn cancel_with<M>(fabric: &mut dyn Fabric, op: Op, memory: M) -> Result<()> {
    let outcome = fabric.cancel(op);
    match outcome {
        Ok(true) => drop(memory),
        _ => std::mem::forget(memory),
    }
    outcome.map(drop)
}

/// One-sided access to the segments of other hosts, which lie one behind the other in the order of their images. Offsets
/// are relative to the first one.
pub trait Window {
    /// Starts to put `bytes` to the host whose leader is `leader`; done when they may be changed.
    ///
    /// # Errors
    /// When the fabric fails.
    ///
    /// # Safety
    /// As [`Fabric::send`]; the place is memory that the host's images share.
    unsafe fn put(&mut self, leader: Rank, offset: u64, bytes: *const [u8]) -> Result<Op>;

    /// Starts to get bytes; done when they are here.
    ///
    /// # Errors
    /// When the fabric fails.
    ///
    /// # Safety
    /// As [`Fabric::receive`]; the place is memory that the host's images share.
    unsafe fn get(&mut self, leader: Rank, offset: u64, bytes: *mut [u8]) -> Result<Op>;

    /// Has all puts to that host be complete there. May wait for it, which its server must not have to do anything for
    /// but drive its own fabric.
    ///
    /// # Errors
    /// When the fabric fails.
    fn flush(&mut self, leader: Rank) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    /// Whose operations are over, go on, or fail when they are cancelled.
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
        for (outcome, holders) in [(Ok(true), 1), (Ok(false), 2), (Err(crate::Error::JobEnding), 2)]
        {
            let memory = Rc::new(());
            let failed = outcome.is_err();
            let cancelled = cancel_with(&mut Cancelling(outcome), Op(0), memory.clone());
            assert_eq!((Rc::strong_count(&memory), cancelled.is_err()), (holders, failed));
        }
    }
}
