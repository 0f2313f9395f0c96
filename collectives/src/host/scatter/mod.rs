//! Scatters between the members of a collective area, from one of them. One algorithm a file.
//!
//! | algorithm | parts lie | steps | for |
//! |---|---|---|---|
//! | [`slots`] | in the root's cache line of the step | one | few bytes |
//! | [`staged`] | in the root's staging | one a chunk | everything else |
//! | [`direct`] | where they are: the root's buffer is in a segment | two | large |
//!
//! All members know what all get; where lengths differ the root says so first ([`tell_lens`]).

pub mod direct;
pub mod slots;
pub mod staged;

use super::Host;
use super::copy;
use crate::parts::{Lens, Parts};
use xmp_core::Result;

/// A scatter as one member sees it. Positions are those on the collective area.
#[derive(Clone, Copy, Debug)]
pub struct Scatter<'a> {
    /// Where this member wants its part.
    pub mine: *mut u8,
    /// Most bytes that it wants; the rest of its part is dropped.
    pub room: usize,
    /// What all get, in bytes.
    pub lens: &'a Lens,
    /// Position of the root.
    pub root: usize,
    /// What the root gives; the others give nothing.
    pub source: Option<Source<'a>>,
}

/// The parts that the root of a scatter gives.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The buffer.
    pub all: *const u8,
    /// Where each part lies.
    pub parts: Parts<'a>,
}

impl Source<'_> {
    /// First byte of the part of a position.
    pub fn part(&self, position: usize) -> *const u8 {
        self.all.wrapping_add(self.parts.offset(position))
    }
}

impl Scatter<'_> {
    /// Copies the bytes from `from` on, at most `most`, of the part of `me`.
    ///
    /// # Safety
    /// `source` is valid for them, and is where they go or does not overlap that.
    unsafe fn take(&self, me: usize, from: usize, most: usize, source: *const u8) {
        let len = self.lens.of(me).min(self.room);
        let at = self.mine.wrapping_add(from);
        if from < len && at.cast_const() != source {
            // SAFETY: in bounds.
            unsafe { copy::take(at, source, most.min(len - from)) };
        }
    }

    /// The root's copying of its own part.
    ///
    /// # Safety
    /// The scatter is valid.
    unsafe fn take_own(&self, source: &Source<'_>) {
        // SAFETY: source and destination are valid (contract above).
        unsafe { self.take(self.root, 0, usize::MAX, source.part(self.root)) };
    }
}

/// The root says how many bytes each member gets; all return that.
///
/// # Errors
/// When a member has ended.
pub fn tell_lens(host: &Host<'_>, root: usize, source: Option<&Source<'_>>) -> Result<Lens> {
    let members = host.members();
    let room = members * size_of::<u64>();
    if let Some(source) = source {
        let table = host.area.staging(room).cast::<u64>();
        for i in 0..members {
            // SAFETY: own staging of the coming step, of this length, 64-aligned.
            unsafe { table.add(i).write(source.parts.len(i) as u64) };
        }
    }
    host.barrier()?;
    let table = host.area.staging_of(root, room).cast::<u64>();
    // SAFETY: written before the last step, not written again before the next.
    let lens = (0..members).map(|i| unsafe { table.add(i).read() } as usize).collect();
    Ok(Lens::Each(lens))
}
