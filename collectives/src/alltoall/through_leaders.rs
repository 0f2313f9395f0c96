//! Alltoall over several hosts through their leaders: one message between two hosts for all pairs of their images.

use super::Among;
use crate::gather::{self, Gathering};
use crate::host::gather::Target;
use crate::host::scatter::Source;
use crate::leaders::Course;
use crate::leaders::alltoall::{Exchange, bruck, known};
use crate::parts::{Lens, Parts, Table};
use crate::scatter::{self, Scattering};
use crate::select::{Choices, LeaderAlltoall};
use crate::spread::Spread;
use crate::two_level::{Speakers, conclude};
use xmp_core::Result;

impl Among<'_> {
    /// Over several hosts: leaders gather what their mates have, exchange what is for other hosts, and scatter what
    /// came. What a host has for another is a block for each image there, in their order, of parts in the order of the
    /// images here.
    ///
    /// # Safety
    /// The exchange is valid.
    pub(super) unsafe fn through_leaders(
        &self,
        len: usize,
        algorithm: LeaderAlltoall,
        choices: &Choices,
        mut course: Course<'_>,
    ) -> Result<()> {
        let Among { image, set, levels, exchange, .. } = *self;
        let speakers = Speakers::new(image, levels, None);
        let (hosts, host) = (speakers.hosts(), speakers.host());
        let (mates, leader) = (levels.mates().len(), speakers.among_mates());
        let row = len * set.len();
        let mut of_mates = vec![0; if speakers.is_me() { row * mates } else { 0 }];
        let gather = Gathering {
            mine: exchange.send,
            len: row,
            all: of_mates.as_mut_ptr(),
            parts: Parts::Equal(row),
            equal: true,
        };
        let target =
            speakers.is_me().then_some(Target { all: gather.all, parts: Parts::Equal(row) });
        let forced = choices.gather;
        let gathering = gather::OnHost { image, levels, to: leader, forced, gather: &gather };
        // SAFETY: the caller's guarantee; `of_mates` has room for what mates have.
        let gathered = unsafe { gathering.data(&Lens::Equal(row), target, &mut course) };
        if !speakers.is_me() {
            gathered?;
        } else {
            let board_is_dead = gathered.is_err();
            course.note(gathered)?;
            let spread = Spread::new(image, set, levels);
            let on: Vec<Vec<usize>> = (0..hosts).map(|host| spread.positions(host)).collect();
            let size = |from: usize, to: usize| on[from].len() * on[to].len() * len;
            let out = |to: usize| {
                let part = |&at: &usize| {
                    (0..mates).map(move |mate| mate * row + at * len).map(|at| at..at + len)
                };
                let parts = on[to].iter().flat_map(part);
                parts.flat_map(|part| &of_mates[part]).copied().collect::<Vec<u8>>()
            };
            let peer = |host| speakers.of(host);
            let who = (hosts, host);
            let (came, table) = if algorithm == LeaderAlltoall::Bruck {
                bruck(image, who, peer, size, out, &mut course)?
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
                    known(image, who, |host| Some(peer(host)), &parts, &mut course)?;
                }
                (came, sent)
            };
            if board_is_dead {
                return course.outcome();
            }
            for (from, positions) in on.iter().enumerate() {
                let start = table.parts().offset(from);
                for mate in 0..mates {
                    for (number, at) in positions.iter().enumerate() {
                        let source = start + (mate * positions.len() + number) * len;
                        let target = mate * row + at * len;
                        of_mates[target..target + len].copy_from_slice(&came[source..source + len]);
                    }
                }
            }
        }
        let scatter = Scattering {
            all: of_mates.as_ptr(),
            parts: Parts::Equal(row),
            mine: exchange.receive,
            len: row,
            equal: true,
        };
        let source = speakers.is_me().then_some(Source { all: scatter.all, parts: scatter.parts });
        let forced = choices.scatter;
        let scattering = scatter::OnHost { image, levels, from: leader, forced, scatter: &scatter };
        // SAFETY: the caller's guarantee; `of_mates` is what the leader scatters.
        unsafe {
            let nothing = (std::ptr::null_mut(), 0);
            // Where mates have no board some may learn here that one has ended, and others wait for their parts.
            course.note(conclude(&speakers, course, nothing, choices.broadcast))?;
            scattering.run(source, &mut course)?;
        }
        course.outcome()
    }
}
