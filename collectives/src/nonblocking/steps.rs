//! The steps of one image in each operation: the messages that it sends and receives.
//!
//! The schedules are those of the blocking operations, executed on each host, between the hosts, and on each host
//! again. So operands are combined in the same brackets, and the bits of a result are the same.

mod scan;

pub use scan::{WORK_BLOCKS, scan};

use crate::schedules::{
    OnReceipt, Round, binomial, binomial_parts, bruck, dissemination, pairwise,
};
use crate::two_level::RootedLeaders;
use std::ops::Range;
use xmp_core::image_set::{ImageSet, Split};
use xmp_core::{Image, Rank};

/// A step of one image. It sends and receives at the same time; it sends the content before the step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The receiver, and the blocks that this image sends.
    pub send: Option<(Rank, Range<usize>)>,
    /// The sender, the blocks that this image receives, and what becomes of them.
    pub receive: Option<(Rank, Range<usize>, OnReceipt)>,
    /// The change of own blocks when both are complete.
    pub own: Option<LocalStep>,
}

/// A change of own blocks, without a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalStep {
    /// Copies a block.
    Copy {
        /// The source.
        from: usize,
        /// The destination.
        to: usize,
    },
    /// Combines two blocks; the result replaces the right one.
    Combine {
        /// Left operand.
        left: usize,
        /// Right operand, and result.
        right: usize,
    },
}

/// The steps of the rounds of a schedule; `peer` gives the images at its positions.
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

/// The two levels of an operation: this image among its local peers, and its host among all hosts.
struct TwoLevels<'a> {
    rooted_leaders: RootedLeaders<'a, Split>,
    split: &'a Split,
}

impl<'a> TwoLevels<'a> {
    fn new(image: &'a Image, set: &'a ImageSet, root: Option<Rank>) -> TwoLevels<'a> {
        let split = set.split(image);
        TwoLevels { rooted_leaders: RootedLeaders::new(image, split.as_ref(), root), split }
    }

    /// The steps of a reduction to the leader of this host.
    fn up_to_leader(&self) -> Vec<Step> {
        let local_peers = self.split.local_peers();
        let rounds = binomial::reduce(
            local_peers.len(),
            self.split.position(),
            self.rooted_leaders.local_position(),
        );
        steps(rounds, |local_peer| local_peers[local_peer]).collect()
    }

    /// The steps of a broadcast from the leader of this host.
    fn down_from_leader(&self) -> Vec<Step> {
        let local_peers = self.split.local_peers();
        let rounds = binomial::broadcast(
            local_peers.len(),
            self.split.position(),
            self.rooted_leaders.local_position(),
        );
        steps(rounds, |local_peer| local_peers[local_peer]).collect()
    }

    /// The steps between the leaders; `rounds` gives those of a number of participants and a position.
    fn between<R: Iterator<Item = Round>>(&self, rounds: impl Fn(usize, usize) -> R) -> Vec<Step> {
        if self.rooted_leaders.is_me() {
            let rounds = rounds(self.rooted_leaders.hosts(), self.rooted_leaders.host());
            steps(rounds, |host| self.rooted_leaders.of(host)).collect()
        } else {
            Vec::new()
        }
    }

    /// The steps to the leaders, between them, and from them. On a single host all images execute the schedule of the
    /// leaders.
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
    TwoLevels::new(image, set, None).around(dissemination::barrier)
}

/// Reduction to all, of block 0.
pub fn allreduce(image: &Image, set: &ImageSet) -> Vec<Step> {
    TwoLevels::new(image, set, None).around(crate::schedules::recursive_doubling::allreduce)
}

/// Reduction of block 0 to an image.
pub fn reduce(image: &Image, set: &ImageSet, root: Rank) -> Vec<Step> {
    let levels = TwoLevels::new(image, set, Some(root));
    let root_host = levels.rooted_leaders.root_host();
    let between = levels.between(|hosts, host| binomial::reduce(hosts, host, root_host));
    [levels.up_to_leader(), between].concat()
}

/// Broadcast of block 0 from an image.
pub fn broadcast(image: &Image, set: &ImageSet, root: Rank) -> Vec<Step> {
    let levels = TwoLevels::new(image, set, Some(root));
    let root_host = levels.rooted_leaders.root_host();
    let between = levels.between(|hosts, host| binomial::broadcast(hosts, host, root_host));
    [between, levels.down_from_leader()].concat()
}

/// The steps of a schedule between all images of a set, whatever their hosts, for operations that combine nothing.
fn flat<R: Iterator<Item = Round>>(
    set: &ImageSet,
    rounds: impl Fn(usize, usize) -> R,
) -> Vec<Step> {
    let position = set.position().expect("only members execute an operation");
    let rounds = rounds(set.len(), position);
    steps(rounds, |position| set.rank_at(position).expect("a position of the set")).collect()
}

/// Allgather: block j is that of the image j places after this one.
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

/// Gather to the image at position `root`: block j is that of the image j places after this one.
pub fn gather(set: &ImageSet, root: usize) -> Vec<Step> {
    flat(set, |n, position| binomial_parts::gather(n, position, root))
}

/// Scatter from the image at position `root`; blocks as for [`gather`].
pub fn scatter(set: &ImageSet, root: usize) -> Vec<Step> {
    flat(set, |n, position| binomial_parts::scatter(n, position, root))
}
