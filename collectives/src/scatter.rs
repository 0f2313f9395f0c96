//! Scatter: each image gets its part of what one image has.
//!
//! On one host the images use its shared area. Over several hosts each image takes part in one schedule of messages, as
//! in a gather ([`mod@crate::gather`]).

use crate::guard::with_live_set;
use crate::host::Host;
use crate::host::scatter::{Scatter, Source, direct, slots, staged, tell_lens};
use crate::leaders::alltoall::unknown;
use crate::leaders::{CollCall, run_placed};
use crate::parts::{Lens, Parts, bytes, bytes_mut, mismatch};
use crate::plan::Participant;
use crate::schedules::{binomial_parts, linear};
use crate::select::{Choices, Forced, HostScatter, LeaderTree, Shape};
use crate::two_level::rank_at;
use std::ops::Range;
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{Image, Rank, Result};

/// A scatter as one image of the set sees it.
#[derive(Clone, Copy, Debug)]
pub struct Scattering<'a> {
    /// What the root gives.
    pub all: *const u8,
    /// Which part of that is whose; looked at on the root only.
    pub parts: Parts<'a>,
    /// Where this image wants its part.
    pub mine: *mut u8,
    /// Bytes of that.
    pub len: usize,
    /// Whether all images know that all get the same number of bytes; then the parts are [`Parts::Equal`].
    pub equal: bool,
}

/// As [`crate::raw::scatter`] or [`crate::raw::scatterv`], with these algorithms.
///
/// # Errors
/// Those of these functions.
///
/// # Safety
/// As these functions.
pub unsafe fn scatter_with(
    image: &Image,
    set: &ImageSet,
    root: usize,
    scatter: &Scattering<'_>,
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        rank_at(set, root)?;
        let position = set.position().expect("a member of the set");
        if position == root {
            scatter.parts.check_number("scatterv", set.len())?;
        }
        if scatter.equal && scatter.len == 0 {
            return Ok(());
        }
        let (levels, forced) = (set.levels(image)?, choices.scatter);
        let mut coll = CollCall::new(image, set);
        // SAFETY: the scatter is valid (contract above).
        let given = unsafe {
            if levels.single_host() {
                among_local_peers(image, levels, root, scatter, forced, &mut coll)?
            } else {
                let who = Participant { n: set.len(), position };
                let peer = |position| set.rank_at(position).expect("a position of the set");
                scatter.by_messages(image, who, peer, root, forced.leaders, &mut coll)?
            }
        };
        coll.outcome()?;
        if given == scatter.len {
            return Ok(());
        }
        Err(mismatch("scatterv", root, given, scatter.len))
    })
}

/// The scatter between the images of this host, from the local peer number `from`. Returns the length of this image's
/// part, of which as much was copied as has room.
///
/// # Errors
/// When a member of the collective area has ended. (Without the collective area that goes to `coll`.)
///
/// # Safety
/// The scatter is valid, with a part for each local peer.
pub(crate) unsafe fn among_local_peers(
    image: &Image,
    levels: &Levels,
    from: usize,
    scatter: &Scattering<'_>,
    forced: Forced<HostScatter, LeaderTree>,
    coll: &mut CollCall<'_>,
) -> Result<usize> {
    let local_peers = levels.local_peers();
    let who = Participant { n: local_peers.len(), position: levels.position() };
    let area = levels.area().filter(|_| forced.host != Some(HostScatter::Messages));
    let Some(area) = area.filter(|_| who.n > 1) else {
        // SAFETY: the scatter is valid (contract above).
        return unsafe {
            scatter.by_messages(image, who, |i| local_peers[i], from, forced.leaders, coll)
        };
    };
    let host = Host { image, area };
    let source = (who.position == from).then_some(scatter.source());
    let lens = if scatter.equal {
        Lens::Equal(scatter.len)
    } else {
        tell_lens(&host, from, source.as_ref())?
    };
    let shape = Shape::new(image, lens.longest(), who.n);
    let choice = shape.scatter(forced.host);
    let Scattering { mine, len: room, .. } = *scatter;
    let of_host = Scatter { mine, room, lens: &lens, root: from, source };
    // SAFETY: as above; of a part only what has room is copied.
    unsafe {
        if !(choice.direct && direct::run(&host, &of_host)?) {
            match choice.otherwise {
                HostScatter::Slots => slots::run(&host, &of_host)?,
                _ => staged::run(&host, &of_host, shape.pipelined_chunk())?,
            }
        }
    }
    Ok(lens.of(who.position))
}

impl<'a> Scattering<'a> {
    fn source(&self) -> Source<'a> {
        Source { all: self.all, parts: self.parts }
    }

    /// The scatter between participants over channels. Returns the length of this image's part, of which as much was
    /// copied as has room.
    ///
    /// # Errors
    /// When the job is ending or the transport fails.
    ///
    /// # Safety
    /// The scatter is valid, with a part for each participant.
    unsafe fn by_messages(
        &self,
        image: &Image,
        who: Participant,
        peer: impl Fn(usize) -> Rank,
        root: usize,
        forced: Option<LeaderTree>,
        coll: &mut CollCall<'_>,
    ) -> Result<usize> {
        if self.equal {
            // SAFETY: the scatter is valid (contract above).
            unsafe { self.along_tree(image, who, peer, root, forced, coll)? };
            return Ok(self.len);
        }
        let is_root = who.position == root;
        let out = |to| {
            is_root.then(|| {
                // SAFETY: as above.
                (peer(to), unsafe { bytes(self.source().part(to), self.parts.len(to)) })
            })
        };
        let into = |from| {
            // SAFETY: as above.
            (from == root).then(|| (peer(from), unsafe { bytes_mut(self.mine, self.len) }))
        };
        let given = unknown(image, who, out, into, coll)?;
        if is_root {
            // SAFETY: as above.
            unsafe { self.keep(root) };
            return Ok(self.parts.len(root));
        }
        Ok(given.first().map_or(0, |&(_, len)| len))
    }

    /// The root copies its own part, as far as it has room.
    ///
    /// # Safety
    /// The scatter is valid.
    unsafe fn keep(&self, root: usize) {
        let len = self.parts.len(root).min(self.len);
        if len > 0 {
            // SAFETY: both have `len` bytes (contract above). They may be the same.
            unsafe { std::ptr::copy(self.source().part(root), self.mine, len) };
        }
    }

    /// As [`Scattering::by_messages`], of parts of one length: blocks numbered from the own one on, around.
    ///
    /// # Safety
    /// The scatter is valid.
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
        // Where the root's block 0 lies.
        let mut first = 0;
        let start = if is_root && (root == 0 || tree == LeaderTree::Linear) {
            first = root;
            self.all.cast_mut()
        } else if is_root {
            // SAFETY: the root has all blocks (contract above).
            let (before, from_root) = unsafe { bytes(self.all, n * len) }.split_at(root * len);
            passed_on = [from_root, before].concat();
            passed_on.as_mut_ptr()
        } else if held == 1 {
            self.mine
        } else {
            passed_on.resize(held * len, 0);
            passed_on.as_mut_ptr()
        };
        let place = |blocks: &Range<usize>| {
            let at = (blocks.start + first) % held;
            (start.wrapping_add(at * len), blocks.len() * len)
        };
        // SAFETY: the blocks are `passed_on`, the own part, or what the root has, which it only sends.
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
                self.keep(root);
            } else if held > 1 {
                std::ptr::copy_nonoverlapping(start, self.mine, len);
            }
        }
        Ok(())
    }
}
