//! Allgather: each image gets the contributions of all, in the order of the set.

use crate::guard::with_live_set;
use crate::host::Host;
use crate::host::allgather::{Contribution, Offsets, direct, slots, staged};
use crate::host::grouped;
use crate::host_distribution::HostDistribution;
use crate::leaders::{self, Blocks, CollCall, Vector};
use crate::parts::prefix_sums;
use crate::plan::{self, Participant};
use crate::select::{
    Between, Choices, Forced, HostMove, LeaderAllgather, Shape, between_all, near,
};
use crate::signature::{Kind, Signature, hash};
use crate::two_level::{RootedLeaders, conclude, without_elements};
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{BoxedResult, Image, Rank, Result};

/// Gathers the contributions of all images with these algorithms.
pub fn allgather_with(
    image: &Image,
    set: &ImageSet,
    contribution: &mut Contribution<'_>,
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        if contribution.offsets.of(set.len()) == 0 {
            return without_elements(image, set, &signature(contribution, set.len()));
        }
        let (levels, forced) = (set.levels(image)?, choices.allgather);
        let mut coll = CollCall::new(image, set).signed(signature(contribution, set.len()))?;
        if levels.single_host() {
            on_host(image, levels, contribution, forced, &mut coll)?;
        } else if forced.host.is_none() && between_all(set.len(), levels.leaders().len()) {
            let who = Participant { n: set.len(), position: set.position().expect("a member") };
            let peer = |position| set.rank_at(position).expect("a position of the set");
            by_messages(image, who, peer, contribution, forced.leaders, &mut coll)?;
        } else {
            return over_hosts(image, set, contribution, choices);
        }
        coll.outcome()
    })
}

/// What `participants` of an allgather give alike.
fn signature(contribution: &Contribution<'_>, participants: usize) -> Signature {
    match contribution.offsets {
        Offsets::Equal(len) => Signature::of_bytes(Kind::Allgather, len),
        offsets => {
            let places = (1..participants).map(|position| offsets.of(position) as u64);
            let places = places.fold(0, |hash_of, place| hash([u64::from(hash_of), place]));
            Signature::of_bytes(Kind::Allgather, offsets.of(participants)).of_parts(places)
        }
    }
}

/// Gathers the contributions of the local peers. Offsets are by position among them.
fn on_host(
    image: &Image,
    levels: &Levels,
    contribution: &mut Contribution<'_>,
    forced: Forced<HostMove, LeaderAllgather>,
    coll: &mut CollCall<'_>,
) -> BoxedResult<()> {
    let (local_peers, me) = (levels.local_peers(), levels.position());
    let offsets = contribution.offsets;
    let shape = Shape::new(image, offsets.longest(local_peers.len()), local_peers.len());
    let choice = shape.allgather(forced.host);
    let area = levels.area().filter(|_| choice.otherwise != HostMove::Messages);
    let Some(area) = area else {
        let who = Participant { n: local_peers.len(), position: me };
        return Ok(by_messages(
            image,
            who,
            |i| local_peers[i],
            contribution,
            forced.leaders,
            coll,
        )?);
    };
    let host = Host::of_call(image, area, signature(contribution, local_peers.len()));
    let in_groups = match forced.host {
        Some(forced) => forced == HostMove::Grouped,
        None => {
            choice.otherwise == HostMove::Staged
                && near::allgather_in_groups(area.hierarchy(), shape.bytes)
        }
    };
    if in_groups && grouped::allgather(&host, contribution)? {
        return Ok(());
    }
    if choice.direct && direct(&host, contribution)? {
        return Ok(());
    }
    match choice.otherwise {
        HostMove::Slots => slots(&host, contribution),
        _ => staged(&host, contribution, shape.chunk),
    }
}

/// Gathers the contributions of participants over channels. Offsets are by position among them.
fn by_messages(
    image: &Image,
    who: Participant,
    peer: impl Fn(usize) -> Rank,
    contribution: &mut Contribution<'_>,
    forced: Option<LeaderAllgather>,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let (own, offsets) = (contribution.mine, contribution.offsets);
    let gather = Gather { who, forced, own, place: Some(&mut *contribution.all) };
    if let Some(gathered) = gather.run(image, peer, |i| offsets.len(i), coll)? {
        (0..who.n).for_each(|i| contribution.put(i, gathered.block(i)));
    }
    Ok(())
}

/// Gathers on each host, then between the leaders, who put the contributions in the order of the set, and broadcasts on
/// each host.
fn over_hosts(
    image: &Image,
    set: &ImageSet,
    contribution: &mut Contribution<'_>,
    choices: &Choices,
) -> Result<()> {
    let levels = set.levels(image)?;
    let rooted_leaders = RootedLeaders::new(image, levels, None);
    let mut coll = CollCall::new(image, set).signed(signature(contribution, set.len()))?;
    let (local_peers, offsets) = (levels.local_peers(), contribution.offsets);
    let mut of_host = Vec::new();
    let mut gathered = Ok(());
    if local_peers.len() > 1 {
        let position = |rank: Rank| set.position_of(rank).expect("a member");
        let lens = local_peers.iter().map(|&local_peer| offsets.len(position(local_peer)));
        let on_this_host = prefix_sums(lens);
        of_host.resize(on_this_host[local_peers.len()], 0);
        let mut of_local_peers = Contribution {
            mine: contribution.mine,
            all: &mut of_host,
            offsets: Offsets::Table(&on_this_host),
        };
        gathered = on_host(image, levels, &mut of_local_peers, choices.allgather, &mut coll);
    }
    if !rooted_leaders.is_me() {
        gathered?;
    } else {
        let area_is_dead = gathered.is_err();
        coll.note(gathered)?;
        let spread = HostDistribution::new(image, set, levels);
        let host_lens = spread.sums(rooted_leaders.hosts(), |i| offsets.len(i));
        let who = Participant { n: rooted_leaders.hosts(), position: rooted_leaders.host() };
        let peer = |host| rooted_leaders.of(host);
        let lens = |host: usize| host_lens[host];
        let own = if local_peers.len() > 1 { &of_host } else { contribution.mine };
        // Where the set names one host after the other, the contributions of hosts are in order.
        let place = spread.hosts().is_sorted().then_some(&mut *contribution.all);
        let gather = Gather { who, forced: choices.allgather.leaders, own, place };
        let gathered = gather.run(image, peer, lens, &mut coll)?;
        if area_is_dead {
            return coll.outcome();
        }
        if let Some(gathered) = gathered {
            let mut taken = vec![0; rooted_leaders.hosts()];
            for (position, &host) in spread.hosts().iter().enumerate() {
                let len = offsets.len(position);
                let part = &gathered.block(host)[taken[host]..taken[host] + len];
                taken[host] += len;
                contribution.put(position, part);
            }
        }
    }
    let all = Vector::bytes(&mut contribution.all[..offsets.of(set.len())]);
    conclude(&rooted_leaders, coll, all, choices.broadcast)
}

/// The blocks of all participants, beginning with that of the participant `first`.
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

/// An allgather of blocks on one participant.
struct Gather<'a> {
    who: Participant,
    forced: Option<LeaderAllgather>,
    /// The block of this participant.
    own: &'a [u8],
    /// Room for all blocks side by side, in the order of the participants, if they may be there.
    place: Option<&'a mut [u8]>,
}

impl Gather<'_> {
    /// Gathers the blocks of all participants. If there is a place and the algorithm gathers in the order of the
    /// participants, it leaves the blocks there and returns `None`.
    fn run(
        self,
        image: &Image,
        peer: impl Fn(usize) -> Rank,
        lens: impl Fn(usize) -> usize,
        coll: &mut CollCall<'_>,
    ) -> Result<Option<Gathered>> {
        let Participant { n, position } = self.who;
        let all: usize = (0..n).map(&lens).sum();
        // All participants know the average length.
        let algorithm = Between::hosts(image, all / n, n).allgather(self.forced);
        let plan::AllgatherPlan { first, rounds } = plan::allgather(algorithm, self.who);
        let offsets = prefix_sums((0..n).map(|j| lens((first + j) % n)));
        let place = self.place.filter(|_| first == 0);
        let is_placed = place.is_some();
        let mut gathered = vec![0; if is_placed { 0 } else { all }];
        let bytes = place.unwrap_or(&mut gathered);
        let at = offsets[(position + n - first) % n];
        bytes[at..at + self.own.len()].copy_from_slice(self.own);
        leaders::run(image, peer, rounds, Blocks { bytes, offsets: &offsets }, coll)?;
        Ok((!is_placed).then_some(Gathered { bytes: gathered, offsets, first }))
    }
}
