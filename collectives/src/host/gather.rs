//! Gather between the members of a collective area, to one of them.
//!
//! | algorithm | place of the parts | barriers | for |
//! |---|---|---|---|
//! | [`slots`] | lines of the rings | none | few bytes |
//! | [`staged`] | staging buffers | one a chunk | all other parts |
//! | [`direct`] | segments, where they are | two | long parts in segments |
//!
//! All members know the lengths of all parts. Where lengths differ the members exchange them first ([`exchange_lens`]).

use super::Host;
use crate::part_buffers::GatherBuffers;
use crate::parts::Lens;
use xmp_core::BoxedResult;
use xmp_core::coll_area::{Direction, Flow, SLOT_DATA};

/// A gather on one member. Positions are those in the collective area.
#[derive(Clone, Copy, Debug)]
pub struct Gather<'a> {
    /// The part of this member, and room for all parts on the root.
    pub buffers: GatherBuffers<'a>,
    /// Bytes of the part of each member.
    pub lens: &'a Lens,
    /// Position of the root.
    pub root: usize,
}

impl Gather<'_> {
    /// Copies bytes `from..from + most` of the part of a member to their place on the root.
    ///
    /// # Safety
    /// This member is the root. `source` is valid for these bytes, and is their place or does not overlap it.
    unsafe fn take(&self, position: usize, from: usize, most: usize, source: *const u8) {
        // SAFETY: `source` has these bytes (contract above).
        unsafe { self.buffers.take(position, self.lens.of(position), from, most, source) };
    }
}

/// Exchanges the lengths of the parts: this member gives `len` bytes. Returns the lengths of all parts.
pub fn exchange_lens(host: &Host<'_>, len: usize) -> BoxedResult<Lens> {
    host.post_word(len as u64);
    host.barrier()?;
    Ok(Lens::Each((0..host.members()).map(|i| host.posted_word(i) as usize).collect()))
}

/// Gather through the rings. The other members do not wait for the root.
#[inline]
pub fn slots(host: &Host<'_>, gather: &Gather<'_>) -> BoxedResult<()> {
    let (me, own) = (host.me(), gather.lens.of(host.me()));
    for from in (0..gather.lens.longest()).step_by(SLOT_DATA) {
        let at = gather.buffers.mine().wrapping_add(from);
        let ring_exchange = host.ring_exchange()?;
        // SAFETY: a line has room for `SLOT_DATA` bytes, and the part of this member has those that are copied.
        unsafe {
            if me == gather.root {
                for i in host.others() {
                    ring_exchange.consume(i)?;
                }
                if let Err(differs) = host.compare_lines(&ring_exchange, 0..host.members()) {
                    ring_exchange.done(Flow::new(Direction::ToRoot, gather.root));
                    return Err(differs);
                }
                gather.take(me, from, SLOT_DATA, at);
                for i in host.others() {
                    gather.take(i, from, SLOT_DATA, ring_exchange.consumed(i));
                }
            } else {
                let len = SLOT_DATA.min(own.saturating_sub(from));
                let line = ring_exchange.line()?;
                std::ptr::copy_nonoverlapping(at, line, len);
                host.produce(&ring_exchange);
            }
        }
        ring_exchange.done(Flow::new(Direction::ToRoot, gather.root));
    }
    Ok(())
}

/// Gather through the staging buffers, in chunks of `chunk` bytes, at most [`xmp_core::coll_area::STAGING`]: the others
/// stage a chunk while the root copies the one before.
pub fn staged(host: &Host<'_>, gather: &Gather<'_>, chunk: usize) -> BoxedResult<()> {
    let (me, own, longest) = (host.me(), gather.lens.of(host.me()), gather.lens.longest());
    let room = chunk.min(longest);
    for from in (0..longest).step_by(chunk) {
        let at = gather.buffers.mine().wrapping_add(from);
        // SAFETY: a chunk fits in `room` bytes of staging, and the part of this member has those that are copied.
        // Staging buffers of the last epoch are not written before the next barrier.
        unsafe {
            if me == gather.root {
                gather.take(me, from, chunk, at);
                host.barrier()?;
                for i in host.others() {
                    gather.take(i, from, chunk, host.area.staging_of(i, room));
                }
            } else {
                let len = chunk.min(own.saturating_sub(from));
                host.area.stage(host.area.staging(room), at, len);
                host.barrier()?;
            }
        }
    }
    Ok(())
}

/// Gather straight from the segments of the members. The first barrier publishes the addresses and says that the data
/// is ready; after the second one the members may change it. `Ok(false)`, on all members, when a part of another member
/// than the root is not in a segment; nothing has been written then.
pub fn direct(host: &Host<'_>, gather: &Gather<'_>) -> BoxedResult<bool> {
    let (me, root) = (host.me(), gather.root);
    host.post_address(gather.buffers.mine());
    host.barrier()?;
    let others = || (0..host.members()).filter(|&i| i != root && gather.lens.of(i) > 0);
    if others().any(|i| host.posted_word(i) == 0) {
        return Ok(false);
    }
    if me == root {
        // SAFETY: each part is valid and unchanged until the second barrier. Segments are mapped at the same address on
        // all images of the host.
        unsafe {
            gather.take(me, 0, usize::MAX, gather.buffers.mine());
            for i in others() {
                gather.take(i, 0, usize::MAX, host.posted_address(i));
            }
        }
    }
    host.barrier()?;
    Ok(true)
}
