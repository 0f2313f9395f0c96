//! Scatter: each image gets its part of what one image has. `rooted.rs` has the course that it has in common with a gather.

use crate::host::Host;
use crate::host::scatter::{Scatter, direct, exchange_lens, slots, staged};
use crate::leaders::alltoall::exchange_unknown;
use crate::leaders::{CollCall, run_placed};
use crate::part_buffers::ScatterBuffers;
use crate::parts::{Lens, Parts, bytes, mismatch};
use crate::plan::Participant;
use crate::rooted::{Rooted, Tree, execute};
use crate::schedules::{binomial_parts, linear};
use crate::select::{Choices, Forced, HostMove, LeaderTree, Shape};
use crate::signature::Kind;
use std::ops::Range;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Rank, Result};

/// Scatters the parts of the image at position `root` with these algorithms.
pub fn scatter_with(
    image: &Image,
    set: &ImageSet,
    root: usize,
    buffers: &ScatterBuffers<'_>,
    choices: &Choices,
) -> Result<()> {
    execute(image, set, root, buffers, choices)
}

impl Rooted for ScatterBuffers<'_> {
    const KINDS: [Kind; 2] = [Kind::Scatter, Kind::Scatterv];
    const NAME: &'static str = "scatterv";
    /// The length of this image's part, of which as much was copied as there is room for.
    type Lengths = usize;

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
        choices.scatter
    }

    fn move_on_host(
        &self,
        host: &Host<'_>,
        root: usize,
        forced: Option<HostMove>,
    ) -> Result<usize> {
        let len = self.own_len();
        let lens =
            if self.is_equal() { Lens::Equal(len) } else { exchange_lens(host, root, self)? };
        let shape = Shape::new(host.image, lens.longest(), host.members());
        let choice = shape.scatter(forced);
        let scatter = Scatter { buffers: *self, lens: &lens, root };
        if !(choice.direct && direct(host, &scatter)?) {
            match choice.otherwise {
                HostMove::Slots => slots(host, &scatter)?,
                _ => staged(host, &scatter, shape.pipelined_chunk())?,
            }
        }
        Ok(lens.of(host.me()))
    }

    fn move_by_messages(
        &self,
        image: &Image,
        who: Participant,
        peer: impl Fn(usize) -> Rank,
        tree: Tree,
        coll: &mut CollCall<'_>,
    ) -> Result<usize> {
        if self.is_equal() {
            along_tree(image, who, peer, tree, self, coll)?;
            return Ok(self.own_len());
        }
        let root = tree.root;
        let is_root = who.position == root;
        // SAFETY: the root has all parts.
        let part = |to| unsafe { bytes(self.part(to), self.parts().len(to)) };
        let out = |to| is_root.then(|| (peer(to), part(to)));
        // SAFETY: this is the only slice of this image's part.
        let into = |from| (from == root).then(|| (peer(from), unsafe { self.place() }));
        let given = exchange_unknown(image, who, out, into, coll)?;
        if is_root {
            // SAFETY: this image is the root.
            unsafe { self.take_own(root) };
            return Ok(self.parts().len(root));
        }
        Ok(given.first().map_or(0, |given| given.len))
    }

    fn compare(&self, root: usize, _position: usize, _images: usize, len: &usize) -> Result<()> {
        if *len == self.own_len() {
            return Ok(());
        }
        Err(mismatch("scatterv", root, *len, self.own_len()))
    }
}

/// Scatters parts of the same length: blocks that are numbered from the own one on, around.
fn along_tree(
    image: &Image,
    who: Participant,
    peer: impl Fn(usize) -> Rank,
    Tree { root, forced }: Tree,
    buffers: &ScatterBuffers<'_>,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let (Participant { n, position }, len) = (who, buffers.own_len());
    let is_root = position == root;
    let tree = LeaderTree::choose(forced, &Lens::Equal(len));
    let held = tree.held(who, root);
    let mut passed_on = Vec::new();
    // The place of the root's block 0.
    let mut first = 0;
    let start = if is_root && (root == 0 || tree == LeaderTree::Linear) {
        first = root;
        buffers.all().cast_mut()
    } else if is_root {
        // SAFETY: the root has all blocks.
        let (before, from_root) = unsafe { bytes(buffers.all(), n * len) }.split_at(root * len);
        passed_on = [from_root, before].concat();
        passed_on.as_mut_ptr()
    } else if held == 1 {
        buffers.mine()
    } else {
        passed_on.resize(held * len, 0);
        passed_on.as_mut_ptr()
    };
    let place = |blocks: &Range<usize>| {
        let at = (blocks.start + first) % held;
        (start.wrapping_add(at * len), blocks.len() * len)
    };
    // SAFETY: the blocks are in `passed_on`, or they are the own part, or those of the root, which are only sent.
    unsafe {
        match tree {
            LeaderTree::Binomial => {
                let rounds = binomial_parts::scatter(n, position, root);
                run_placed(image, peer, rounds, place, coll)?;
            }
            LeaderTree::Linear => {
                let rounds = linear::scatter(n, position, root);
                run_placed(image, peer, rounds, place, coll)?;
            }
        }
        if is_root {
            buffers.take_own(root);
        } else if held > 1 {
            std::ptr::copy_nonoverlapping(start, buffers.mine(), len);
        }
    }
    Ok(())
}
