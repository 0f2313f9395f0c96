//! Deliveries: some members give a line of data, others take it, and nobody waits for more than what it takes; the
//! protocol and its orderings are argued in `README.md`.
//!
//! [`Parcel`] is written over the shared structures only, so that loom can model it.

use super::layout::{RING, Release, Ring, Slot};
use super::{Board, ring};
use crate::error::Result;
use crate::failure;
use crate::image::Image;
use crate::sync::{AtomicU64, Ordering, store_then_fence};
use crate::wait::Waits;

/// Whoever gives looks how far the others are when it comes to the other half of its ring. So both have half a ring to do
/// without a look at the other.
const HALF: u64 = RING as u64 / 2;

/// One member's part in a delivery, which all members of the board begin, in the order of all their deliveries and steps.
/// Each may give once and take from any that give; then it is done.
#[derive(Debug)]
pub struct Delivery<'a> {
    board: &'a Board,
    image: &'a Image,
    number: u64,
}

impl<'a> Delivery<'a> {
    /// The next delivery of the board.
    ///
    /// # Errors
    /// When a member has ended, or left, before it was done with this one.
    #[inline]
    pub fn begin(board: &'a Board, image: &'a Image) -> Result<Delivery<'a>> {
        image.threads().only_one()?;
        let delivery = Delivery { board, image, number: board.deliveries.get() + 1 };
        // As before a step: who cannot do its part is an error for everybody who has not done theirs.
        if !failure::all_running(image.job()) {
            delivery.watch()?;
        }
        Ok(delivery)
    }

    /// What this member gives: [`super::SLOT_DATA`] bytes, 8-aligned, to be written before [`Delivery::give`]. Waits for those
    /// who have not taken what was there.
    ///
    /// # Errors
    /// When a member has ended that has not.
    #[inline]
    pub fn line(&self) -> Result<*mut u8> {
        if self.number > self.board.room.get() {
            self.board.room.set(self.parcel(|| self.watch()).make_room()?);
        }
        Ok(self.data_of(self.board.me))
    }

    /// Lets the others have it.
    #[inline]
    pub fn give(&self) {
        self.parcel(|| Ok(())).give();
    }

    /// What a member gives; it stays there until this delivery is done.
    ///
    /// # Errors
    /// When a member has ended before it was done with this delivery.
    #[inline]
    pub fn take(&self, position: usize) -> Result<*const u8> {
        self.parcel(|| self.watch()).wait_for(position)?;
        Ok(self.data_of(position))
    }

    /// This member has done its part.
    #[inline]
    pub fn done(self) {
        self.parcel(|| Ok(())).done();
        self.board.deliveries.set(self.number);
    }

    fn parcel<W: Fn() -> Result<()>>(
        &self,
        watch: W,
    ) -> Parcel<'_, impl Fn() -> Waits<'a>, W, impl Fn()> {
        let (board, image) = (self.board, self.image);
        Parcel {
            rings: board.rings(),
            gate: &board.nodes()[0].release,
            me: board.me,
            number: self.number,
            waits: || image.waits(),
            watch,
            ring: || ring(image, board.ranks()),
        }
    }

    /// Whether all members are done with this delivery or still can be.
    #[cold]
    fn watch(&self) -> Result<()> {
        let rings = self.board.rings();
        self.board.check(self.image, |at| rings[at].done.load(Ordering::Acquire) >= self.number)
    }

    #[inline(always)]
    fn data_of(&self, position: usize) -> *mut u8 {
        debug_assert!(position < self.board.len());
        let first = self.board.first_ring();
        // SAFETY: in bounds of the board; only an address is computed.
        unsafe { (&raw mut (*first.add(position)).lines[place(self.number)].data).cast::<u8>() }
    }
}

/// Which line of a ring a delivery has.
#[inline(always)]
fn place(number: u64) -> usize {
    number as usize % RING
}

/// A delivery as one member sees it.
struct Parcel<'a, P, W, R> {
    rings: &'a [Ring],
    /// Where members sleep.
    gate: &'a Release,
    me: usize,
    /// Number of the delivery, from 1.
    number: u64,
    /// How to wait, asked when there is something to wait for.
    waits: P,
    /// Whether the wait can still end.
    watch: W,
    /// Rings all that sleep.
    ring: R,
}

impl<'a, P: Fn() -> Waits<'a>, W: Fn() -> Result<()>, R: Fn()> Parcel<'a, P, W, R> {
    /// Waits until there is room for this delivery, and returns up to which one there is: for all of this half of the
    /// ring, because everybody is done with those that had it before.
    #[cold]
    fn make_room(&self) -> Result<u64> {
        let half = (self.number - 1) / HALF;
        let before = half.saturating_sub(1) * HALF;
        // Acquire: whoever is done has read what is overwritten now.
        self.rings
            .iter()
            .try_for_each(|ring| self.wait(|| ring.done.load(Ordering::Acquire) >= before))?;
        Ok((half + 1) * HALF)
    }

    #[inline]
    fn give(&self) {
        // Release: what is given.
        self.publish(&self.slot(self.me).step);
    }

    #[inline]
    fn wait_for(&self, position: usize) -> Result<()> {
        // Equality: no later one has this line before this member is done. Acquire: what is given.
        let number = &self.slot(position).step;
        self.wait(|| number.load(Ordering::Acquire) == self.number)
    }

    #[inline]
    fn done(&self) {
        let done = &*self.rings[self.me].done;
        // Release, both: what was taken has been read. Who waits for room waits for the end of a half.
        match self.number.is_multiple_of(HALF) {
            true => self.publish(done),
            false => done.store(self.number, Ordering::Release),
        }
    }

    #[inline(always)]
    fn slot(&self, position: usize) -> &Slot {
        &self.rings[position].lines[place(self.number)]
    }

    /// Stores the number for all members to see and wakes who sleeps; the notifier's side of the gate protocol
    /// (`wait/README.md`).
    #[inline]
    fn publish(&self, word: &AtomicU64) {
        store_then_fence(word, self.number);
        if self.gate.sleepers.load(Ordering::Relaxed) != 0 {
            (self.ring)();
        }
    }

    #[inline]
    fn wait(&self, mut ready: impl FnMut() -> bool) -> Result<()> {
        if ready() {
            return Ok(());
        }
        (self.waits)().until_gate(&self.gate.sleepers, &self.watch, ready)
    }
}

#[cfg(all(test, loom))]
mod model;
