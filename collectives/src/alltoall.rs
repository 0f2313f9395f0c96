//! Alltoall: each image sends a part to each image, and receives one from each.

mod through_leaders;

use crate::guard::with_live_set;
use crate::host::Host;
use crate::host::alltoall::{Alltoall, direct, exchange_lens, slots, staged};
use crate::leaders::CollCall;
use crate::leaders::alltoall::{ReceivedPart, bruck, exchange_known, exchange_unknown};
use crate::part_buffers::AlltoallBuffers;
use crate::parts::{Lens, Table, mismatch};
use crate::plan::Participant;
use crate::select::{Choices, HostMove, LeaderAlltoall, Shape};
use crate::signature::{Kind, Signature};
use crate::two_level::without_elements;
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{Image, Rank, Result};

/// Exchanges parts of the same length with these algorithms.
pub fn alltoall_with(
    image: &Image,
    set: &ImageSet,
    buffers: &AlltoallBuffers<'_>,
    choices: &Choices,
) -> Result<()> {
    let signature = Signature::of_bytes(Kind::Alltoall, buffers.send_parts().len(0));
    alltoall_of(image, set, buffers, signature, choices)
}

/// The same as a part of another operation, whose `signature` the images compare.
pub fn alltoall_of(
    image: &Image,
    set: &ImageSet,
    buffers: &AlltoallBuffers<'_>,
    signature: Signature,
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        let len = buffers.send_parts().len(0);
        if len == 0 {
            return without_elements(image, set, &signature);
        }
        let levels = set.levels(image)?;
        let mut coll = CollCall::new(image, set).signed(signature)?;
        let forced = choices.alltoall;
        let all = AlltoallCall { image, set, levels, buffers, signature, equal: true };
        if levels.single_host() {
            all.on_host(buffers, choices, &mut coll)?;
            return coll.outcome();
        }
        let local_peers = set.len().div_ceil(levels.leaders().len());
        match LeaderAlltoall::choose(forced.leaders, len, local_peers) {
            LeaderAlltoall::Each => all.each(choices, coll).map(drop),
            algorithm => all.through_leaders(len, algorithm, choices, coll),
        }
    })
}

/// Exchanges parts of any lengths with these algorithms.
pub fn alltoallv_with(
    image: &Image,
    set: &ImageSet,
    buffers: &AlltoallBuffers<'_>,
    choices: &Choices,
) -> Result<()> {
    buffers.send_parts().check_number("alltoallv, to send", set.len())?;
    buffers.receive_parts().check_number("alltoallv, to receive", set.len())?;
    with_live_set(image, set, || {
        let levels = set.levels(image)?;
        let signature = Signature::of_any_parts(Kind::Alltoallv);
        let all = AlltoallCall { image, set, levels, buffers, signature, equal: false };
        let mut coll = CollCall::new(image, set).signed(signature)?;
        let given = if levels.single_host() {
            let given = all.on_host(buffers, choices, &mut coll)?;
            coll.outcome()?;
            given
        } else {
            all.each(choices, coll)?
        };
        let expected = |from| buffers.receive_parts().len(from);
        match given.into_iter().find(|given| given.len != expected(given.from)) {
            Some(ReceivedPart { from, len }) => {
                Err(mismatch("alltoallv", from, len, expected(from)))
            }
            None => Ok(()),
        }
    })
}

/// An alltoall on one image of the set.
#[derive(Clone, Copy)]
struct AlltoallCall<'a> {
    image: &'a Image,
    set: &'a ImageSet,
    levels: &'a Levels,
    buffers: &'a AlltoallBuffers<'a>,
    signature: Signature,
    /// Whether all images know that all parts have the same length.
    equal: bool,
}

impl AlltoallCall<'_> {
    /// Exchanges the parts of `buffers` between the local peers. Positions are those among them.
    fn on_host(
        &self,
        buffers: &AlltoallBuffers<'_>,
        choices: &Choices,
        coll: &mut CollCall<'_>,
    ) -> Result<Vec<ReceivedPart>> {
        let (local_peers, me) = (self.levels.local_peers(), self.levels.position());
        let Some(host) = self.host(choices) else {
            let who = Participant { n: local_peers.len(), position: me };
            return self.by_messages(who, |i| local_peers[i], buffers, choices, coll);
        };
        let (given, longest) = if self.equal {
            let len = buffers.send_parts().len(0);
            (Lens::Equal(len), len)
        } else {
            exchange_lens(&host, buffers)?
        };
        let shape = Shape::new(self.image, longest, host.members());
        let choice = shape.alltoall(choices.alltoall.host);
        let alltoall = Alltoall { buffers: *buffers, given: &given, longest };
        if !(choice.direct && direct(&host, &alltoall)?) {
            match choice.otherwise {
                HostMove::Slots => slots(&host, &alltoall)?,
                _ => staged(&host, &alltoall, shape.chunk)?,
            }
        }
        Ok((0..local_peers.len()).map(|from| ReceivedPart { from, len: given.of(from) }).collect())
    }

    /// This host with its collective area, if the set has one and it is to be used.
    fn host(&self, choices: &Choices) -> Option<Host<'_>> {
        let area = self.levels.area()?;
        let image = self.image;
        let messages = choices.alltoall.host == Some(HostMove::Messages);
        (!messages).then(|| Host::of_call(image, area, self.signature))
    }

    /// Exchanges the parts of `buffers` between participants over channels.
    fn by_messages(
        &self,
        who: Participant,
        peer: impl Fn(usize) -> Rank,
        buffers: &AlltoallBuffers<'_>,
        choices: &Choices,
        coll: &mut CollCall<'_>,
    ) -> Result<Vec<ReceivedPart>> {
        let me = who.position;
        let own = buffers.keep(me);
        if !self.equal {
            let mut given = self.lens_unknown(who, |i| Some(peer(i)), buffers, coll)?;
            given.push(ReceivedPart { from: me, len: own });
            return Ok(given);
        }
        match LeaderAlltoall::choose(choices.alltoall.leaders, own, 1) {
            LeaderAlltoall::Bruck => {
                let part = |to| buffers.out(to).to_vec();
                let (came, table) = bruck(self.image, who, peer, |_, _| own, part, coll)?;
                buffers.put(&came, &table.parts(), who.n);
            }
            _ => exchange_known(self.image, who, |i| Some(peer(i)), buffers, coll)?,
        }
        Ok(Vec::new())
    }

    /// Exchanges parts whose lengths only their senders know, with the participants for which `peer` gives an image.
    fn lens_unknown(
        &self,
        who: Participant,
        peer: impl Fn(usize) -> Option<Rank>,
        buffers: &AlltoallBuffers<'_>,
        coll: &mut CollCall<'_>,
    ) -> Result<Vec<ReceivedPart>> {
        let out = |to| peer(to).map(|rank| (rank, buffers.out(to)));
        // SAFETY: this is the only slice of the place.
        let into = |from| peer(from).map(|rank| (rank, unsafe { buffers.place(from) }));
        exchange_unknown(self.image, who, out, into, coll)
    }

    /// Exchanges over several hosts without leaders: each image with its local peers through the collective area, then
    /// with each image of the other hosts.
    fn each(&self, choices: &Choices, mut coll: CollCall<'_>) -> Result<Vec<ReceivedPart>> {
        let (set, local_peers, buffers) = (self.set, self.levels.local_peers(), self.buffers);
        let position = |rank: &Rank| set.position_of(*rank).expect("a member");
        let positions: Vec<usize> = local_peers.iter().map(position).collect();
        let me = positions[self.levels.position()];
        let mut given = Vec::new();
        let by_area = self.host(choices).is_some();
        if by_area {
            let mut tables = [Table::default(), Table::default()];
            let of_local_peers = buffers.of_positions(&positions, &mut tables);
            // The images of other hosts need this one even if a local peer has ended.
            match self.on_host(&of_local_peers, choices, &mut coll) {
                Ok(local) => {
                    let in_set =
                        |given: ReceivedPart| ReceivedPart { from: positions[given.from], ..given };
                    given.extend(local.into_iter().map(in_set));
                }
                Err(error) => coll.note(Err(error))?,
            }
        } else {
            given.push(ReceivedPart { from: me, len: buffers.keep(me) });
        }
        let remote = |position| {
            let rank = set.rank_at(position).expect("a member");
            (!by_area || !local_peers.contains(&rank)).then_some(rank)
        };
        let who = Participant { n: set.len(), position: me };
        if self.equal {
            exchange_known(self.image, who, remote, buffers, &mut coll)?;
        } else {
            given.extend(self.lens_unknown(who, remote, buffers, &mut coll)?);
        }
        coll.outcome().map(|()| given)
    }
}
