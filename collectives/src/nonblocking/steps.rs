//! What one image does in each operation: whom it sends to and from whom it receives, step by step.
//!
//! The schedules are those of the blocking operations, executed on each host, between the hosts, and on each host
//! again. So operands are combined in the same brackets, and the bits of a result are the same.

mod scan;

pub use scan::{WORK_BLOCKS, scan};

use crate::schedules::{Round, Then, binomial, binomial_parts, bruck, dissemination, pairwise};
use crate::two_level::RootedLeaders;
use std::ops::Range;
use xmp_core::image_set::{ImageSet, Split};
use xmp_core::{Image, Rank};

/// Sending and receiving that go on at once; what is sent is the content before the step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// To whom, and which blocks.
    pub send: Option<(Rank, Range<usize>)>,
    /// From whom, which blocks, and what becomes of them.
    pub receive: Option<(Rank, Range<usize>, Then)>,
    /// What becomes of own blocks when both are done.
    pub own: Option<Own>,
}

/// Something that an image does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// A block becomes what the other one is.
    Copy {
        /// What is copied.
        from: usize,
        /// Where to.
        to: usize,
    },
    /// Two blocks are combined, and the right one becomes the result.
    Combine {
        /// Left operand.
        left: usize,
        /// Right operand, and result.
        right: usize,
    },
}

/// The steps that the rounds of a schedule are when `peer` gives the images at its positions.
fn steps<R: Iterator<Item = Round>>(
    rounds: R,
    peer: impl Fn(usize) -> Rank,
) -> impl Iterator<Item = Step> {
    rounds.map(move |round| {
        assert!(round.combine.is_none(), "no schedule with work blocks is used here");
        Step {
            send: round.send.map(|transfer| (peer(transfer.peer), transfer.blocks)),
            receive: round
                .receive
                .map(|(transfer, then)| (peer(transfer.peer), transfer.blocks, then)),
            own: None,
        }
    })
}

/// An image among those of its host, and its host among all.
struct Place<'a> {
    rooted_leaders: RootedLeaders<'a, Split>,
    split: &'a Split,
}

impl<'a> Place<'a> {
    fn new(image: &'a Image, set: &'a ImageSet, root: Option<Rank>) -> Place<'a> {
        let split = set.split(image);
        Place { rooted_leaders: RootedLeaders::new(image, split.as_ref(), root), split }
    }

    /// To the leader of this host, combining.
    fn up_to_leader(&self) -> Vec<Step> {
        let local_peers = self.split.local_peers();
        let rounds = binomial::reduce(
            local_peers.len(),
            self.split.position(),
            self.rooted_leaders.among_local_peers(),
        );
        steps(rounds, |local_peer| local_peers[local_peer]).collect()
    }

    /// From the leader of this host.
    fn down_from_leader(&self) -> Vec<Step> {
        let local_peers = self.split.local_peers();
        let rounds = binomial::broadcast(
            local_peers.len(),
            self.split.position(),
            self.rooted_leaders.among_local_peers(),
        );
        steps(rounds, |local_peer| local_peers[local_peer]).collect()
    }

    /// Between the leaders, in the rounds of number and position.
    fn between<R: Iterator<Item = Round>>(&self, rounds: impl Fn(usize, usize) -> R) -> Vec<Step> {
        if self.rooted_leaders.is_me() {
            let rounds = rounds(self.rooted_leaders.hosts(), self.rooted_leaders.host());
            steps(rounds, |host| self.rooted_leaders.of(host)).collect()
        } else {
            Vec::new()
        }
    }

    /// To the leaders, between them, and from them; without the first and the last on a single host, where all
    /// execute the schedule of the leaders.
    fn around<R: Iterator<Item = Round>>(&self, rounds: impl Fn(usize, usize) -> R) -> Vec<Step> {
        if self.split.single_host() {
            let local_peers = self.split.local_peers();
            return steps(rounds(local_peers.len(), self.split.position()), |local_peer| {
                local_peers[local_peer]
            })
            .collect();
        }
        [self.up_to_leader(), self.between(rounds), self.down_from_leader()].concat()
    }
}

/// Barrier.
pub fn barrier(image: &Image, set: &ImageSet) -> Vec<Step> {
    Place::new(image, set, None).around(dissemination::barrier)
}

/// Reduction to all, of block 0.
pub fn allreduce(image: &Image, set: &ImageSet) -> Vec<Step> {
    Place::new(image, set, None).around(crate::schedules::recursive_doubling::allreduce)
}

/// Reduction of block 0 to an image.
pub fn reduce(image: &Image, set: &ImageSet, root: Rank) -> Vec<Step> {
    let place = Place::new(image, set, Some(root));
    let root_host = place.rooted_leaders.root_host();
    let between = place.between(|hosts, host| binomial::reduce(hosts, host, root_host));
    [place.up_to_leader(), between].concat()
}

/// Broadcast of block 0 from an image.
pub fn broadcast(image: &Image, set: &ImageSet, root: Rank) -> Vec<Step> {
    let place = Place::new(image, set, Some(root));
    let root_host = place.rooted_leaders.root_host();
    let between = place.between(|hosts, host| binomial::broadcast(hosts, host, root_host));
    [between, place.down_from_leader()].concat()
}

/// An image among all of its set; nothing is combined, so hosts do not count.
fn flat<R: Iterator<Item = Round>>(
    set: &ImageSet,
    rounds: impl Fn(usize, usize) -> R,
) -> Vec<Step> {
    let position = set.position().expect("only members execute an operation");
    let rounds = rounds(set.len(), position);
    steps(rounds, |position| set.rank_at(position).expect("a position of the set")).collect()
}

/// Allgather: block j is that of the image j places behind this one.
pub fn allgather(set: &ImageSet) -> Vec<Step> {
    flat(set, bruck::allgather)
}

/// Alltoall: block j is for the image at position j, block n + j from it.
pub fn alltoall(set: &ImageSet) -> Vec<Step> {
    flat(set, pairwise::alltoall)
}

/// Those messages of [`alltoall`] whose block is wanted, with its steps and blocks.
pub fn some_of_alltoall(set: &ImageSet, is_wanted: impl Fn(usize) -> bool) -> Vec<Step> {
    let wanted = |step: Step| Step {
        send: step.send.filter(|(_, blocks)| is_wanted(blocks.start)),
        receive: step.receive.filter(|(_, blocks, _)| is_wanted(blocks.start)),
        own: None,
    };
    let is_one = |step: &Step| step.send.is_some() || step.receive.is_some();
    alltoall(set).into_iter().map(wanted).filter(is_one).collect()
}

/// Gather of parts of any length to the image at position `root`; blocks as for [`alltoall`].
pub fn gatherv(set: &ImageSet, root: usize) -> Vec<Step> {
    let (n, is_root) = (set.len(), set.position() == Some(root));
    some_of_alltoall(set, |block| if is_root { block >= n } else { block == root })
}

/// Scatter of parts of any length from the image at position `root`; blocks as for [`alltoall`].
pub fn scatterv(set: &ImageSet, root: usize) -> Vec<Step> {
    let (n, is_root) = (set.len(), set.position() == Some(root));
    some_of_alltoall(set, |block| if is_root { block < n } else { block == n + root })
}

/// Gather to the image at position `root`: block j is that of the image j places behind this one.
pub fn gather(set: &ImageSet, root: usize) -> Vec<Step> {
    flat(set, |n, position| binomial_parts::gather(n, position, root))
}

/// Scatter from the image at position `root`; blocks as for [`gather`].
pub fn scatter(set: &ImageSet, root: usize) -> Vec<Step> {
    flat(set, |n, position| binomial_parts::scatter(n, position, root))
}
