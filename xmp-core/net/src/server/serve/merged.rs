//! Merged read-modify-writes: executed as one, answered one by one.

use super::Server;
use super::arrivals::Disposition;
use super::execute::Due;
use crate::error::Result;
use crate::rank::Rank;
use crate::server::fabric::Fabric;
use crate::server::merging::Word;
use crate::server::requests::{Outcome, atomic};
use crate::server::wire::{self, Members, Request};
use crate::transport::AtomicRequest;

impl Server {
    /// Executes operations that another server has merged. An operation whose image has earlier bytes in transit is
    /// held by itself.
    ///
    /// They take effect at one instant, in their order: each returns the value that the one before it has left.
    pub(super) fn take_merged(
        &mut self,
        fabric: &mut dyn Fabric,
        from: Rank,
        word: Word,
        members: Members<'_>,
    ) -> Result<Disposition> {
        let images = self.host.peers.images();
        if let Some(none) = members.iter().find(|member| member.origin.index() >= images) {
            let why = format!("a merged operation of {}, which does not exist", none.origin);
            return self.refuse(fabric, from, &why);
        }
        let mut ready = Vec::with_capacity(members.count() as usize);
        for member in members.iter() {
            if !self.clients.of(member.origin).is_busy() {
                ready.push(member);
                continue;
            }
            let (head, request) = word.single(member);
            let mut message = Vec::with_capacity(wire::REQUEST_HEADER);
            wire::write_request(&mut message, head, &request);
            self.hold_copy(member.origin, &message);
        }
        let operands = ready.iter().map(|member| member.operand);
        let Some(operand) = operands.reduce(|first, then| word.after(first, then)) else {
            return Ok(Disposition::Done);
        };
        let Word { op, offset, width, .. } = word;
        let (head, _) = word.single(ready[0]);
        let merged = AtomicRequest::Fetch(op, operand);
        let Ok(mut value) = atomic::execute(&self.host, head.target, offset, width, merged) else {
            // No byte was touched. Each is refused by itself.
            for member in ready {
                let (head, request) = word.single(member);
                self.execute(fabric, head, request, true)?;
            }
            return Ok(Disposition::Done);
        };
        for member in ready {
            let (head, _): (_, Request<'_>) = word.single(member);
            self.conclude(
                fabric,
                head,
                Due { reply: true, counts: true },
                Ok(Outcome::Value(value)),
            )?;
            value = word.after(value, member.operand);
        }
        Ok(Disposition::Done)
    }
}
