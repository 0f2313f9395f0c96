//! Long messages between images that both wait for them, without a server.

use super::Origin;
use crate::error::Result;
use crate::rank::Rank;
use crate::server::carrier::{Op, Tag};
use crate::transport::StraightWay;

impl StraightWay for Origin {
    unsafe fn send(&self, to: Rank, label: u16, bytes: *const [u8]) -> Result<Op> {
        // SAFETY: the caller's guarantee.
        self.port.carry(|carrier| unsafe { carrier.send(to, Tag::straight(label), bytes) })
    }

    unsafe fn receive(&self, from: Rank, label: u16, bytes: *mut [u8]) -> Result<Op> {
        // SAFETY: the caller's guarantee.
        self.port.carry(|carrier| unsafe { carrier.receive(from, Tag::straight(label), bytes) })
    }

    fn is_over(&self, op: Op) -> Result<bool> {
        let mut goes_on = true;
        let outcome = self.port.look(|carrier| {
            let outcome = carrier.test(op);
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
