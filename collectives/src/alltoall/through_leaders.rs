//! Alltoall over several hosts through their leaders: one message between two hosts for all pairs of their images.

use super::Among;
use crate::gather::{self, Gathering};
use crate::leaders::alltoall::{Exchange, bruck, known};
use crate::leaders::{CollCall, Vector};
use crate::parts::{Parts, Table};
use crate::plan::Participant;
use crate::scatter::{self, Scattering};
use crate::select::{Choices, LeaderAlltoall};
use crate::spread::Spread;
use crate::two_level::{RootedLeaders, conclude};
use xmp_core::Result;

impl Among<'_> {
    /// Over several hosts: leaders gather what their local peers have, exchange what is for other hosts, and scatter
    /// what came. What a host has for another is a block for each image there, in their order, of parts in the order of
    /// the images here.
    ///
    /// # Safety
    /// The exchange is valid.
    pub(super) unsafe fn through_leaders(
        &self,
        len: usize,
        algorithm: LeaderAlltoall,
        choices: &Choices,
        mut coll: CollCall<'_>,
    ) -> Result<()> {
        let Among { image, set, levels, exchange, .. } = *self;
        let rooted_leaders = RootedLeaders::new(image, levels, None);
        let (hosts, host) = (rooted_leaders.hosts(), rooted_leaders.host());
        let (local_peers, leader) =
            (levels.local_peers().len(), rooted_leaders.among_local_peers());
        let row = len * set.len();
        let mut of_local_peers =
            vec![0; if rooted_leaders.is_me() { row * local_peers } else { 0 }];
        let gather = Gathering {
            mine: exchange.send,
            len: row,
            all: of_local_peers.as_mut_ptr(),
            parts: Parts::Equal(row),
            equal: true,
        };
        // SAFETY: the exchange is valid (contract above); `of_local_peers` has room for what local peers have.
        let gathered = unsafe {
            gather::among_local_peers(image, levels, leader, &gather, choices.gather, &mut coll)
        };
        if !rooted_leaders.is_me() {
            gathered?;
        } else {
            let area_is_dead = gathered.is_err();
            coll.note(gathered.map(drop))?;
            let spread = Spread::new(image, set, levels);
            let on: Vec<Vec<usize>> = (0..hosts).map(|host| spread.positions(host)).collect();
            let size = |from: usize, to: usize| on[from].len() * on[to].len() * len;
            let out = |to: usize| {
                let part = |&at: &usize| {
                    (0..local_peers)
                        .map(move |local_peer| local_peer * row + at * len)
                        .map(|at| at..at + len)
                };
                let parts = on[to].iter().flat_map(part);
                parts.flat_map(|part| &of_local_peers[part]).copied().collect::<Vec<u8>>()
            };
            let peer = |host| rooted_leaders.of(host);
            let who = Participant { n: hosts, position: host };
            let (came, table) = if algorithm == LeaderAlltoall::Bruck {
                bruck(image, who, peer, size, out, &mut coll)?
            } else {
                let send: Vec<u8> = (0..hosts).flat_map(out).collect();
                let (sent, total) = Table::packed((0..hosts).map(|to| size(host, to)));
                let mut came = vec![0; total];
                let parts = Exchange {
                    send: send.as_ptr(),
                    send_parts: sent.parts(),
                    receive: came.as_mut_ptr(),
                    // What two hosts have for one another is of one size.
                    receive_parts: sent.parts(),
                };
                // SAFETY: the parts are within the two vectors.
                unsafe {
                    parts.keep(host);
                    known(image, who, |host| Some(peer(host)), &parts, &mut coll)?;
                }
                (came, sent)
            };
            if area_is_dead {
                return coll.outcome();
            }
            for (from, positions) in on.iter().enumerate() {
                let start = table.parts().offset(from);
                for local_peer in 0..local_peers {
                    for (number, at) in positions.iter().enumerate() {
                        let source = start + (local_peer * positions.len() + number) * len;
                        let target = local_peer * row + at * len;
                        of_local_peers[target..target + len]
                            .copy_from_slice(&came[source..source + len]);
                    }
                }
            }
        }
        let scatter = Scattering {
            all: of_local_peers.as_ptr(),
            parts: Parts::Equal(row),
            mine: exchange.receive,
            len: row,
            equal: true,
        };
        // SAFETY: as above; `of_local_peers` is what the leader scatters.
        unsafe {
            let nothing = Vector::bytes(std::ptr::null_mut(), 0);
            // Where local peers have no collective area some may learn here that one has ended, and others wait for
            // their parts.
            coll.note(conclude(&rooted_leaders, coll, nothing, choices.broadcast))?;
            scatter::among_local_peers(
                image,
                levels,
                leader,
                &scatter,
                choices.scatter,
                &mut coll,
            )?;
        }
        coll.outcome()
    }
}
