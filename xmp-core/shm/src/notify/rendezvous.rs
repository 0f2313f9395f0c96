//! Rendezvous: the bytes of a long message to another host go from their source to their destination as one message of
//! the fabric. Packets would each be copied three times and executed by a server.

use super::label::Label;
use crate::endpoint::Endpoint;
use crate::error::Result;
use crate::job::pair::PACKET;
use crate::rank::Rank;
use crate::transport::{Op, Rendezvous};

/// Bytes of a message that is sent as packets. Longer ones use the rendezvous: it costs a notification that the receiver is ready, as much as some packets.
const MAX_IN_PACKETS: usize = 2 * PACKET;

/// The rendezvous of one message. Dropping it gives up an operation that has begun, because its partner has ended.
#[derive(Debug)]
pub(super) struct RendezvousSend<'a> {
    way: &'a dyn Rendezvous,
    label: Label,
    state: State,
}

#[derive(Debug)]
enum State {
    New,
    Begun(Op),
    Done,
}

impl<'a> RendezvousSend<'a> {
    /// The rendezvous of a message of `len` bytes to or from `partner`, with this label; `None` if the message is short
    /// or the partner on this host. Both ends get the same answer.
    #[inline]
    pub fn of(
        image: &'a Endpoint,
        partner: Rank,
        label: Label,
        len: usize,
    ) -> Option<RendezvousSend<'a>> {
        if len <= MAX_IN_PACKETS {
            return None;
        }
        let way = image.transport().rendezvous(partner)?;
        Some(RendezvousSend { way, label, state: State::New })
    }

    /// Whether the operation has begun.
    pub fn is_begun(&self) -> bool {
        !matches!(self.state, State::New)
    }

    /// Begins to send.
    ///
    /// # Safety
    /// The bytes are valid and unchanged until this is done or dropped.
    pub unsafe fn send(&mut self, to: Rank, bytes: *const [u8]) -> Result<()> {
        // SAFETY: the bytes are valid and unchanged until the operation is done or given up (contract of this
        // function).
        self.state = State::Begun(unsafe { self.way.send(to, self.label.short(), bytes)? });
        Ok(())
    }

    /// Begins to receive.
    ///
    /// # Safety
    /// The bytes are valid, and no other code accesses them, until this is done or dropped.
    pub unsafe fn receive(&mut self, from: Rank, bytes: *mut [u8]) -> Result<()> {
        // SAFETY: the bytes are valid and not accessed by other code until the operation is done or given up (contract
        // of this function).
        self.state = State::Begun(unsafe { self.way.receive(from, self.label.short(), bytes)? });
        Ok(())
    }

    /// Whether all bytes have been sent, or received.
    pub fn is_done(&mut self) -> Result<bool> {
        if let State::Begun(op) = self.state {
            match self.way.is_over(op) {
                Ok(false) => {}
                Ok(true) => self.state = State::Done,
                Err(error) => {
                    // The operation is over, and its number may be reused.
                    self.state = State::Done;
                    return Err(error);
                }
            }
        }
        Ok(matches!(self.state, State::Done))
    }
}

impl Drop for RendezvousSend<'_> {
    fn drop(&mut self) {
        if let State::Begun(op) = self.state {
            self.way.give_up(op);
        }
    }
}
