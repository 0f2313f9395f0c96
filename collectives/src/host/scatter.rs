//! Scatter between the members of a collective area, from one of them.
//!
//! | algorithm | place of the parts | barriers | for |
//! |---|---|---|---|
//! | [`slots`] | a line of the root's ring | none | few bytes |
//! | [`staged`] | staging buffers of the root | one a chunk | all other parts |
//! | [`direct`] | the root's segment, where they are | two | long parts in a segment |
//!
//! All members know the lengths of all parts. Where lengths differ the root sends them first ([`exchange_lens`]).

use super::Host;
use crate::part_buffers::ScatterBuffers;
use crate::parts::Lens;
use xmp_core::BoxedResult;
use xmp_core::coll_area::{Direction, Flow};

/// A scatter on one member. Positions are those in the collective area.
#[derive(Clone, Copy, Debug)]
pub struct Scatter<'a> {
    /// All parts on the root, and room for the part of this member.
    pub buffers: ScatterBuffers<'a>,
    /// Bytes of the part of each member.
    pub lens: &'a Lens,
    /// Position of the root.
    pub root: usize,
}

impl Scatter<'_> {
    /// Copies bytes `from..from + most` of the part of this member, which is at position `me`, to their place.
    ///
    /// # Safety
    /// `source` is valid for these bytes, and is their place or does not overlap it.
    unsafe fn take(&self, me: usize, from: usize, most: usize, source: *const u8) {
        // SAFETY: `source` has these bytes (contract above).
        unsafe { self.buffers.take(self.lens.of(me), from, most, source) };
    }
}

/// Sends the lengths of the parts from the root to all members, which return them.
pub fn exchange_lens(
    host: &Host<'_>,
    root: usize,
    buffers: &ScatterBuffers<'_>,
) -> BoxedResult<Lens> {
    let members = host.members();
    if host.me() == root {
        host.stage_words(members, |i| buffers.parts().len(i) as u64);
    }
    host.barrier()?;
    let lens = (0..members).map(|i| host.staged_word(root, members, i) as usize).collect();
    Ok(Lens::Each(lens))
}

/// Scatter through one line of the root's ring, in which all parts fit. The root does not wait for the others.
#[inline]
pub fn slots(host: &Host<'_>, scatter: &Scatter<'_>) -> BoxedResult<()> {
    let (me, root, longest) = (host.me(), scatter.root, scatter.lens.longest());
    assert!(super::parts_fit_in_slot(longest, host.members()), "parts that fit in a line");
    let ring_exchange = host.ring_exchange()?;
    // SAFETY: a part of `longest` bytes for each member fits in a line; the root has all parts.
    unsafe {
        if me == root {
            let line = ring_exchange.line()?;
            for i in host.others() {
                let (part, at) = (scatter.buffers.part(i), line.add(i * longest));
                std::ptr::copy_nonoverlapping(part, at, scatter.lens.of(i));
            }
            host.produce(&ring_exchange);
            scatter.buffers.take_own(root);
        } else {
            let line = ring_exchange.consume(root)?;
            if let Err(differs) = host.compare_lines(&ring_exchange, root..root + 1) {
                ring_exchange.done(Flow::new(Direction::FromRoot, root));
                return Err(differs);
            }
            scatter.take(me, 0, longest, line.add(me * longest));
        }
    }
    ring_exchange.done(Flow::new(Direction::FromRoot, root));
    Ok(())
}

/// Scatter through the root's staging buffers, in chunks of `chunk` bytes of all parts together, at most
/// [`xmp_core::coll_area::STAGING`]: the root stages a chunk while the others copy the one before.
pub fn staged(host: &Host<'_>, scatter: &Scatter<'_>, chunk: usize) -> BoxedResult<()> {
    let (me, root, longest) = (host.me(), scatter.root, scatter.lens.longest());
    let share = (chunk / host.members()).min(longest).max(1);
    let (room, row) = (share * host.members(), host.row());
    if me == root {
        // SAFETY: this member is the root.
        unsafe { scatter.buffers.take_own(root) };
    }
    for from in (0..longest).step_by(share) {
        // SAFETY: a share for each member fits in `room` bytes of staging; the root has all parts. Staging buffers of
        // the last epoch are not written before the next barrier.
        unsafe {
            if me == root {
                let staging = host.area.staging(room);
                for i in host.others() {
                    let len = share.min(scatter.lens.of(i).saturating_sub(from));
                    let part = scatter.buffers.part(i).wrapping_add(from);
                    host.area.stage(staging.add(row.place(i) * share), part, len);
                }
                host.barrier()?;
            } else {
                host.barrier()?;
                let staging = host.area.staging_of(root, room);
                scatter.take(me, from, share, staging.add(row.place(me) * share));
            }
        }
    }
    Ok(())
}

/// Scatter straight from the root's segment. The first barrier publishes the addresses of the parts and says that the
/// data is ready; after the second one the root may change it. `Ok(false)`, on all members, when the root's buffer is
/// not in a segment; nothing has been written then.
pub fn direct(host: &Host<'_>, scatter: &Scatter<'_>) -> BoxedResult<bool> {
    let (me, root, buffers) = (host.me(), scatter.root, &scatter.buffers);
    // Only the root knows where each part is. The first word says whether the others can read there.
    let words = 1 + host.members();
    if me == root {
        let shared = host.shared_address(buffers.all());
        host.stage_words(words, |at| match at {
            0 => shared,
            _ => buffers.part(at - 1).expose_provenance() as u64,
        });
    }
    host.barrier()?;
    if host.staged_word(root, words, 0) == 0 {
        return Ok(false);
    }
    let address = host.staged_word(root, words, 1 + me) as usize;
    // SAFETY: each part is valid and unchanged until the second barrier. Segments are mapped at the same address on all
    // images of the host.
    unsafe { scatter.take(me, 0, usize::MAX, std::ptr::with_exposed_provenance(address)) };
    host.barrier()?;
    Ok(true)
}
