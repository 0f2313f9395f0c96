//! Gather: one image gets the parts of all.
//!
//! On one host the images use its shared area. Over several hosts each image takes part in one schedule of messages,
//! whatever its host: parts of one length lie where they belong or are passed on side by side, and are packed by no
//! one. Parts of different lengths go straight to the root, each with its length.

use crate::guard::with_live_set;
use crate::host::Host;
use crate::host::gather::{Gather, Target, direct, slots, staged, tell_lens};
use crate::leaders::alltoall::unknown;
use crate::leaders::{CollCall, run_placed};
use crate::parts::{Lens, Parts, bytes, bytes_mut, mismatch};
use crate::plan::Participant;
use crate::schedules::{binomial_parts, linear};
use crate::select::{Choices, Forced, HostGather, LeaderTree, Shape};
use crate::two_level::rank_at;
use std::ops::Range;
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{Image, Rank, Result};

/// A gather as one image of the set sees it.
#[derive(Clone, Copy, Debug)]
pub struct Gathering<'a> {
    /// What this image gives.
    pub mine: *const u8,
    /// Bytes of that.
    pub len: usize,
    /// Where the root wants all parts.
    pub all: *mut u8,
    /// Where each goes there; looked at on the root only.
    pub parts: Parts<'a>,
    /// Whether all images know that all give the same number of bytes; then the parts are [`Parts::Equal`].
    pub equal: bool,
}

/// As [`crate::raw::gather`] or [`crate::raw::gatherv`], with these algorithms.
///
/// # Errors
/// Those of these functions.
///
/// # Safety
/// As these functions.
pub unsafe fn gather_with(
    image: &Image,
    set: &ImageSet,
    root: usize,
    gather: &Gathering<'_>,
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        rank_at(set, root)?;
        let position = set.position().expect("a member of the set");
        if position == root {
            gather.parts.check_number("gatherv", set.len())?;
        }
        if gather.equal && gather.len == 0 {
            return Ok(());
        }
        let (levels, forced) = (set.levels(image)?, choices.gather);
        let mut coll = CollCall::new(image, set);
        // SAFETY: the gather is valid (contract above).
        let lens = unsafe {
            if levels.single_host() {
                among_local_peers(image, levels, root, gather, forced, &mut coll)?
            } else {
                let who = Participant { n: set.len(), position };
                let peer = |position| set.rank_at(position).expect("a position of the set");
                gather.by_messages(image, who, peer, root, forced.leaders, &mut coll)?
            }
        };
        coll.outcome()?;
        if position == root { check(&gather.parts, &lens, set.len()) } else { Ok(()) }
    })
}

/// Whether all images give what the root expects.
fn check(parts: &Parts<'_>, lens: &Lens, images: usize) -> Result<()> {
    match (0..images).find(|&i| lens.of(i) != parts.len(i)) {
        Some(i) => Err(mismatch("gatherv", i, lens.of(i), parts.len(i))),
        None => Ok(()),
    }
}

/// The gather between the images of this host, to the local peer number `to`; what each of them gives, as far as this
/// image knows it.
///
/// # Errors
/// When a member of the collective area has ended. (Without the collective area that goes to `coll`.)
///
/// # Safety
/// The gather is valid, with a part for each local peer.
pub(crate) unsafe fn among_local_peers(
    image: &Image,
    levels: &Levels,
    to: usize,
    gather: &Gathering<'_>,
    forced: Forced<HostGather, LeaderTree>,
    coll: &mut CollCall<'_>,
) -> Result<Lens> {
    let local_peers = levels.local_peers();
    let who = Participant { n: local_peers.len(), position: levels.position() };
    let area = levels.area().filter(|_| forced.host != Some(HostGather::Messages));
    let Some(area) = area.filter(|_| who.n > 1) else {
        // SAFETY: the gather is valid (contract above).
        return unsafe {
            gather.by_messages(image, who, |i| local_peers[i], to, forced.leaders, coll)
        };
    };
    let host = Host { image, area };
    let lens = if gather.equal { Lens::Equal(gather.len) } else { tell_lens(&host, gather.len)? };
    let shape = Shape::new(image, lens.longest(), who.n);
    let choice = shape.gather(forced.host);
    let target = (who.position == to).then_some(gather.target());
    let of_host = Gather { mine: gather.mine, lens: &lens, target };
    // SAFETY: as above; of a part only what has room is copied.
    unsafe {
        if !(choice.direct && direct::run(&host, &of_host, to)?) {
            match choice.otherwise {
                HostGather::Slots => slots::run(&host, &of_host)?,
                _ => staged::run(&host, &of_host, shape.pipelined_chunk())?,
            }
        }
    }
    Ok(lens)
}

impl<'a> Gathering<'a> {
    fn target(&self) -> Target<'a> {
        Target { all: self.all, parts: self.parts }
    }

    /// The gather between participants over channels; what each of them gives, as far as this image knows it.
    ///
    /// # Errors
    /// When the job is ending or the transport fails.
    ///
    /// # Safety
    /// The gather is valid, with a part for each participant.
    unsafe fn by_messages(
        &self,
        image: &Image,
        who: Participant,
        peer: impl Fn(usize) -> Rank,
        root: usize,
        forced: Option<LeaderTree>,
        coll: &mut CollCall<'_>,
    ) -> Result<Lens> {
        if self.equal {
            // SAFETY: the gather is valid (contract above).
            unsafe { self.along_tree(image, who, peer, root, forced, coll)? };
            return Ok(Lens::Equal(self.len));
        }
        let is_root = who.position == root;
        // SAFETY: as above.
        let mine = unsafe { bytes(self.mine, self.len) };
        let out = |to| (to == root).then(|| (peer(to), mine));
        let into = |from| {
            is_root.then(|| {
                let start = self.all.wrapping_add(self.parts.offset(from));
                // SAFETY: as above; one such part at a time.
                (peer(from), unsafe { bytes_mut(start, self.parts.len(from)) })
            })
        };
        let mut lens = vec![0; who.n];
        for (from, len) in unknown(image, who, out, into, coll)? {
            lens[from] = len;
        }
        if is_root {
            lens[root] = self.len;
            // SAFETY: as above.
            unsafe { self.target().put(root, mine) };
        }
        Ok(Lens::Each(lens))
    }

    /// As [`Gathering::by_messages`], of parts of one length: blocks numbered from the own one on, around.
    ///
    /// # Safety
    /// The gather is valid.
    unsafe fn along_tree(
        &self,
        image: &Image,
        who: Participant,
        peer: impl Fn(usize) -> Rank,
        root: usize,
        forced: Option<LeaderTree>,
        coll: &mut CollCall<'_>,
    ) -> Result<()> {
        let (Participant { n, position }, len) = (who, self.len);
        let is_root = position == root;
        let tree = LeaderTree::choose(forced, &Lens::Equal(len));
        let held = tree.held(who, root);
        let mut passed_on = Vec::new();
        // Where the root's block 0 lies: in a tree first, until all blocks are turned around at the end.
        let first = if is_root && tree == LeaderTree::Linear { root } else { 0 };
        let start = match held {
            _ if is_root => self.all,
            1 => self.mine.cast_mut(),
            _ => {
                passed_on.resize(held * len, 0);
                passed_on.as_mut_ptr()
            }
        };
        let place = |blocks: &Range<usize>| {
            let at = (blocks.start + first) % held;
            (start.wrapping_add(at * len), blocks.len() * len)
        };
        // SAFETY: the gather is valid (contract above): the root has room for all blocks; what an image without others
        // behind it has is sent only.
        unsafe {
            if is_root || held > 1 {
                std::ptr::copy(self.mine, start.wrapping_add(first * len), len);
            }
            match tree {
                LeaderTree::Binomial => {
                    let rounds = binomial_parts::gather(n, position, root);
                    run_placed(image, peer, rounds, place, coll)?;
                    if is_root {
                        bytes_mut(self.all, n * len).rotate_right(root * len);
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
}
