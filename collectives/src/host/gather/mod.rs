//! Gathers between the members of a collective area, to one of them. One algorithm a file.
//!
//! | algorithm | parts lie | steps | for |
//! |---|---|---|---|
//! | [`slots`] | in the step's cache line | one for 56 bytes | few bytes |
//! | [`staged`] | in staging | one a chunk | everything else |
//! | [`direct`] | where they are: all are in segments | two | large |
//!
//! All members know what all give; where lengths differ they tell one another first ([`tell_lens`]).

pub mod direct;
pub mod slots;
pub mod staged;

use super::Host;
use super::copy;
use crate::parts::{Lens, Parts};
use xmp_core::Result;

/// A gather as one member sees it. Positions are those on the collective area.
#[derive(Clone, Copy, Debug)]
pub struct Gather<'a> {
    /// What this member gives.
    pub mine: *const u8,
    /// What all give, in bytes.
    pub lens: &'a Lens,
    /// Where the root wants it; the others want nothing.
    pub target: Option<Target<'a>>,
}

/// Where the root of a gather wants the parts.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The buffer.
    pub all: *mut u8,
    /// Where each part goes. Of a part that is longer than its place the rest is dropped.
    pub parts: Parts<'a>,
}

impl Target<'_> {
    /// Copies the bytes from `from` on, at most `most`, of the part of `position`, which has `len` bytes.
    ///
    /// # Safety
    /// `source` is valid for them, and is the target or does not overlap it.
    unsafe fn take(
        &self,
        position: usize,
        len: usize,
        from: usize,
        most: usize,
        source: *const u8,
    ) {
        let len = len.min(self.parts.len(position));
        let at = self.all.wrapping_add(self.parts.offset(position) + from);
        if from < len && at.cast_const() != source {
            // SAFETY: in bounds.
            unsafe { copy::take(at, source, most.min(len - from)) };
        }
    }

    /// Copies a whole part.
    ///
    /// # Safety
    /// The target is valid.
    pub unsafe fn put(&self, position: usize, part: &[u8]) {
        // SAFETY: the target is valid (contract above).
        unsafe { self.take(position, part.len(), 0, part.len(), part.as_ptr()) };
    }
}

/// Says how many bytes this member gives, and returns what all give.
///
/// # Errors
/// When a member has ended.
pub fn tell_lens(host: &Host<'_>, len: usize) -> Result<Lens> {
    host.say(len as u64);
    host.barrier()?;
    Ok(Lens::Each((0..host.members()).map(|i| host.said(i) as usize).collect()))
}
