//! Alltoall: each image gives each one a part, and gets one from each.

mod through_leaders;

use crate::guard::with_live_set;
use crate::host::Host;
use crate::host::alltoall::{Alltoall, direct, slots, staged, tell_lens};
use crate::leaders::CollCall;
use crate::leaders::alltoall::{Exchange, bruck, known, unknown};
use crate::parts::{Lens, Parts, Table, mismatch};
use crate::plan::Participant;
use crate::select::{Choices, HostAlltoall, LeaderAlltoall, Shape};
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{Image, Rank, Result};

/// As [`crate::raw::alltoall`], with these algorithms. The parts are equal.
///
/// # Errors
/// Those of that function.
///
/// # Safety
/// As that function.
pub unsafe fn alltoall_with(
    image: &Image,
    set: &ImageSet,
    exchange: &Exchange<'_>,
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        let len = exchange.send_parts.len(0);
        if len == 0 {
            return Ok(());
        }
        let levels = set.levels(image)?;
        let mut coll = CollCall::new(image, set);
        let forced = choices.alltoall;
        let all = Among { image, set, levels, exchange, equal: true };
        // SAFETY: the exchange is valid (contract above).
        unsafe {
            if levels.single_host() {
                all.on_host(exchange, choices, &mut coll)?;
                return coll.outcome();
            }
            let local_peers = set.len().div_ceil(levels.leaders().len());
            match LeaderAlltoall::choose(forced.leaders, len, local_peers) {
                LeaderAlltoall::Each => all.each(choices, coll).map(drop),
                algorithm => all.through_leaders(len, algorithm, choices, coll),
            }
        }
    })
}

/// As [`crate::raw::alltoallv`], with these algorithms.
///
/// # Errors
/// Those of that function.
///
/// # Safety
/// As that function.
pub unsafe fn alltoallv_with(
    image: &Image,
    set: &ImageSet,
    exchange: &Exchange<'_>,
    choices: &Choices,
) -> Result<()> {
    exchange.send_parts.check_number("alltoallv, to send", set.len())?;
    exchange.receive_parts.check_number("alltoallv, to receive", set.len())?;
    with_live_set(image, set, || {
        let levels = set.levels(image)?;
        let all = Among { image, set, levels, exchange, equal: false };
        let mut coll = CollCall::new(image, set);
        // SAFETY: the exchange is valid (contract above).
        let given = unsafe {
            if levels.single_host() {
                let given = all.on_host(exchange, choices, &mut coll)?;
                coll.outcome()?;
                given
            } else {
                all.each(choices, coll)?
            }
        };
        let expected = |position| exchange.receive_parts.len(position);
        match given.into_iter().find(|&(position, len)| len != expected(position)) {
            Some((position, len)) => Err(mismatch("alltoallv", position, len, expected(position))),
            None => Ok(()),
        }
    })
}

/// What images gave this one: position and bytes.
type Given = Vec<(usize, usize)>;

/// An alltoall as one image of the set sees it.
#[derive(Clone, Copy)]
struct Among<'a> {
    image: &'a Image,
    set: &'a ImageSet,
    levels: &'a Levels,
    exchange: &'a Exchange<'a>,
    /// Whether all images know that all parts have the same length.
    equal: bool,
}

impl Among<'_> {
    /// Between the images of this host, whose `exchange` has a part for each local peer. Positions are those among
    /// local peers.
    ///
    /// # Safety
    /// The exchange is valid.
    unsafe fn on_host(
        &self,
        exchange: &Exchange<'_>,
        choices: &Choices,
        coll: &mut CollCall<'_>,
    ) -> Result<Given> {
        let (local_peers, me) = (self.levels.local_peers(), self.levels.position());
        let Some(host) = self.host(choices) else {
            // SAFETY: the exchange is valid (contract above).
            return unsafe {
                let who = Participant { n: local_peers.len(), position: me };
                self.by_messages(who, |i| local_peers[i], exchange, choices, coll)
            };
        };
        // SAFETY: the exchange is valid (contract above).
        unsafe {
            let (given, longest) = if self.equal {
                let len = exchange.send_parts.len(0);
                (Lens::Equal(len), len)
            } else {
                tell_lens(&host, exchange)?
            };
            let shape = Shape::new(self.image, longest, host.members());
            let choice = shape.alltoall(choices.alltoall.host);
            let alltoall = Alltoall { parts: *exchange, given: &given, longest };
            if !(choice.direct && direct::run(&host, &alltoall)?) {
                match choice.otherwise {
                    HostAlltoall::Slots => slots::run(&host, &alltoall)?,
                    _ => staged::run(&host, &alltoall, shape.chunk())?,
                }
            }
            Ok((0..local_peers.len()).map(|i| (i, given.of(i))).collect())
        }
    }

    /// The collective area where this host meets, if it is to be used.
    fn host(&self, choices: &Choices) -> Option<Host<'_>> {
        let area = self.levels.area()?;
        let image = self.image;
        let messages = choices.alltoall.host == Some(HostAlltoall::Messages);
        (!messages).then_some(Host { image, area })
    }

    /// Among the images of this host, over channels.
    ///
    /// # Safety
    /// The exchange is valid.
    unsafe fn by_messages(
        &self,
        who: Participant,
        peer: impl Fn(usize) -> Rank,
        exchange: &Exchange<'_>,
        choices: &Choices,
        coll: &mut CollCall<'_>,
    ) -> Result<Given> {
        // SAFETY: the exchange is valid (contract above).
        unsafe {
            let own = exchange.keep(who.position);
            if !self.equal {
                let peer = |i| Some(peer(i));
                let mut given = self.lens_unknown(who, peer, exchange, coll)?;
                given.push((who.position, own));
                return Ok(given);
            }
            match LeaderAlltoall::choose(choices.alltoall.leaders, own, 1) {
                LeaderAlltoall::Bruck => {
                    let part = |to| exchange.out(to).to_vec();
                    let (came, table) = bruck(self.image, who, peer, |_, _| own, part, coll)?;
                    exchange.put(&came, &table.parts(), who.n);
                }
                _ => known(self.image, who, |i| Some(peer(i)), exchange, coll)?,
            }
            Ok(Vec::new())
        }
    }

    /// Exchanges parts whose lengths only their givers know, with those participants that `peer` gives an image for.
    ///
    /// # Safety
    /// The exchange is valid.
    unsafe fn lens_unknown(
        &self,
        who: Participant,
        peer: impl Fn(usize) -> Option<Rank>,
        exchange: &Exchange<'_>,
        coll: &mut CollCall<'_>,
    ) -> Result<Given> {
        // SAFETY: the exchange is valid (contract above); one place at a time.
        let out = |to| peer(to).map(|rank| (rank, unsafe { exchange.out(to) }));
        // SAFETY: as above.
        let into = |from| peer(from).map(|rank| (rank, unsafe { exchange.place(from) }));
        unknown(self.image, who, out, into, coll)
    }

    /// Over several hosts: each image with its local peers on the collective area, then with all others itself.
    ///
    /// # Safety
    /// The exchange is valid.
    unsafe fn each(&self, choices: &Choices, mut coll: CollCall<'_>) -> Result<Given> {
        let (set, local_peers) = (self.set, self.levels.local_peers());
        let positions: Vec<usize> = local_peers
            .iter()
            .map(|&local_peer| set.position_of(local_peer).expect("a member"))
            .collect();
        let me = positions[self.levels.position()];
        let mut given = Vec::new();
        let by_area = self.host(choices).is_some();
        // SAFETY: the exchange is valid (contract above).
        unsafe {
            if by_area {
                let of_local_peers = |parts: Parts<'_>| Table::of(&parts, &positions);
                let [send, receive] =
                    [self.exchange.send_parts, self.exchange.receive_parts].map(of_local_peers);
                let among_local_peers = Exchange {
                    send_parts: send.parts(),
                    receive_parts: receive.parts(),
                    ..*self.exchange
                };
                // Those of other hosts count on this image even if a local peer has ended.
                match self.on_host(&among_local_peers, choices, &mut coll) {
                    Ok(near) => given.extend(near.into_iter().map(|(i, len)| (positions[i], len))),
                    Err(error) => coll.note(Err(error))?,
                }
            } else {
                given.push((me, self.exchange.keep(me)));
            }
            let far = |position| {
                let rank = set.rank_at(position).expect("a member");
                (!by_area || !local_peers.contains(&rank)).then_some(rank)
            };
            let who = Participant { n: set.len(), position: me };
            if self.equal {
                known(self.image, who, far, self.exchange, &mut coll)?;
            } else {
                given.extend(self.lens_unknown(who, far, self.exchange, &mut coll)?);
            }
        }
        coll.outcome().map(|()| given)
    }
}
