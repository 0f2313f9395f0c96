//! Gather: one image gets the parts of all.
//!
//! On one host the images use their collective area. Over several hosts all images take part in one schedule of
//! messages. Parts of the same length lie at their place on the root, or side by side on the images that pass them on.
//! Parts of different lengths go straight to the root, each with its length.

use crate::guard::with_live_set;
use crate::host::Host;
use crate::host::gather::{Gather, direct, exchange_lens, slots, staged};
use crate::leaders::alltoall::exchange_unknown;
use crate::leaders::{CollCall, run_placed};
use crate::part_buffers::GatherBuffers;
use crate::parts::{Lens, Parts, bytes_mut, mismatch};
use crate::plan::Participant;
use crate::schedules::{binomial_parts, linear};
use crate::select::{Choices, Forced, HostMove, LeaderTree, Shape};
use crate::signature::{Kind, Signature};
use crate::two_level::{rank_at, without_elements};
use std::ops::Range;
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{Image, Rank, Result};

/// Gathers the parts of all images on the one at position `root` with these algorithms.
pub fn gather_with(
    image: &Image,
    set: &ImageSet,
    root: usize,
    buffers: &GatherBuffers<'_>,
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        rank_at(set, root)?;
        let position = set.position().expect("a member of the set");
        if position == root {
            buffers.parts().check_number("gatherv", set.len())?;
        }
        if buffers.is_equal() && buffers.own_len() == 0 {
            return without_elements(image, set, &signature(buffers, root));
        }
        let (levels, forced) = (set.levels(image)?, choices.gather);
        let mut coll = CollCall::new(image, set).signed(signature(buffers, root))?;
        let lens = if levels.single_host() {
            among_local_peers(image, levels, root, buffers, forced, &mut coll)?
        } else {
            let who = Participant { n: set.len(), position };
            let peer = |position| set.rank_at(position).expect("a position of the set");
            by_messages(
                image,
                who,
                peer,
                Tree { root, forced: forced.leaders },
                buffers,
                &mut coll,
            )?
        };
        coll.outcome()?;
        if position == root { check(buffers.parts(), &lens, set.len()) } else { Ok(()) }
    })
}

/// Whether all images give the lengths that the root expects.
fn check(parts: &Parts<'_>, lens: &Lens, images: usize) -> Result<()> {
    match (0..images).find(|&i| lens.of(i) != parts.len(i)) {
        Some(i) => Err(mismatch("gatherv", i, lens.of(i), parts.len(i))),
        None => Ok(()),
    }
}

/// Gathers the parts of the local peers on the one at position `root`. Returns the lengths of the parts, as far as this
/// image knows them.
pub(crate) fn among_local_peers(
    image: &Image,
    levels: &Levels,
    root: usize,
    buffers: &GatherBuffers<'_>,
    forced: Forced<HostMove, LeaderTree>,
    coll: &mut CollCall<'_>,
) -> Result<Lens> {
    let local_peers = levels.local_peers();
    let who = Participant { n: local_peers.len(), position: levels.position() };
    let area = levels.area().filter(|_| forced.host != Some(HostMove::Messages));
    let Some(area) = area.filter(|_| who.n > 1) else {
        let tree = Tree { root, forced: forced.leaders };
        return by_messages(image, who, |i| local_peers[i], tree, buffers, coll);
    };
    let host = Host::of_call(image, area, signature(buffers, root));
    let len = buffers.own_len();
    let lens = if buffers.is_equal() { Lens::Equal(len) } else { exchange_lens(&host, len)? };
    let shape = Shape::new(image, lens.longest(), who.n);
    let choice = shape.gather(forced.host);
    let gather = Gather { buffers: *buffers, lens: &lens, root };
    if !(choice.direct && direct(&host, &gather)?) {
        match choice.otherwise {
            HostMove::Slots => slots(&host, &gather)?,
            _ => staged(&host, &gather, shape.pipelined_chunk())?,
        }
    }
    Ok(lens)
}

/// What the images of a gather give alike, which has this root.
fn signature(buffers: &GatherBuffers<'_>, root: usize) -> Signature {
    let call = if buffers.is_equal() {
        Signature::of(Kind::Gather, buffers.own_len(), 1)
    } else {
        Signature::of(Kind::Gatherv, 0, 1)
    };
    call.root(Some(root))
}

/// The tree of a gather between participants: the position of its root, and its forced shape.
#[derive(Clone, Copy)]
struct Tree {
    root: usize,
    forced: Option<LeaderTree>,
}

/// Gathers the parts of participants over channels. Returns the lengths of the parts, as far as this image knows them.
fn by_messages(
    image: &Image,
    who: Participant,
    peer: impl Fn(usize) -> Rank,
    tree: Tree,
    buffers: &GatherBuffers<'_>,
    coll: &mut CollCall<'_>,
) -> Result<Lens> {
    if buffers.is_equal() {
        along_tree(image, who, peer, tree, buffers, coll)?;
        return Ok(Lens::Equal(buffers.own_len()));
    }
    let (root, own) = (tree.root, buffers.own());
    let is_root = who.position == root;
    let out = |to| (to == root).then(|| (peer(to), own));
    // SAFETY: this is the only slice of the part of another participant.
    let into = |from| is_root.then(|| (peer(from), unsafe { buffers.place(from) }));
    let mut lens = vec![0; who.n];
    for given in exchange_unknown(image, who, out, into, coll)? {
        lens[given.from] = given.len;
    }
    if is_root {
        lens[root] = own.len();
        // SAFETY: this image is the root; its part is at its place or does not overlap it.
        unsafe { buffers.take(root, own.len(), 0, usize::MAX, buffers.mine()) };
    }
    Ok(Lens::Each(lens))
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
