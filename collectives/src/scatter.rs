//! Scatter: each image gets its part of what one image has.
//!
//! On one host the images use their collective area. Over several hosts all images take part in one schedule of
//! messages, as in a gather ([`mod@crate::gather`]).

use crate::guard::with_live_set;
use crate::host::Host;
use crate::host::scatter::{Scatter, direct, exchange_lens, slots, staged};
use crate::leaders::alltoall::exchange_unknown;
use crate::leaders::{CollCall, run_placed};
use crate::part_buffers::ScatterBuffers;
use crate::parts::{Lens, bytes, mismatch};
use crate::plan::Participant;
use crate::schedules::{binomial_parts, linear};
use crate::select::{Choices, Forced, HostMove, LeaderTree, Shape};
use crate::signature::{Kind, Signature};
use crate::two_level::{rank_at, without_elements};
use std::ops::Range;
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{Image, Rank, Result};

/// Scatters the parts of the image at position `root` with these algorithms.
pub fn scatter_with(
    image: &Image,
    set: &ImageSet,
    root: usize,
    buffers: &ScatterBuffers<'_>,
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        rank_at(set, root)?;
        let position = set.position().expect("a member of the set");
        if position == root {
            buffers.parts().check_number("scatterv", set.len())?;
        }
        if buffers.is_equal() && buffers.own_len() == 0 {
            return without_elements(image, set, &signature(buffers, root));
        }
        let (levels, forced) = (set.levels(image)?, choices.scatter);
        let mut coll = CollCall::new(image, set).signed(signature(buffers, root))?;
        let given = if levels.single_host() {
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
        if given == buffers.own_len() {
            return Ok(());
        }
        Err(mismatch("scatterv", root, given, buffers.own_len()))
    })
}

/// Scatters the parts of the local peer at position `root` to all of them. Returns the length of this image's part, of
/// which as much was copied as there is room for.
pub(crate) fn among_local_peers(
    image: &Image,
    levels: &Levels,
    root: usize,
    buffers: &ScatterBuffers<'_>,
    forced: Forced<HostMove, LeaderTree>,
    coll: &mut CollCall<'_>,
) -> Result<usize> {
    let local_peers = levels.local_peers();
    let who = Participant { n: local_peers.len(), position: levels.position() };
    let area = levels.area().filter(|_| forced.host != Some(HostMove::Messages));
    let Some(area) = area.filter(|_| who.n > 1) else {
        let tree = Tree { root, forced: forced.leaders };
        return by_messages(image, who, |i| local_peers[i], tree, buffers, coll);
    };
    let host = Host::of_call(image, area, signature(buffers, root));
    let lens = if buffers.is_equal() {
        Lens::Equal(buffers.own_len())
    } else {
        exchange_lens(&host, root, buffers)?
    };
    let shape = Shape::new(image, lens.longest(), who.n);
    let choice = shape.scatter(forced.host);
    let scatter = Scatter { buffers: *buffers, lens: &lens, root };
    if !(choice.direct && direct(&host, &scatter)?) {
        match choice.otherwise {
            HostMove::Slots => slots(&host, &scatter)?,
            _ => staged(&host, &scatter, shape.pipelined_chunk())?,
        }
    }
    Ok(lens.of(who.position))
}

/// What the images of a scatter give alike, which has this root.
fn signature(buffers: &ScatterBuffers<'_>, root: usize) -> Signature {
    let call = if buffers.is_equal() {
        Signature::of(Kind::Scatter, buffers.own_len(), 1)
    } else {
        Signature::of(Kind::Scatterv, 0, 1)
    };
    call.root(Some(root))
}

/// The tree of a scatter between participants: the position of its root, and its forced shape.
#[derive(Clone, Copy)]
struct Tree {
    root: usize,
    forced: Option<LeaderTree>,
}

/// Scatters parts between participants over channels. Returns the length of this image's part, of which as much was
/// copied as there is room for.
fn by_messages(
    image: &Image,
    who: Participant,
    peer: impl Fn(usize) -> Rank,
    tree: Tree,
    buffers: &ScatterBuffers<'_>,
    coll: &mut CollCall<'_>,
) -> Result<usize> {
    if buffers.is_equal() {
        along_tree(image, who, peer, tree, buffers, coll)?;
        return Ok(buffers.own_len());
    }
    let root = tree.root;
    let is_root = who.position == root;
    // SAFETY: the root has all parts.
    let part = |to| unsafe { bytes(buffers.part(to), buffers.parts().len(to)) };
    let out = |to| is_root.then(|| (peer(to), part(to)));
    // SAFETY: this is the only slice of this image's part.
    let into = |from| (from == root).then(|| (peer(from), unsafe { buffers.place() }));
    let given = exchange_unknown(image, who, out, into, coll)?;
    if is_root {
        // SAFETY: this image is the root.
        unsafe { buffers.take_own(root) };
        return Ok(buffers.parts().len(root));
    }
    Ok(given.first().map_or(0, |given| given.len))
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
