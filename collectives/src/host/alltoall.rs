//! Alltoall between the members of a collective area.
//!
//! | algorithm | place of the parts | barriers | for |
//! |---|---|---|---|
//! | [`slots`] | slots | one | few bytes |
//! | [`staged`] | staging buffers | one a chunk | all other parts |
//! | [`direct`] | segments, where they are | two | long parts in segments |
//!
//! Parts are staged in rows, in the order of groups of members that are near to one another (`row.rs`).
//!
//! All members know the length of the longest part, and each member the lengths of the parts that it gets. Where
//! lengths differ the members exchange them first ([`exchange_lens`]).

use super::Host;
use crate::part_buffers::AlltoallBuffers;
use crate::parts::Lens;
use xmp_core::BoxedResult;

/// An alltoall on one member. Positions are those in the collective area.
#[derive(Clone, Copy, Debug)]
pub struct Alltoall<'a> {
    /// The parts to send, and room for the parts to receive.
    pub buffers: AlltoallBuffers<'a>,
    /// Bytes of the part that each member has for this one.
    pub given: &'a Lens,
    /// Bytes of the longest part of all members.
    pub longest: usize,
}

impl Alltoall<'_> {
    /// Copies bytes `from..from + most` of the part of `giver` to their place.
    ///
    /// # Safety
    /// `source` is valid for these bytes, and does not overlap their place.
    unsafe fn take(&self, giver: usize, from: usize, most: usize, source: *const u8) {
        // SAFETY: `source` has these bytes (contract above).
        unsafe { self.buffers.take(giver, self.given.of(giver), from, most, source) };
    }
}

/// Exchanges the lengths of the parts. Returns what each member has for this one, and the length of the longest part.
pub fn exchange_lens(host: &Host<'_>, buffers: &AlltoallBuffers<'_>) -> BoxedResult<(Lens, usize)> {
    let (members, parts) = (host.members(), buffers.send_parts());
    host.post_word(parts.longest(members) as u64);
    host.stage_row(|i| parts.len(i) as u64);
    host.barrier()?;
    let given = |i| host.staged_for_me(i) as usize;
    let longest = (0..members).map(|i| host.posted_word(i)).max().expect("a member") as usize;
    Ok((Lens::Each((0..members).map(given).collect()), longest))
}

/// Alltoall through the slots, in which all parts of a member fit.
#[inline]
pub fn slots(host: &Host<'_>, alltoall: &Alltoall<'_>) -> BoxedResult<()> {
    let longest = alltoall.longest;
    assert!(super::parts_fit_in_slot(longest, host.members()), "parts that fit in a slot");
    // SAFETY: a part of `longest` bytes for each member fits in a slot. Slots of the last epoch are not written before
    // the next barrier.
    unsafe {
        for i in 0..host.members() {
            let part = alltoall.buffers.out(i);
            let at = host.area.slot().add(i * longest);
            std::ptr::copy_nonoverlapping(part.as_ptr(), at, part.len());
        }
        host.barrier()?;
        for i in 0..host.members() {
            alltoall.take(i, 0, longest, host.area.slot_of(i).add(host.me() * longest));
        }
    }
    Ok(())
}

/// Alltoall through the staging buffers, in chunks of `chunk` bytes of all parts of a member together, at most
/// [`xmp_core::coll_area::STAGING`].
pub fn staged(host: &Host<'_>, alltoall: &Alltoall<'_>, chunk: usize) -> BoxedResult<()> {
    let (members, me, buffers) = (host.members(), host.me(), &alltoall.buffers);
    let row = host.row();
    let share = (chunk / members).min(alltoall.longest).max(1);
    let room = share * members;
    // SAFETY: the part of this image for itself does not overlap its place.
    unsafe { alltoall.take(me, 0, usize::MAX, buffers.part(me)) };
    for from in (0..alltoall.longest).step_by(share) {
        // SAFETY: a share for each member fits in `room` bytes of staging. Staging buffers of the last epoch are not
        // written before the next barrier.
        unsafe {
            let staging = host.area.staging(room);
            for i in host.others() {
                let len = share.min(buffers.send_parts().len(i).saturating_sub(from));
                let part = buffers.part(i).wrapping_add(from);
                host.area.stage(staging.add(row.place(i) * share), part, len);
            }
            host.barrier()?;
            for i in host.others_from_next() {
                let staging = host.area.staging_of(i, room);
                alltoall.take(i, from, share, staging.add(row.place(me) * share));
            }
        }
    }
    Ok(())
}

/// Alltoall straight from the segments of the members. The first barrier publishes the addresses and says that the data
/// is ready; after the second one the members may change it. `Ok(false)`, on all members, when parts are not in a
/// segment; nothing has been written then.
pub fn direct(host: &Host<'_>, alltoall: &Alltoall<'_>) -> BoxedResult<bool> {
    let (members, me, buffers) = (host.members(), host.me(), &alltoall.buffers);
    let is_empty = buffers.send_parts().longest(members) == 0;
    host.post_word(u64::from(is_empty || host.shared_address(buffers.send()) != 0));
    // Only the member that gives a part knows where it is.
    host.stage_row(|i| buffers.part(i).expose_provenance() as u64);
    host.barrier()?;
    if (0..members).any(|i| host.posted_word(i) == 0) {
        return Ok(false);
    }
    // Each member begins with its own part, so that not all read the same lines at once.
    for i in (0..members).map(|k| (me + k) % members) {
        let address = host.staged_for_me(i) as usize;
        // SAFETY: each part is valid and unchanged until the second barrier. Segments are mapped at the same address on
        // all images of the host.
        unsafe { alltoall.take(i, 0, usize::MAX, std::ptr::with_exposed_provenance(address)) };
    }
    host.barrier()?;
    Ok(true)
}
