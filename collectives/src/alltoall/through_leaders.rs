//! Alltoall over several hosts through their leaders: two hosts exchange one message for all pairs of their images.

use super::AlltoallCall;
use crate::host_distribution::HostDistribution;
use crate::leaders::alltoall::{bruck, exchange_known};
use crate::leaders::{CollCall, Vector};
use crate::part_buffers::{AlltoallBuffers, GatherBuffers, ScatterBuffers};
use crate::parts::Table;
use crate::plan::Participant;
use crate::rooted::among_local_peers;
use crate::select::{Choices, LeaderAlltoall};
use crate::two_level::{RootedLeaders, conclude};
use xmp_core::{Image, Result};

impl AlltoallCall<'_> {
    /// Exchanges parts of `len` bytes over several hosts: leaders gather the parts of their local peers, exchange those
    /// for other hosts, and scatter what they receive. A message from one host to another has a block for each image
    /// there, in their order, of parts in the order of the images here.
    pub(super) fn through_leaders(
        &self,
        len: usize,
        algorithm: LeaderAlltoall,
        choices: &Choices,
        mut coll: CollCall<'_>,
    ) -> Result<()> {
        let AlltoallCall { image, set, levels, buffers, .. } = *self;
        let rooted_leaders = RootedLeaders::new(image, levels, None);
        let (hosts, host) = (rooted_leaders.hosts(), rooted_leaders.host());
        let (local_peers, leader) = (levels.local_peers().len(), rooted_leaders.local_position());
        let row = len * set.len();
        let mut of_local_peers =
            vec![0; if rooted_leaders.is_me() { row * local_peers } else { 0 }];
        let all = of_local_peers.as_mut_ptr();
        // SAFETY: `send` has a row, and on the leader `of_local_peers` has room for the rows of the local peers.
        let rows = unsafe { GatherBuffers::equal(buffers.send(), row, all) };
        let gathered = among_local_peers(image, levels, leader, &rows, choices.gather, &mut coll);
        if !rooted_leaders.is_me() {
            gathered?;
        } else {
            let area_is_dead = gathered.is_err();
            coll.note(gathered.map(drop))?;
            let spread = HostDistribution::new(image, set, levels);
            let on: Vec<Vec<usize>> = (0..hosts).map(|host| spread.positions(host)).collect();
            let blocks = HostBlocks { on: &on, host, local_peers, len, row };
            let (came, table) =
                blocks.exchange(image, &rooted_leaders, algorithm, &of_local_peers, &mut coll)?;
            if area_is_dead {
                return coll.outcome();
            }
            blocks.scatter(&came, &table, &mut of_local_peers);
        }
        // Without a collective area some local peers may learn here that one has ended, while others wait for their parts.
        let nothing = Vector::bytes(&mut []);
        coll.note(conclude(&rooted_leaders, coll, nothing, choices.broadcast))?;
        // SAFETY: on the leader `of_local_peers` has the rows of the local peers; `receive` has room for one.
        let rows =
            unsafe { ScatterBuffers::equal(of_local_peers.as_ptr(), buffers.receive(), row) };
        among_local_peers(image, levels, leader, &rows, choices.scatter, &mut coll)?;
        coll.outcome()
    }
}

/// The blocks of the messages between hosts. The rows of the local peers have a part for each image of the set.
struct HostBlocks<'a> {
    /// The positions of the images of each host.
    on: &'a [Vec<usize>],
    /// This host.
    host: usize,
    local_peers: usize,
    /// The bytes of a part.
    len: usize,
    /// The bytes of a row.
    row: usize,
}

impl HostBlocks<'_> {
    /// The bytes of the message from one host to another.
    fn size(&self, from: usize, to: usize) -> usize {
        self.on[from].len() * self.on[to].len() * self.len
    }

    /// The message to another host.
    fn message(&self, to: usize, rows: &[u8]) -> Vec<u8> {
        let mut message = Vec::with_capacity(self.size(self.host, to));
        for at in &self.on[to] {
            for local_peer in 0..self.local_peers {
                let from = local_peer * self.row + at * self.len;
                message.extend_from_slice(&rows[from..from + self.len]);
            }
        }
        message
    }

    /// Exchanges the messages of all hosts. Returns those that have come, and where each begins.
    fn exchange(
        &self,
        image: &Image,
        leaders: &RootedLeaders<'_>,
        algorithm: LeaderAlltoall,
        rows: &[u8],
        coll: &mut CollCall<'_>,
    ) -> Result<(Vec<u8>, Table)> {
        let (hosts, host) = (self.on.len(), self.host);
        let peer = |host| leaders.of(host);
        let who = Participant { n: hosts, position: host };
        let out = |to| self.message(to, rows);
        if algorithm == LeaderAlltoall::Bruck {
            return bruck(image, who, peer, |from, to| self.size(from, to), out, coll);
        }
        let send = (0..hosts).map(out).collect::<Vec<_>>().concat();
        let (table, total) = Table::packed((0..hosts).map(|to| self.size(host, to)));
        let mut came = vec![0; total];
        // The messages of two hosts to one another have the same length.
        let (parts, receive) = (table.parts(), came.as_mut_ptr());
        // SAFETY: the parts cover both vectors.
        let of_hosts = unsafe { AlltoallBuffers::new(send.as_ptr(), parts, receive, parts) };
        of_hosts.keep(host);
        exchange_known(image, who, |host| Some(peer(host)), &of_hosts, coll)?;
        Ok((came, table))
    }

    /// Copies the parts that have come into the rows of the local peers.
    fn scatter(&self, came: &[u8], table: &Table, rows: &mut [u8]) {
        let len = self.len;
        for (from, positions) in self.on.iter().enumerate() {
            let start = table.parts().offset(from);
            for local_peer in 0..self.local_peers {
                for (number, at) in positions.iter().enumerate() {
                    let source = start + (local_peer * positions.len() + number) * len;
                    let target = local_peer * self.row + at * len;
                    rows[target..target + len].copy_from_slice(&came[source..source + len]);
                }
            }
        }
    }
}
