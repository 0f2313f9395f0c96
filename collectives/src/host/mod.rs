//! Algorithms between the images of a set that share a collective area. Each algorithm is a sequence of barriers and
//! ring exchanges of the area (`xmp-core/shm/src/coll_area/README.md`). Where one returns an error, a member has ended.

pub mod allgather;
pub mod alltoall;
pub mod broadcast;
pub mod gather;
pub mod grouped;
pub mod reduce;
mod row;
pub mod scan;
pub mod scatter;
mod single_copy;

use crate::flows;
use crate::signature::{RingCall, Signature};
use row::Row;
use smallvec::SmallVec;
use std::cell::Cell;
use xmp_core::coll_area::{CollArea, RingExchange, SLOT_DATA};
use xmp_core::{BoxedResult, Image};

/// Whether parts of at most `longest` bytes for all members fit in a slot.
pub fn parts_fit_in_slot(longest: usize, members: usize) -> bool {
    longest * members <= SLOT_DATA
}

/// The positions of all members but `me`, from the next one on.
#[inline]
fn from_next(me: usize, members: usize) -> impl Iterator<Item = usize> {
    (me + 1..members).chain(0..me)
}

/// Addresses of the operands of all members.
pub type Sources = SmallVec<[*const u8; 32]>;

/// This image, and the collective area that it shares with its local peers, in one operation.
///
/// The members compare the signatures of the operation with the first barrier or with each line that they consume, before they
/// write what they get.
#[derive(Debug)]
pub struct Host<'a> {
    /// This image.
    pub image: &'a Image,
    /// The collective area.
    pub area: &'a CollArea,
    signature: Option<Signature>,
    /// Whether the members have compared the signature at a barrier.
    is_compared: Cell<bool>,
}

impl<'a> Host<'a> {
    /// For an operation whose members do not compare what they call.
    pub fn new(image: &'a Image, area: &'a CollArea) -> Host<'a> {
        Host { image, area, signature: None, is_compared: Cell::new(true) }
    }

    /// For an operation with this signature.
    #[inline]
    pub fn of_call(image: &'a Image, area: &'a CollArea, signature: Signature) -> Host<'a> {
        Host { image, area, signature: Some(signature), is_compared: Cell::new(false) }
    }

    /// Number of members.
    #[inline(always)]
    pub fn members(&self) -> usize {
        self.area.len()
    }

    /// Position of this image among the members.
    #[inline(always)]
    pub fn me(&self) -> usize {
        self.area.position()
    }

    /// The positions of all members but this image, in ascending order.
    #[inline(always)]
    pub fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let me = self.me();
        (0..self.members()).filter(move |&member| member != me)
    }

    /// The positions of all members but this image, from the next one on. So not all members read, or write, the memory of one member
    /// at the same time.
    #[inline]
    pub fn others_from_next(&self) -> impl Iterator<Item = usize> + use<> {
        from_next(self.me(), self.members())
    }

    /// Returns when all members have called it: a barrier of the collective area, with which an epoch ends.
    ///
    /// # Errors
    /// When a member has ended before it called it. At the first barrier of an operation: when the members do not call the
    /// same.
    #[inline]
    pub fn barrier(&self) -> BoxedResult<()> {
        if self.is_compared.replace(true) {
            return flows::barrier(self.image, self.area);
        }
        self.first_barrier()
    }

    /// The first barrier of an operation.
    fn first_barrier(&self) -> BoxedResult<()> {
        match &self.signature {
            Some(signature) => signature.barrier(self.image, self.area),
            None => flows::barrier(self.image, self.area),
        }
    }

    /// Publishes this member's line of a ring exchange, with what it calls.
    #[inline]
    pub fn produce(&self, exchange: &RingExchange<'_>) {
        exchange.produce(RingCall::of(self.signature.as_ref()).number());
    }

    /// Compares what this member calls with what the other ones among `members` do, whose lines it has consumed.
    ///
    /// # Errors
    /// When one differs.
    #[inline]
    pub fn compare_lines(
        &self,
        exchange: &RingExchange<'_>,
        members: std::ops::Range<usize>,
    ) -> BoxedResult<()> {
        let call = RingCall::of(self.signature.as_ref());
        call.compare(self.image, self.area, exchange, members)
    }

    /// Executes `body`, in which the members access memory of one another ([`CollArea::access_epoch`]).
    ///
    /// # Errors
    /// Those of `body`.
    pub fn access_epoch<T>(&self, body: impl FnOnce() -> BoxedResult<T>) -> BoxedResult<T> {
        self.area.access_epoch(self.image, body)
    }

    /// Begins a ring exchange.
    ///
    /// # Errors
    /// When a member has ended before it completed its part.
    #[inline]
    pub fn ring_exchange(&self) -> BoxedResult<RingExchange<'_>> {
        RingExchange::begin(self.area, self.image)
    }

    /// Writes a word to this member's slot, for the members to read after the next barrier.
    #[inline]
    pub fn post_word(&self, word: u64) {
        // SAFETY: this member's slot of the current epoch: 8-aligned, long enough, and not read before the barrier.
        unsafe { self.area.slot().cast::<u64>().write(word) }
    }

    /// The word that a member posted before the last barrier.
    #[inline]
    pub fn posted_word(&self, member: usize) -> u64 {
        // SAFETY: slots of the last epoch are not written before the next barrier.
        unsafe { self.area.slot_of(member).cast::<u64>().read() }
    }

    /// Writes two words to this member's slot, for the members to read after the next barrier.
    #[inline]
    pub fn post_words(&self, words: [u64; 2]) {
        // SAFETY: this member's slot of the current epoch: 8-aligned, long enough, and not read before the barrier.
        unsafe { self.area.slot().cast::<[u64; 2]>().write(words) }
    }

    /// The two words that a member posted before the last barrier.
    #[inline]
    pub fn posted_words(&self, member: usize) -> [u64; 2] {
        // SAFETY: slots of the last epoch are not written before the next barrier.
        unsafe { self.area.slot_of(member).cast::<[u64; 2]>().read() }
    }

    /// Posts the address of a buffer if the other members can access it there, else 0. Returns what it posts.
    pub fn post_address(&self, buffer: *const u8) -> u64 {
        let address = self.shared_address(buffer);
        self.post_word(address);
        address
    }

    /// The address that a member posted before the last barrier, or null.
    pub fn posted_address(&self, member: usize) -> *const u8 {
        std::ptr::with_exposed_provenance(self.posted_word(member) as usize)
    }

    /// Writes `len` words to this member's staging buffer, for the members to read after the next barrier.
    pub fn stage_words(&self, len: usize, word: impl Fn(usize) -> u64) {
        let table = self.area.staging(len * size_of::<u64>()).cast::<u64>();
        for at in 0..len {
            // SAFETY: this member's staging buffer of the current epoch, which has this length and is 64-aligned.
            unsafe { table.add(at).write(word(at)) };
        }
    }

    /// Word number `at` of the `len` words that a member staged before the last barrier.
    pub fn staged_word(&self, member: usize, len: usize, at: usize) -> u64 {
        assert!(at < len, "a word that was staged");
        let table = self.area.staging_of(member, len * size_of::<u64>()).cast::<u64>();
        // SAFETY: within the buffer; staging buffers of the last epoch are not written before the next barrier.
        unsafe { table.add(at).read() }
    }

    /// The order of rows.
    #[inline]
    pub fn row(&self) -> Row<'_> {
        Row::of(self.area.hierarchy())
    }

    /// Writes a row of words, one for each member, to this member's staging buffer, for the members to read after the next
    /// barrier.
    pub fn stage_row(&self, word: impl Fn(usize) -> u64) {
        let (row, members) = (self.row(), self.members());
        let table = self.area.staging(members * size_of::<u64>()).cast::<u64>();
        for member in 0..members {
            // SAFETY: this member's staging buffer of the current epoch, which has this length and is 64-aligned; places are below
            // the number of members.
            unsafe { table.add(row.place(member)).write(word(member)) };
        }
    }

    /// The word for this member in the row that a member staged before the last barrier.
    pub fn staged_for_me(&self, member: usize) -> u64 {
        self.staged_word(member, self.members(), self.row().place(self.me()))
    }

    /// The address of a buffer if the other members can access it there, else 0.
    pub fn shared_address(&self, buffer: *const u8) -> u64 {
        match self.image.locate(buffer) {
            Some(_) => buffer as u64,
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_that_go_from_the_next_one_on_are_never_at_the_same_one() {
        for members in 1..20 {
            let orders: Vec<Vec<usize>> =
                (0..members).map(|me| from_next(me, members).collect()).collect();
            for step in 0..members - 1 {
                let mut visited: Vec<usize> = orders.iter().map(|order| order[step]).collect();
                visited.sort_unstable();
                assert!(visited.into_iter().eq(0..members), "{members} members, step {step}");
            }
            assert!(orders.iter().enumerate().all(|(me, order)| !order.contains(&me)));
        }
    }
}
