//! Rendezvous: long messages between images that both wait for them, without a server.

use super::Origin;
use crate::error::Result;
use crate::rank::Rank;
use crate::server::fabric::Tag;
use crate::transport::Op;
use crate::transport::Rendezvous;

impl Rendezvous for Origin {
    unsafe fn send(&self, to: Rank, label: u16, bytes: *const [u8]) -> Result<Op> {
        let tag = Tag::rendezvous(label);
        // The packet that follows goes to the server of the partner's host.
        let is_server = self.route.is_direct() && self.to(to).link.leader == to;
        // SAFETY: the bytes are valid and unchanged until the operation is over (contract of this method).
        self.port.carry(|fabric| unsafe {
            if is_server {
                fabric.send_followed(to, tag, bytes)
            } else {
                fabric.send(to, tag, bytes)
            }
        })
    }

    unsafe fn receive(&self, from: Rank, label: u16, bytes: *mut [u8]) -> Result<Op> {
        // SAFETY: the bytes are valid and not accessed by other code until the operation is over (contract of this
        // method).
        self.port.carry(|fabric| unsafe { fabric.receive(from, Tag::rendezvous(label), bytes) })
    }

    fn is_over(&self, op: Op) -> Result<bool> {
        let mut goes_on = true;
        let outcome = self.port.look(|fabric| {
            let outcome = fabric.test(op);
            goes_on = matches!(outcome, Ok(None));
            outcome
        });
        if goes_on && outcome.is_err() {
            Origin::give_up(self, [op]);
        }
        outcome.map(|over| over.is_some())
    }

    fn give_up(&self, op: Op) {
        Origin::give_up(self, [op]);
    }
}
