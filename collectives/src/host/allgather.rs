//! Allgather between the members of a collective area.
//!
//! | algorithm | place of the contributions | barriers | for |
//! |---|---|---|---|
//! | [`slots`] | slots | one for 56 bytes | few bytes |
//! | [`staged`] | staging buffers | one a chunk | all other contributions |
//! | [`direct`] | segments, where they are | two | long contributions in segments |
//! | [`super::grouped`] | staging buffers, or segments, where they are | one a chunk, and one a level | long contributions of members in groups |

use super::Host;
use crate::copy;
use xmp_core::BoxedResult;
use xmp_core::coll_area::SLOT_DATA;

/// The contribution of one image to an allgather, and room for all contributions.
#[derive(Debug)]
pub struct Contribution<'a> {
    /// The contribution of this image.
    pub mine: &'a [u8],
    /// Room for the contributions of all images.
    pub all: &'a mut [u8],
    /// The place of each contribution in `all`.
    pub offsets: Offsets<'a>,
}

/// The places of contributions.
#[derive(Clone, Copy, Debug)]
pub enum Offsets<'a> {
    /// All contributions have this length, at least one byte, and follow one another.
    Equal(usize),
    /// Contribution i is at `offsets[i]..offsets[i + 1]`.
    Table(&'a [usize]),
}

impl Offsets<'_> {
    /// Offset of a contribution.
    #[inline(always)]
    pub fn of(&self, position: usize) -> usize {
        match self {
            Offsets::Equal(len) => len * position,
            Offsets::Table(offsets) => offsets[position],
        }
    }

    /// Length of a contribution.
    #[inline(always)]
    pub fn len(&self, position: usize) -> usize {
        self.of(position + 1) - self.of(position)
    }

    /// Length of the longest of `members` contributions.
    pub fn longest(&self, members: usize) -> usize {
        match self {
            Offsets::Equal(len) => *len,
            Offsets::Table(_) => (0..members).map(|i| self.len(i)).max().unwrap_or(0),
        }
    }
}

impl Contribution<'_> {
    /// Copies the whole contribution of an image to its place.
    pub fn put(&mut self, position: usize, contribution: &[u8]) {
        self.place(position, 0, usize::MAX).copy_from_slice(contribution);
    }

    /// The place of bytes `from..from + most` of the contribution of an image, as far as it has them.
    fn place(&mut self, position: usize, from: usize, most: usize) -> &mut [u8] {
        let (at, len) = (self.offsets.of(position), self.offsets.len(position));
        let from = from.min(len);
        &mut self.all[at + from..at + from + most.min(len - from)]
    }

    /// Bytes `from..from + most` of the contribution of this image, as far as it has them.
    pub(super) fn own(&self, from: usize, most: usize) -> &[u8] {
        let from = from.min(self.mine.len());
        &self.mine[from..from + most.min(self.mine.len() - from)]
    }

    /// Copies bytes `from..from + most` of the contribution of an image from `source`.
    ///
    /// # Safety
    /// `source` is valid for these bytes, which do not overlap their place.
    #[inline]
    pub(super) unsafe fn take(
        &mut self,
        position: usize,
        from: usize,
        most: usize,
        source: *const u8,
    ) {
        let place = self.place(position, from, most);
        // SAFETY: `source` has as many bytes as the place (contract above).
        unsafe { copy::take(place.as_mut_ptr(), source, place.len()) };
    }
}

/// Allgather through the slots.
#[inline]
pub fn slots(host: &Host<'_>, contribution: &mut Contribution<'_>) -> BoxedResult<()> {
    for from in (0..contribution.offsets.longest(host.members())).step_by(SLOT_DATA) {
        let own = contribution.own(from, SLOT_DATA);
        // SAFETY: the slot of the current epoch has room for `SLOT_DATA` bytes. Slots of the last epoch are not written
        // before the next barrier.
        unsafe {
            std::ptr::copy_nonoverlapping(own.as_ptr(), host.area.slot(), own.len());
            host.barrier()?;
            for i in 0..host.members() {
                contribution.take(i, from, SLOT_DATA, host.area.slot_of(i));
            }
        }
    }
    Ok(())
}

/// Allgather through the staging buffers, in chunks of `chunk` bytes, at most [`xmp_core::coll_area::STAGING`].
pub fn staged(
    host: &Host<'_>,
    contribution: &mut Contribution<'_>,
    chunk: usize,
) -> BoxedResult<()> {
    let longest = contribution.offsets.longest(host.members());
    let room = chunk.min(longest);
    for from in (0..longest).step_by(chunk) {
        let (own, len) = {
            let own = contribution.own(from, chunk);
            (own.as_ptr(), own.len())
        };
        // SAFETY: a chunk fits in `room` bytes of staging. Staging buffers of the last epoch are not written before the
        // next barrier.
        unsafe {
            host.area.stage(host.area.staging(room), own, len);
            contribution.take(host.me(), from, chunk, own);
            host.barrier()?;
            for i in host.others_from_next() {
                contribution.take(i, from, chunk, host.area.staging_of(i, room));
            }
        }
    }
    Ok(())
}

/// Allgather straight from the segments of the members. The first barrier publishes the addresses and says that the
/// data is ready; after the second one the members may change it. `Ok(false)`, on all members, when a contribution is
/// not in a segment; nothing has been written then.
pub fn direct(host: &Host<'_>, contribution: &mut Contribution<'_>) -> BoxedResult<bool> {
    host.post_address(contribution.mine.as_ptr());
    host.barrier()?;
    if (0..host.members()).any(|i| host.posted_word(i) == 0) {
        return Ok(false);
    }
    for i in host.others_from_next().chain([host.me()]) {
        // SAFETY: each contribution is valid and unchanged until the second barrier. Segments are mapped at the same
        // address on all images of the host.
        unsafe { contribution.take(i, 0, usize::MAX, host.posted_address(i)) };
    }
    host.barrier()?;
    Ok(true)
}
