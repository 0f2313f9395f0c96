//! Propagates changes of image states between servers along a tree of hosts. Each server sends the changes that it
//! learns of to its neighbours, but not back to where they came from. So each change comes to each host once, by few
//! messages of each server, and changes that arrive together travel on together: at the end of a job of H hosts, where
//! each has a change, there are about 2 H messages instead of H^2.
//!
//! Changes of an image take the same path in the same order. Where there are few hosts, each sends to all: one step is
//! faster than two.

use super::fabric::{Fabric, Tag};
use super::outbox::Outbox;
use super::peers::Peers;
use super::wire::{self, Change, Changes, Head, REQUEST_HEADER, Record, Request};
use crate::error::Result;
use crate::rank::Rank;

/// Most hosts among which each sends to all.
const ALL: usize = 16;
/// Hosts below one in the tree of more.
const BELOW: usize = 8;

/// The changes that a server has to send to its neighbours.
#[derive(Debug)]
pub struct Propagation {
    me: usize,
    hosts: usize,
    /// Numbers of the neighbours' hosts, and changes for them.
    neighbours: Box<[(usize, Vec<u8>)]>,
}

impl Propagation {
    /// No changes yet.
    pub fn new(peers: &Peers) -> Propagation {
        Propagation::of(peers.number() as usize, peers.leaders().len())
    }

    fn of(me: usize, hosts: usize) -> Propagation {
        let is_neighbour = |&host: &usize| {
            if hosts <= ALL {
                host != me
            } else {
                above(host) == Some(me) || above(me) == Some(host)
            }
        };
        let neighbours = (0..hosts).filter(is_neighbour).map(|host| (host, Vec::new())).collect();
        Propagation { me, hosts, neighbours }
    }

    /// The neighbour that sends this host the changes of images of the host `of`.
    fn teller(&self, of: usize) -> usize {
        if self.hosts <= ALL {
            return of;
        }
        // From there up, to below this host.
        let mut host = of;
        while let Some(next) = above(host) {
            if next == self.me {
                return host;
            }
            host = next;
        }
        above(self.me).expect("the topmost host is above all others")
    }

    /// Whether the server `from` sends this one the changes of `image`.
    pub fn speaks_for(&self, peers: &Peers, from: Rank, image: Rank) -> bool {
        image.index() < peers.images()
            && !peers.is_here(image)
            && peers.leaders()[self.teller(peers.host(image))] == from
    }

    /// Records a change for all neighbours but the host that it came from (`told_by`).
    pub fn note(&mut self, told_by: Option<usize>, image: Rank, change: Change) {
        for (host, changes) in &mut self.neighbours {
            let is_new = match told_by {
                None => true,
                Some(by) => self.hosts > ALL && *host != by,
            };
            if is_new {
                (image, change).write(changes);
            }
        }
    }

    /// Sends the changes, in messages of at most `most` bytes.
    ///
    /// # Errors
    /// When the fabric fails.
    pub fn tell(
        &mut self,
        fabric: &mut dyn Fabric,
        outbox: &mut Outbox,
        peers: &Peers,
        most: usize,
    ) -> Result<()> {
        let one = <(Rank, Change)>::BYTES;
        let most = most.saturating_sub(REQUEST_HEADER).max(one) / one * one;
        for (host, changes) in &mut self.neighbours {
            let (me, to) = (peers.me(), peers.leaders()[*host]);
            for part in changes.chunks(most) {
                let request = Request::States(Changes::read(part)?);
                let head = Head { origin: me, target: to, id: 0 };
                outbox.message(fabric, to, Tag::REQUEST, |message| {
                    wire::write_request(message, head, &request);
                })?;
            }
            changes.clear();
        }
        Ok(())
    }
}

/// The host above one in the tree.
fn above(host: usize) -> Option<usize> {
    (host > 0).then(|| (host - 1) / BELOW)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// One host has a change; counts the messages that follow from that, until no host has to send any more.
    fn told(hosts: usize, origin: usize) -> (Vec<usize>, usize) {
        let mut all: Vec<Propagation> = (0..hosts).map(|me| Propagation::of(me, hosts)).collect();
        let mut times = vec![0; hosts];
        let (mut messages, mut most) = (VecDeque::new(), 0);
        all[origin].note(None, Rank::new(7), Change::Failed);
        messages.push_back(origin);
        while let Some(from) = messages.pop_front() {
            let mut count = 0;
            let mut told = Vec::new();
            for (to, changes) in &mut all[from].neighbours {
                if !std::mem::take(changes).is_empty() {
                    told.push(*to);
                }
            }
            for to in told {
                assert_eq!(all[to].teller(origin), from, "{origin} to {to} of {hosts}");
                all[to].note(Some(from), Rank::new(7), Change::Failed);
                times[to] += 1;
                count += 1;
                messages.push_back(to);
            }
            most = most.max(count);
        }
        (times, most)
    }

    #[test]
    fn each_host_gets_a_change_once() {
        for hosts in (1..=40).chain([100, 585, 600]) {
            for origin in (0..hosts).step_by(1 + hosts / 40) {
                let (times, most) = told(hosts, origin);
                let right = |(host, &times): (usize, &usize)| times == usize::from(host != origin);
                assert!(times.iter().enumerate().all(right), "{origin} of {hosts}: {times:?}");
                assert!(most <= ALL.max(BELOW + 1));
            }
        }
    }
}
