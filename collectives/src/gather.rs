//! Gather: one image gets the parts of all. `rooted.rs` has the course that it has in common with a scatter.

use crate::host::Host;
use crate::host::gather::{Gather, direct, exchange_lens, slots, staged};
use crate::leaders::alltoall::exchange_unknown;
use crate::leaders::{CollCall, run_placed};
use crate::part_buffers::GatherBuffers;
use crate::parts::{Lens, Parts, bytes_mut, mismatch};
use crate::plan::Participant;
use crate::rooted::{Rooted, Tree, execute};
use crate::schedules::{binomial_parts, linear};
use crate::select::{Choices, Forced, HostMove, LeaderTree, Shape};
use crate::signature::Kind;
use std::ops::Range;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Rank, Result};

/// Gathers the parts of all images on the one at position `root` with these algorithms.
pub fn gather_with(
    image: &Image,
    set: &ImageSet,
    root: usize,
    buffers: &GatherBuffers<'_>,
    choices: &Choices,
) -> Result<()> {
    execute(image, set, root, buffers, choices)
}

impl Rooted for GatherBuffers<'_> {
    const KINDS: [Kind; 2] = [Kind::Gather, Kind::Gatherv];
    const NAME: &'static str = "gatherv";
    /// The root knows those of all images.
    type Lengths = Lens;

    fn has_equal_parts(&self) -> bool {
        self.is_equal()
    }

    fn own_bytes(&self) -> usize {
        self.own_len()
    }

    fn places(&self) -> &Parts<'_> {
        self.parts()
    }

    fn forced(choices: &Choices) -> Forced<HostMove, LeaderTree> {
        choices.gather
    }

    fn move_on_host(&self, host: &Host<'_>, root: usize, forced: Option<HostMove>) -> Result<Lens> {
        let len = self.own_len();
        let lens = if self.is_equal() { Lens::Equal(len) } else { exchange_lens(host, len)? };
        let shape = Shape::new(host.image, lens.longest(), host.members());
        let choice = shape.gather(forced);
        let gather = Gather { buffers: *self, lens: &lens, root };
        if !(choice.direct && direct(host, &gather)?) {
            match choice.otherwise {
                HostMove::Slots => slots(host, &gather)?,
                _ => staged(host, &gather, shape.pipelined_chunk())?,
            }
        }
        Ok(lens)
    }

    fn move_by_messages(
        &self,
        image: &Image,
        who: Participant,
        peer: impl Fn(usize) -> Rank,
        tree: Tree,
        coll: &mut CollCall<'_>,
    ) -> Result<Lens> {
        if self.is_equal() {
            along_tree(image, who, peer, tree, self, coll)?;
            return Ok(Lens::Equal(self.own_len()));
        }
        let (root, own) = (tree.root, self.own());
        let is_root = who.position == root;
        let out = |to| (to == root).then(|| (peer(to), own));
        // SAFETY: this is the only slice of the part of another participant.
        let into = |from| is_root.then(|| (peer(from), unsafe { self.place(from) }));
        let mut lens = vec![0; who.n];
        for given in exchange_unknown(image, who, out, into, coll)? {
            lens[given.from] = given.len;
        }
        if is_root {
            lens[root] = own.len();
            // SAFETY: this image is the root; its part is at its place or does not overlap it.
            unsafe { self.take(root, own.len(), 0, usize::MAX, self.mine()) };
        }
        Ok(Lens::Each(lens))
    }

    fn compare(&self, root: usize, position: usize, images: usize, lens: &Lens) -> Result<()> {
        // Only the root has places for all parts.
        let expected = self.parts();
        let mut positions = 0..if position == root { images } else { 0 };
        match positions.find(|&i| lens.of(i) != expected.len(i)) {
            Some(i) => Err(mismatch("gatherv", i, lens.of(i), expected.len(i))),
            None => Ok(()),
        }
    }
}

/// Gathers parts of the same length: blocks that are numbered from the own one on, around.
fn along_tree(
    image: &Image,
    who: Participant,
    peer: impl Fn(usize) -> Rank,
    Tree { root, forced }: Tree,
    buffers: &GatherBuffers<'_>,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let (Participant { n, position }, len) = (who, buffers.own_len());
    let is_root = position == root;
    let tree = LeaderTree::choose(forced, &Lens::Equal(len));
    let held = tree.held(who, root);
    let mut passed_on = Vec::new();
    // The place of the root's block 0. In a binomial tree it is the first, until all blocks are rotated at the end.
    let first = if is_root && tree == LeaderTree::Linear { root } else { 0 };
    let start = match held {
        _ if is_root => buffers.all(),
        1 => buffers.mine().cast_mut(),
        _ => {
            passed_on.resize(held * len, 0);
            passed_on.as_mut_ptr()
        }
    };
    let place = |blocks: &Range<usize>| {
        let at = (blocks.start + first) % held;
        (start.wrapping_add(at * len), blocks.len() * len)
    };
    // SAFETY: the root has room for all blocks, and `passed_on` for those of a subtree. The part of an image without a
    // subtree is only sent.
    unsafe {
        if is_root || held > 1 {
            std::ptr::copy(buffers.mine(), start.wrapping_add(first * len), len);
        }
        match tree {
            LeaderTree::Binomial => {
                let rounds = binomial_parts::gather(n, position, root);
                run_placed(image, peer, rounds, place, coll)?;
                if is_root {
                    bytes_mut(buffers.all(), n * len).rotate_right(root * len);
                }
                Ok(())
            }
            LeaderTree::Linear => {
                let rounds = linear::gather(n, position, root);
                run_placed(image, peer, rounds, place, coll)
            }
        }
    }
}
