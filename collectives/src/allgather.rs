//! Allgather: each image gets the contributions of all, in the order of the set.

use crate::guard::with_live_set;
use crate::host::Host;
use crate::host::allgather::{Contribution, Offsets, direct, slots, staged};
use crate::leaders::{self, Blocks, CollCall, Vector};
use crate::parts::{bytes, prefix_sums};
use crate::plan::{self, Participant};
use crate::select::{Between, Choices, Forced, HostAllgather, LeaderAllgather, Shape};
use crate::spread::Spread;
use crate::two_level::{RootedLeaders, conclude};
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{Image, Rank, Result};

/// As [`crate::raw::allgather`], with these algorithms.
///
/// # Errors
/// Those of that function.
///
/// # Safety
/// As that function.
pub unsafe fn allgather_with(
    image: &Image,
    set: &ImageSet,
    contribution: &Contribution<'_>,
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        let offsets = &contribution.offsets;
        if offsets.of(set.len()) == 0 {
            return Ok(());
        }
        let forced = choices.allgather;
        let levels = set.levels(image)?;
        // SAFETY: the contribution is valid for all parts (contract above).
        unsafe {
            if !levels.single_host() {
                return over_hosts(image, set, contribution, choices);
            }
            let mut coll = CollCall::new(image, set);
            on_host(image, levels, contribution, forced, &mut coll)?;
            coll.outcome()
        }
    })
}

/// Between the images of this host; offsets are by position among the local peers.
///
/// # Safety
/// The contribution is valid.
unsafe fn on_host(
    image: &Image,
    levels: &Levels,
    contribution: &Contribution<'_>,
    forced: Forced<HostAllgather, LeaderAllgather>,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let (local_peers, me) = (levels.local_peers(), levels.position());
    let offsets = &contribution.offsets;
    let shape = Shape::new(image, offsets.longest(local_peers.len()), local_peers.len());
    let choice = shape.allgather(forced.host);
    let area = levels.area().filter(|_| choice.otherwise != HostAllgather::Messages);
    // SAFETY: the contribution is valid for all parts (contract above).
    unsafe {
        let Some(area) = area else {
            let lens = |i| offsets.len(i);
            let own = bytes(contribution.mine, offsets.len(me));
            let who = Participant { n: local_peers.len(), position: me };
            let place = Some(contribution.all);
            let among = Gather { who, forced: forced.leaders, own, place };
            let gathered = among.run(image, |i| local_peers[i], lens, coll)?;
            if let Some(gathered) = gathered {
                (0..local_peers.len()).for_each(|i| contribution.put(i, gathered.block(i)));
            }
            return Ok(());
        };
        let host = Host { image, area };
        if choice.direct && direct::run(&host, contribution)? {
            return Ok(());
        }
        match choice.otherwise {
            HostAllgather::Slots => slots::run(&host, contribution),
            _ => staged::run(&host, contribution, shape.chunk()),
        }
    }
}

/// Hosts gather, leaders gather what hosts have and put it in order, hosts broadcast.
///
/// # Safety
/// The contribution is valid.
unsafe fn over_hosts(
    image: &Image,
    set: &ImageSet,
    contribution: &Contribution<'_>,
    choices: &Choices,
) -> Result<()> {
    let levels = set.levels(image)?;
    let rooted_leaders = RootedLeaders::new(image, levels, None);
    let mut coll = CollCall::new(image, set);
    let position = |rank: Rank| set.position_of(rank).expect("a member");
    let local_peer_offsets = prefix_sums(
        levels
            .local_peers()
            .iter()
            .map(|&local_peer| contribution.offsets.len(position(local_peer))),
    );
    let len_of_host = local_peer_offsets[levels.local_peers().len()];
    let mut of_host = Vec::new();
    let (mut mine, mut gathered) = (contribution.mine, Ok(()));
    if levels.local_peers().len() > 1 {
        of_host.resize(len_of_host, 0);
        let all = of_host.as_mut_ptr();
        mine = all.cast_const();
        let offsets = Offsets::Table(&local_peer_offsets);
        let on_this_host = Contribution { mine: contribution.mine, all, offsets };
        // SAFETY: the contribution is valid for all parts (contract above); `of_host` has room for the contributions of
        // this host.
        gathered = unsafe { on_host(image, levels, &on_this_host, choices.allgather, &mut coll) };
    }
    if !rooted_leaders.is_me() {
        gathered?;
    } else {
        let area_is_dead = gathered.is_err();
        coll.note(gathered)?;
        let spread = Spread::new(image, set, levels);
        let host_lens = spread.sums(rooted_leaders.hosts(), |i| contribution.offsets.len(i));
        let who = Participant { n: rooted_leaders.hosts(), position: rooted_leaders.host() };
        let peer = |host| rooted_leaders.of(host);
        let lens = |host: usize| host_lens[host];
        // Where the set names one host after the other, what they have is in order.
        let place = spread.hosts().is_sorted().then_some(contribution.all);
        // SAFETY: what this image gives, or what its host has.
        let own = unsafe { bytes(mine, len_of_host) };
        let among = Gather { who, forced: choices.allgather.leaders, own, place };
        // SAFETY: the place has room for all contributions (contract above).
        let gathered = unsafe { among.run(image, peer, lens, &mut coll)? };
        if area_is_dead {
            return coll.outcome();
        }
        if let Some(gathered) = gathered {
            let mut taken = vec![0; rooted_leaders.hosts()];
            for (position, &host) in spread.hosts().iter().enumerate() {
                let len = contribution.offsets.len(position);
                let part = &gathered.block(host)[taken[host]..taken[host] + len];
                taken[host] += len;
                // SAFETY: the contribution is valid for all parts (contract above).
                unsafe { contribution.put(position, part) };
            }
        }
    }
    let everything = Vector::bytes(contribution.all, contribution.offsets.of(set.len()));
    // SAFETY: the contribution is valid for all parts (contract above).
    unsafe { conclude(&rooted_leaders, coll, everything, choices.broadcast) }
}

/// The blocks of all participants of a gather, `first` being the one whose block comes first.
struct Gathered {
    bytes: Vec<u8>,
    offsets: Vec<usize>,
    first: usize,
}

impl Gathered {
    fn block(&self, participant: usize) -> &[u8] {
        let n = self.offsets.len() - 1;
        let at = (participant + n - self.first) % n;
        &self.bytes[self.offsets[at]..self.offsets[at + 1]]
    }
}

/// A gathering of blocks for all participants, as one of them sees it.
struct Gather<'a> {
    who: Participant,
    forced: Option<LeaderAllgather>,
    /// The block of this participant.
    own: &'a [u8],
    /// Where all blocks may lie side by side, in the order of the participants.
    place: Option<*mut u8>,
}

impl Gather<'_> {
    /// Gathers the blocks of all participants. If there is a place and the algorithm gathers in the order of the
    /// participants, the blocks are left there and `None` is returned.
    ///
    /// # Safety
    /// The place is valid for writes of all blocks, and does not overlap the own one.
    unsafe fn run(
        self,
        image: &Image,
        peer: impl Fn(usize) -> Rank,
        lens: impl Fn(usize) -> usize,
        coll: &mut CollCall<'_>,
    ) -> Result<Option<Gathered>> {
        let Participant { n, position } = self.who;
        let all: usize = (0..n).map(&lens).sum();
        // What all of them know: the average.
        let algorithm = Between::new(image, all / n, n).allgather(self.forced);
        let plan::Gathering { first, rounds } = plan::allgather(algorithm, self.who);
        let offsets = prefix_sums((0..n).map(|j| lens((first + j) % n)));
        let place = self.place.filter(|_| first == 0);
        let mut bytes = vec![0; if place.is_some() { 0 } else { all }];
        let blocks = Blocks { start: place.unwrap_or(bytes.as_mut_ptr()), offsets: &offsets };
        let start = blocks.start.wrapping_add(offsets[(position + n - first) % n]);
        // SAFETY: the blocks cover `bytes` or the place.
        unsafe {
            std::ptr::copy_nonoverlapping(self.own.as_ptr(), start, self.own.len());
            leaders::run(image, peer, rounds, blocks, None, coll)?;
        }
        Ok(place.is_none().then_some(Gathered { bytes, offsets, first }))
    }
}
