//! Alltoalls between the members of a collective area. One algorithm a file.
//!
//! | algorithm | parts lie | steps | for |
//! |---|---|---|---|
//! | [`slots`] | in the step's cache line | one | few bytes |
//! | [`staged`] | in staging | one a chunk | everything else |
//! | [`direct`] | where they are: all are in segments | two | large |
//!
//! All members know the longest part, and each what it gets; where lengths differ they tell one another first
//! ([`tell_lens`]).

pub mod direct;
pub mod slots;
pub mod staged;

use super::Host;
use super::copy;
use crate::leaders::alltoall::Exchange;
use crate::parts::Lens;
use xmp_core::Result;

/// An alltoall as one member sees it. Positions are those on the collective area.
#[derive(Clone, Copy, Debug)]
pub struct Alltoall<'a> {
    /// What it gives, and where it wants what it gets.
    pub parts: Exchange<'a>,
    /// What it gets from each, in bytes.
    pub given: &'a Lens,
    /// The longest part of all.
    pub longest: usize,
}

impl Alltoall<'_> {
    /// First byte of what this member has for another.
    fn part(&self, to: usize) -> *const u8 {
        self.parts.send.wrapping_add(self.parts.send_parts.offset(to))
    }

    /// Copies the bytes from `from` on, at most `most`, of what `giver` has for this member.
    ///
    /// # Safety
    /// `source` is valid for them, and does not overlap where they go.
    unsafe fn take(&self, giver: usize, from: usize, most: usize, source: *const u8) {
        let place = &self.parts.receive_parts;
        let len = self.given.of(giver).min(place.len(giver));
        if from < len {
            let at = self.parts.receive.wrapping_add(place.offset(giver) + from);
            // SAFETY: in bounds.
            unsafe { copy::take(at, source, most.min(len - from)) };
        }
    }
}

/// All say how many bytes they have for each member. Returns what each has for this one, and the longest part of all.
///
/// # Errors
/// When a member has ended.
pub fn tell_lens(host: &Host<'_>, parts: &Exchange<'_>) -> Result<(Lens, usize)> {
    let members = host.members();
    let room = members * size_of::<u64>();
    host.say(parts.send_parts.longest(members) as u64);
    let table = host.area.staging(room).cast::<u64>();
    for i in 0..members {
        // SAFETY: own staging of the coming step, of this length, 64-aligned.
        unsafe { table.add(i).write(parts.send_parts.len(i) as u64) };
    }
    host.barrier()?;
    let told = |i| {
        let table = host.area.staging_of(i, room).cast::<u64>();
        // SAFETY: written before the last step, not written again before the next.
        unsafe { table.add(host.me()).read() as usize }
    };
    let longest = (0..members).map(|i| host.said(i)).max().expect("a member") as usize;
    Ok((Lens::Each((0..members).map(told).collect()), longest))
}
