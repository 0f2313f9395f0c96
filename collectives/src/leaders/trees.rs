//! Gather and scatter between participants by a schedule: parts of different lengths, each packed behind the other.

use super::{Blocks, CollCall, run};
use crate::parts::prefix_sums;
use crate::schedules::{Round, binomial_parts, linear};
use crate::select::LeaderTree;
use xmp_core::{Image, Rank, Result};

/// This image among the participants.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Number of participants.
    pub n: usize,
    /// This one.
    pub me: usize,
    /// Who gathers or scatters.
    pub root: usize,
}

impl Place {
    /// Number of participants from this one on, around, whose parts go through it: on the root all.
    fn held(self, tree: LeaderTree) -> usize {
        let relative = (self.me + self.n - self.root) % self.n;
        match tree {
            LeaderTree::Binomial => binomial_parts::held(self.n, relative),
            LeaderTree::Linear => linear::held(self.n, relative),
        }
    }

    /// The participants whose parts go through this one, itself first.
    pub fn below(self, tree: LeaderTree) -> impl Iterator<Item = usize> {
        (0..self.held(tree)).map(move |j| (self.me + j) % self.n)
    }
}

/// The parts that go through a participant.
#[derive(Debug)]
pub struct Parcel {
    place: Place,
    bytes: Vec<u8>,
    offsets: Vec<usize>,
}

impl Parcel {
    /// Room for the parts that go through this image; `lens` is asked for these only.
    pub fn new(place: Place, tree: LeaderTree, lens: impl Fn(usize) -> usize) -> Parcel {
        let offsets = prefix_sums(place.below(tree).map(lens));
        let bytes = vec![0; *offsets.last().expect("a sum")];
        Parcel { place, bytes, offsets }
    }

    fn index(&self, participant: usize) -> usize {
        (participant + self.place.n - self.place.me) % self.place.n
    }

    /// The part of a participant.
    pub fn part(&self, participant: usize) -> &[u8] {
        let at = self.index(participant);
        &self.bytes[self.offsets[at]..self.offsets[at + 1]]
    }

    /// The part of a participant, to write.
    pub fn part_mut(&mut self, participant: usize) -> &mut [u8] {
        let at = self.index(participant);
        &mut self.bytes[self.offsets[at]..self.offsets[at + 1]]
    }

    /// Gathers to the root, which ends with all parts. Each has written its own before.
    ///
    /// # Errors
    /// When the job is ending or the transport fails. Whether a participant ended goes to `coll`, at the latest
    /// to the root's.
    pub fn gather(
        &mut self,
        image: &Image,
        peer: impl Fn(usize) -> Rank,
        tree: LeaderTree,
        coll: &mut CollCall<'_>,
    ) -> Result<()> {
        let Place { n, me, root } = self.place;
        match tree {
            LeaderTree::Binomial => {
                self.run(image, peer, binomial_parts::gather(n, me, root), coll)
            }
            LeaderTree::Linear => self.run(image, peer, linear::gather(n, me, root), coll),
        }
    }

    /// Scatters from the root, which has written all parts before; each ends with its own.
    ///
    /// # Errors
    /// When the job is ending or the transport fails. Whether a participant ended goes to the `coll` of those that
    /// were to get something from it, and of the one that was to give it something.
    pub fn scatter(
        &mut self,
        image: &Image,
        peer: impl Fn(usize) -> Rank,
        tree: LeaderTree,
        coll: &mut CollCall<'_>,
    ) -> Result<()> {
        let Place { n, me, root } = self.place;
        match tree {
            LeaderTree::Binomial => {
                self.run(image, peer, binomial_parts::scatter(n, me, root), coll)
            }
            LeaderTree::Linear => self.run(image, peer, linear::scatter(n, me, root), coll),
        }
    }

    fn run(
        &mut self,
        image: &Image,
        peer: impl Fn(usize) -> Rank,
        rounds: impl Iterator<Item = Round>,
        coll: &mut CollCall<'_>,
    ) -> Result<()> {
        let blocks = Blocks { start: self.bytes.as_mut_ptr(), offsets: &self.offsets };
        // SAFETY: the blocks cover `bytes`.
        unsafe { run(image, peer, rounds, blocks, None, coll) }
    }
}
