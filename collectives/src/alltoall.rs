//! Alltoall: each image gives each one a part, and gets one from each.

mod through_leaders;

use crate::check::Call;
use crate::guard::{say, with_live_set};
use crate::host::Host;
use crate::host::alltoall::{Alltoall, direct, slots, staged, tell_lens};
use crate::leaders::CollCall;
use crate::leaders::alltoall::{Exchange, bruck, known, unknown};
use crate::parts::{Lens, Parts, Table, mismatch};
use crate::select::{Choices, HostAlltoall, LeaderAlltoall, Shape};
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{Image, Rank, Result};

/// Gives each image of the set `len` bytes of what is at `send`, in the order of the set, and gets at `receive` what all
/// images have for this one, in the order of the set. All give the same length.
///
/// # Errors
/// When an image of the set has stopped or failed without taking part. What is at `receive` is undefined then.
///
/// # Safety
/// `send` is valid for reads of `len` bytes times the number of images, `receive` for writes of as many; they do not
/// overlap and no other image accesses them meanwhile.
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn alltoall(
    image: &Image,
    set: &ImageSet,
    send: *const u8,
    receive: *mut u8,
    len: usize,
) -> Result<()> {
    let call = || Call::of("alltoall").elements(len, 1);
    say(image, set, call)?;
    let choices = Choices::from_settings(image.settings())?;
    let parts = Parts::Equal(len);
    let exchange = Exchange { send, send_parts: parts, receive, receive_parts: parts };
    // SAFETY: the caller's guarantee.
    unsafe { alltoall_with(image, set, &exchange, &choices) }
}

/// As [`alltoall`], with parts of any length, which lie anywhere (MPI_ALLTOALLV: MPI 4.1, 6.8).
///
/// # Errors
/// As [`alltoall`]. When an image gives this one another number of bytes than it expects (the others do not learn of
/// that), or there is not a part for each image.
///
/// # Safety
/// As [`alltoall`], for these lengths and places.
///
/// # Panics
/// As [`alltoall`].
pub unsafe fn alltoallv(
    image: &Image,
    set: &ImageSet,
    (send, send_parts): (*const u8, Parts<'_>),
    (receive, receive_parts): (*mut u8, Parts<'_>),
) -> Result<()> {
    let call = || Call::of("alltoallv");
    say(image, set, call)?;
    let choices = Choices::from_settings(image.settings())?;
    let exchange = Exchange { send, send_parts, receive, receive_parts };
    // SAFETY: the caller's guarantee.
    unsafe { alltoallv_with(image, set, &exchange, &choices) }
}

/// As [`alltoall`], with these algorithms. The parts are equal.
///
/// # Errors
/// As there.
///
/// # Safety
/// As there.
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
        // SAFETY: the caller's guarantee.
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

/// As [`alltoallv`], with these algorithms.
///
/// # Errors
/// As there.
///
/// # Safety
/// As there.
pub unsafe fn alltoallv_with(
    image: &Image,
    set: &ImageSet,
    exchange: &Exchange<'_>,
    choices: &Choices,
) -> Result<()> {
    exchange.send_parts.check_number("alltoallv, to send", set.len())?;
    exchange.receive_parts.check_number("alltoallv, to receive", set.len())?;
    let levels = set.levels(image)?;
    let all = Among { image, set, levels, exchange, equal: false };
    let mut coll = CollCall::new(image, set);
    // SAFETY: the caller's guarantee.
    let given = unsafe {
        match levels.single_host() {
            true => all.on_host(exchange, choices, &mut coll)?,
            false => all.each(choices, coll)?,
        }
    };
    coll.outcome()?;
    let expected = |position| exchange.receive_parts.len(position);
    match given.into_iter().find(|&(position, len)| len != expected(position)) {
        Some((position, len)) => Err(mismatch("alltoallv", position, len, expected(position))),
        None => Ok(()),
    }
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
    /// Between the images of this host, whose `exchange` has a part for each local peer. Positions are those among local peers.
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
            // SAFETY: the caller's guarantee.
            return unsafe {
                self.by_messages(
                    (local_peers.len(), me),
                    |i| Some(local_peers[i]),
                    exchange,
                    choices,
                    coll,
                )
            };
        };
        // SAFETY: the caller's guarantee.
        unsafe {
            let (given, longest) = match self.equal {
                true => (Lens::Equal(exchange.send_parts.len(0)), exchange.send_parts.len(0)),
                false => tell_lens(&host, exchange)?,
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

    /// Among `n` participants, of which this one is `me`, over channels.
    ///
    /// # Safety
    /// The exchange is valid.
    unsafe fn by_messages(
        &self,
        (n, me): (usize, usize),
        peer: impl Fn(usize) -> Option<Rank>,
        exchange: &Exchange<'_>,
        choices: &Choices,
        coll: &mut CollCall<'_>,
    ) -> Result<Given> {
        // SAFETY: the caller's guarantee.
        unsafe {
            let own = exchange.keep(me);
            if !self.equal {
                let mut given = unknown(self.image, (n, me), peer, exchange, coll)?;
                given.push((me, own));
                return Ok(given);
            }
            match LeaderAlltoall::choose(choices.alltoall.leaders, own, 1) {
                LeaderAlltoall::Bruck => {
                    let part = |to| exchange.out(to).to_vec();
                    let peer = |i| peer(i).expect("all take part");
                    let who = (n, me);
                    let (came, table) = bruck(self.image, who, peer, |_, _| own, part, coll)?;
                    exchange.put(&came, &table.parts(), n);
                }
                _ => known(self.image, (n, me), peer, exchange, coll)?,
            }
            Ok(Vec::new())
        }
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
        // SAFETY: the caller's guarantee.
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
            let who = (set.len(), me);
            match self.equal {
                true => known(self.image, who, far, self.exchange, &mut coll)?,
                false => given.extend(unknown(self.image, who, far, self.exchange, &mut coll)?),
            }
        }
        coll.outcome().map(|()| given)
    }
}
