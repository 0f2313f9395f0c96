//! The steps of scans, in the brackets of the blocking ones ([`crate::scan`]).

use super::{LocalStep, Step, steps};
use crate::host_distribution::HostDistribution;
use crate::schedules::{Participant, binomial, prefix};
use xmp_core::image_set::{ImageSet, Split};
use xmp_core::{Image, Rank};

/// This image's part of the vector, which becomes the result.
const VECTOR: usize = 0;
/// Work block: the result of this host, then that of the hosts before it.
const HOSTS: usize = 1;
/// Work block: a block to send while another one arrives at its place.
const SENT: usize = 2;

/// Work blocks of a scan.
pub const WORK_BLOCKS: usize = 2;

/// The steps of a scan of block 0, inclusive or exclusive; in an exclusive scan the first image keeps its block.
pub fn scan(image: &Image, set: &ImageSet, exclusive: bool) -> Vec<Step> {
    let split = set.split(image);
    // The condition of the blocking scan: the images of each host follow one another.
    if !split.single_host() && split.leaders().len() < set.len() {
        let spread = HostDistribution::new(image, set, split);
        if spread.hosts().is_sorted() {
            return over_hosts(set, split, &spread, exclusive);
        }
    }
    let position = set.position().expect("only members execute an operation");
    let who = Participant { n: set.len(), position };
    among(who, |position| rank_at(set, position), VECTOR, exclusive)
}

fn rank_at(set: &ImageSet, position: usize) -> Rank {
    set.rank_at(position).expect("a position of the set")
}

/// A scan of a block among participants.
fn among(
    who: Participant,
    peer: impl Fn(usize) -> Rank,
    block: usize,
    exclusive: bool,
) -> Vec<Step> {
    let Participant { n, position: me } = who;
    let mut all = Vec::new();
    // An exclusive scan is an inclusive one of the blocks of the participants before, without the first participant.
    let first = usize::from(exclusive);
    if exclusive {
        all.push(own(LocalStep::Copy { from: block, to: SENT }));
        let shift = steps(prefix::shift(n, me), &peer);
        all.extend(shift.map(|step| with_blocks(step, SENT, block)));
    }
    if let Some(position) = me.checked_sub(first) {
        let scan = steps(prefix::scan(n - first, position), |i| peer(i + first));
        all.extend(scan.map(|step| with_blocks(step, block, block)));
    }
    all
}

/// The steps over hosts whose images follow one another: first each host for itself, then the last images of the hosts scan
/// the results of hosts, and each of them gives its local peers the result of the hosts before.
fn over_hosts(
    set: &ImageSet,
    split: &Split,
    spread: &HostDistribution,
    exclusive: bool,
) -> Vec<Step> {
    let (hosts, host) = (split.leaders().len(), split.host());
    let (local_peers, me) = (split.local_peers(), split.position());
    let last = local_peers.len() - 1;
    let mut all = Vec::new();
    if exclusive && me == last {
        all.push(own(LocalStep::Copy { from: VECTOR, to: HOSTS }));
    }
    all.extend(among(
        Participant { n: local_peers.len(), position: me },
        |local_peer| local_peers[local_peer],
        VECTOR,
        exclusive,
    ));
    if me == last {
        if !exclusive {
            all.push(own(LocalStep::Copy { from: VECTOR, to: HOSTS }));
        } else if local_peers.len() > 1 {
            all.push(own(LocalStep::Combine { left: VECTOR, right: HOSTS }));
        }
        let lasts = spread.lasts(hosts);
        all.extend(among(
            Participant { n: hosts, position: host },
            |host| rank_at(set, lasts[host]),
            HOSTS,
            true,
        ));
    }
    // No host comes before the first one.
    if host > 0 {
        let down = steps(binomial::broadcast(local_peers.len(), me, last), |local_peer| {
            local_peers[local_peer]
        });
        all.extend(down.map(|step| with_blocks(step, HOSTS, HOSTS)));
        all.push(own(if exclusive && me == 0 {
            LocalStep::Copy { from: HOSTS, to: VECTOR }
        } else {
            LocalStep::Combine { left: HOSTS, right: VECTOR }
        }));
    }
    all
}

fn own(own: LocalStep) -> Step {
    Step { own: Some(own), ..Step::default() }
}

/// A step that sends one block and receives another.
fn with_blocks(step: Step, sent: usize, received: usize) -> Step {
    Step {
        send: step.send.map(|(to, _)| (to, sent..sent + 1)),
        receive: step.receive.map(|(from, _, then)| (from, received..received + 1, then)),
        own: step.own,
    }
}
