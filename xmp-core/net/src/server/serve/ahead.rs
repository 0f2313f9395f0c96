//! Gets ahead: answered at once, or when the images of this host have arrived at the synchronisation (`origin/ahead.rs`).
//!
//! The reply to one that waits goes with the message by which this host arrives: the leader sends it right before that. An image has
//! at most one that waits.

use super::Server;
use crate::error::Result;
use crate::job::page::ImageState;
use crate::rank::Rank;
use crate::server::clients::AwaitingGet;
use crate::server::fabric::Fabric;
use crate::server::requests::get;
use crate::server::wire::{Answer, Head, Runs};

/// A [`GetAhead`](crate::server::wire::Request::GetAhead).
#[derive(Clone, Copy, Debug)]
pub(super) struct GetAhead<'a> {
    pub head: Head,
    /// The number of synchronisations, wrapping.
    pub arrivals: u32,
    pub from: Runs<'a>,
}

impl Server {
    /// Answers a get ahead. The answer reports no refusal of an earlier request: its image may never read it.
    pub(super) fn answer_ahead(
        &mut self,
        fabric: &mut dyn Fabric,
        get: GetAhead<'_>,
        counts: bool,
    ) -> Result<()> {
        self.clients.of(get.head.origin).executed += u64::from(counts);
        let bytes = get::ahead(&self.host, get.head.target, get.arrivals, get.from);
        self.reply_ahead(fabric, get.head, &bytes, false)
    }

    /// Keeps a get ahead until the images of this host have arrived.
    pub(super) fn await_arrivals(
        &mut self,
        fabric: &mut dyn Fabric,
        GetAhead { head, arrivals, from }: GetAhead<'_>,
    ) -> Result<()> {
        // No origin has two.
        let of_same = |get: &AwaitingGet| get.head.origin == head.origin;
        if let Some(place) = self.awaiting.iter().position(of_same) {
            let before = self.awaiting.swap_remove(place);
            self.reply_ahead(fabric, before.head, &[], false)?;
        }
        self.awaiting.push(AwaitingGet { head, arrivals, from: from.bytes().into() });
        Ok(())
    }

    /// Answers the gets ahead for which the images of this host have arrived, and without bytes where one never will. `is_followed`: a
    /// message to those who wait follows at once. Returns whether there were any.
    ///
    /// # Errors
    /// When the fabric fails.
    pub fn answer_awaiting(&mut self, fabric: &mut dyn Fabric, is_followed: bool) -> Result<bool> {
        let mut place = 0;
        let before = self.awaiting.len();
        while let Some(get) = self.awaiting.get(place) {
            let host = &self.host;
            let runs_on = |image: Rank| host.job.state(image) == ImageState::Running;
            let have_arrived = get::have_arrived(host, get.arrivals);
            if !have_arrived && host.peers.here().all(runs_on) {
                place += 1;
                continue;
            }
            let AwaitingGet { head, arrivals, from } = self.awaiting.swap_remove(place);
            let from = Runs::read(&from)?;
            let bytes = get::ahead(&self.host, head.target, arrivals, from);
            self.reply_ahead(fabric, head, &bytes, is_followed)?;
        }
        Ok(self.awaiting.len() < before)
    }

    fn reply_ahead(
        &mut self,
        fabric: &mut dyn Fabric,
        head: Head,
        bytes: &[u8],
        is_followed: bool,
    ) -> Result<()> {
        let host = self.host.peers.number();
        let client = self.clients.of(head.origin);
        client.told = client.executed;
        let reply = client.reply(host, head.id, Answer::Data(bytes));
        if is_followed {
            self.outbox.followed_reply(fabric, head.origin, reply)
        } else {
            self.outbox.reply(fabric, head.origin, reply)
        }
    }
}
