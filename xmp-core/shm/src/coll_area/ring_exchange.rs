//! Ring exchanges: producers write a cache line each, and consumers wait for no more than the lines that they read.
//! The protocol and its orderings are proved in `README.md`.
//!
//! [`MemberExchange`] is written over the shared structures only, so that loom can model it.

use super::flow::GIVEN_UP;
use super::layout::{
    MAX_PIECE, PiecePlace, RING, Release, Ring, Slot, announcement, announces, call_of,
};
use super::{CollArea, Flow, ring};
use crate::endpoint::Endpoint;
use crate::error::{BoxedResult, Error, Result};
use crate::failure;
use crate::sync::{AtomicU64, Ordering, prefetch_for_write, store_then_fence};
use crate::wait::{Describe, Need, WaitKind, Waits};

/// A producer reads the counts of the others when it enters the other half of its ring. So both sides have half a ring
/// before they must synchronise.
const HALF: u64 = RING as u64 / 2;

/// After this many exchanges a member looks for lines that it has not written for long.
const FORGET: u64 = 1 << 30;

/// How many exchanges ahead a producer asks for the line that it writes. (Measured, a producer and a consumer on two cores:
/// 71 ns an exchange without, 68 ns with 1, 57 ns with 2.)
const AHEAD: u64 = 2;

/// Bytes of a cache line.
const LINE: usize = 64;

/// The longest piece for whose lines a producer asks before it writes them. Longer copies may be streaming stores, which write to
/// memory: to have their lines in the cache takes time (measured, 2 images, a broadcast of 8 KiB: 1.1 of the time).
const PREFETCHED: usize = 512;

/// One member's part in a ring exchange, which all members of the area begin, in the order of all its ring exchanges
/// and barriers. Each member may produce once and consume from any producers; then it completes the exchange.
#[derive(Debug)]
pub struct RingExchange<'a> {
    area: &'a CollArea,
    image: &'a Endpoint,
    number: u64,
}

impl<'a> RingExchange<'a> {
    /// The next ring exchange of the area.
    ///
    /// # Errors
    /// When a member has ended, or revoked the set, before it completed this exchange.
    #[inline(always)]
    pub fn begin(area: &'a CollArea, image: &'a Endpoint) -> BoxedResult<RingExchange<'a>> {
        image.threads().only_one()?;
        let number = area.ring_exchanges.get() + 1;
        let ring_exchange = RingExchange { area, image, number };
        // As before a barrier: a member that cannot do its part is an error for each member that has not done its own.
        if !failure::all_running(image.job()) {
            ring_exchange.watch()?;
        }
        Ok(ring_exchange)
    }

    /// Which of the area's ring exchanges it is, from 1.
    #[inline(always)]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The line that this member produces: [`super::SLOT_DATA`] bytes, 8-aligned, to be written before
    /// [`RingExchange::produce`]. Waits for members that have not read the line's last content.
    ///
    /// # Errors
    /// When such a member has ended.
    #[inline]
    pub fn line(&self) -> BoxedResult<*mut u8> {
        if self.number > self.area.room.get() {
            let need = || self.need_room();
            let room = self.exchange(&need, || self.watch()).make_room();
            self.area.room.set(room.map_err(|error| self.give_up(error))?);
        }
        Ok(self.data_of(self.area.me))
    }

    /// Room for data that are too long for the line: `len` bytes, at most [`super::MAX_PIECE`], 64-aligned, to be written before
    /// [`RingExchange::produce`]. Waits as [`RingExchange::line`] does.
    ///
    /// # Errors
    /// Those of [`RingExchange::line`].
    #[inline]
    pub fn piece(&self, len: usize) -> BoxedResult<*mut u8> {
        debug_assert!(len <= MAX_PIECE);
        self.line()?;
        let place = PiecePlace::of(self.number, len);
        let piece = self.area.piece_of(self.area.me, place);
        self.area.windows_of_pieces[place.class].reach(
            place.at,
            piece.wrapping_sub(place.at),
            len,
            place.all(),
        );
        if len <= PREFETCHED {
            self.prefetch_piece(len);
        }
        Ok(piece)
    }

    /// Asks for the lines of the piece that this member produces next but one, if it is as long as this one.
    #[inline]
    fn prefetch_piece(&self, len: usize) {
        let next = self.area.piece_of(self.area.me, PiecePlace::of(self.number + AHEAD, len));
        for line in 0..len.div_ceil(LINE) {
            prefetch_for_write(next.wrapping_add(line * LINE));
        }
    }

    /// The piece of `len` bytes of the producer at `position`; as [`RingExchange::consume`].
    ///
    /// # Errors
    /// Those of [`RingExchange::consume`].
    #[inline]
    pub fn consume_piece(&self, position: usize, len: usize) -> BoxedResult<*const u8> {
        self.consume(position)?;
        Ok(self.area.piece_of(position, PiecePlace::of(self.number, len)))
    }

    /// Publishes this member's line, and its piece, with a number of what it calls.
    #[inline]
    pub fn produce(&self, call: u32) {
        self.exchange(&Need::default, || Ok(())).produce(call);
    }

    /// The number of the call of the producer at `position`, whose line this member has consumed.
    #[inline(always)]
    pub fn call_of(&self, position: usize) -> u32 {
        debug_assert!(position < self.area.len());
        // Relaxed: the word was seen when the line was consumed.
        call_of(self.area.rings()[position].lines[place(self.number)].epoch.load(Ordering::Relaxed))
    }

    /// The line of the producer at `position`; valid until this exchange is completed by [`RingExchange::done`].
    ///
    /// # Errors
    /// When a member has ended before it completed this exchange.
    #[inline]
    pub fn consume(&self, position: usize) -> BoxedResult<*const u8> {
        // Acquire: as in `MemberExchange::wait_for`.
        let line = &self.area.rings()[position].lines[place(self.number)];
        if announces(line.epoch.load(Ordering::Acquire), self.number) {
            return Ok(self.data_of(position));
        }
        self.await_line(position)
    }

    /// [`RingExchange::consume`], when the line is not there yet.
    #[inline(never)]
    fn await_line(&self, position: usize) -> BoxedResult<*const u8> {
        let need = || Need::all_of(WaitKind::Barrier, [self.area.ranks[position]]);
        match self.exchange(&need, || self.watch()).wait_for(position) {
            Ok(()) => Ok(self.data_of(position)),
            Err(error) => Err(self.give_up(error)),
        }
    }

    /// The line of the producer at `position`, as [`RingExchange::consume`] gives it, and the number of the producer's call.
    ///
    /// # Errors
    /// Those of [`RingExchange::consume`].
    #[inline(always)]
    pub fn consume_call(&self, position: usize) -> BoxedResult<(*const u8, u32)> {
        let line = self.consume(position)?;
        // SAFETY: the data of a slot follows its word, which is atomic.
        let word = unsafe { &*line.sub(size_of::<u64>()).cast::<AtomicU64>() };
        // Relaxed: the word was seen when the line was consumed.
        Ok((line, call_of(word.load(Ordering::Relaxed))))
    }

    /// The same line again, once it was consumed.
    #[inline(always)]
    pub fn consumed(&self, position: usize) -> *const u8 {
        self.data_of(position)
    }

    /// Completes this member's part. All members give the same flow.
    #[inline]
    pub fn done(self, flow: Flow) {
        let (area, number) = (self.area, self.number);
        area.flows.set(flow.after(area.flows.get()));
        self.exchange(&Need::default, || Ok(())).done();
        area.ring_exchanges.set(number);
    }

    /// Gives up the exchange with this error, because another member does not do its part. All members still count the exchange, so
    /// that no line of it is taken for one of the next exchange.
    #[cold]
    fn give_up(&self, error: Box<Error>) -> Box<Error> {
        // If a member has ended this is the last exchange.
        if matches!(*error, Error::Invalid(_)) {
            let exchange = RingExchange { area: self.area, image: self.image, number: self.number };
            exchange.done(GIVEN_UP);
        }
        error
    }

    /// The exchange with waits that `need` describes.
    fn exchange<'b, W: Fn() -> Result<()>>(
        &'b self,
        need: &'b dyn Describe,
        watch: W,
    ) -> MemberExchange<'b, impl Fn() -> Waits<'b>, W, impl Fn()> {
        let (area, image) = (self.area, self.image);
        MemberExchange {
            rings: area.rings(),
            gate: &area.nodes()[0].release,
            me: area.me,
            number: self.number,
            waits: move || image.waits().needing(need),
            watch,
            ring: move || ring(image, area.ranks()),
        }
    }

    /// The members for which [`RingExchange::line`] waits.
    fn need_room(&self) -> Need {
        let before = used_before(self.number);
        let lags = |at: &usize| self.area.rings()[*at].done.load(Ordering::Acquire) < before;
        let ranks = &self.area.ranks;
        Need::all_of(WaitKind::Barrier, (0..ranks.len()).filter(lags).map(|at| ranks[at]))
    }

    /// Checks that all members have completed this exchange or still can.
    #[cold]
    fn watch(&self) -> Result<()> {
        let rings = self.area.rings();
        self.area.check(self.image, |at| rings[at].done.load(Ordering::Acquire) >= self.number)?;
        self.area.compare_calls(self.image)
    }

    #[inline(always)]
    fn data_of(&self, position: usize) -> *mut u8 {
        debug_assert!(position < self.area.len());
        let first = self.area.first_ring();
        // SAFETY: in bounds of the area; only an address is computed.
        unsafe { (&raw mut (*first.add(position)).lines[place(self.number)].data).cast::<u8>() }
    }
}

impl CollArea {
    /// Stores the number of the last exchange, beyond those that this member has made.
    pub(super) fn publish_exchanges(&self, image: &Endpoint, last: u64) {
        store_then_fence(&self.rings()[self.me].done, last);
        if self.nodes()[0].release.sleepers.load(Ordering::Relaxed) != 0 {
            ring(image, &self.ranks);
        }
    }
}

/// Index in a ring of the line of a ring exchange.
#[inline(always)]
fn place(number: u64) -> usize {
    number as usize % RING
}

/// The last exchange that has used the half of the ring which an exchange of this number uses.
fn used_before(number: u64) -> u64 {
    ((number - 1) / HALF).saturating_sub(1) * HALF
}

/// A ring exchange as one member sees it.
struct MemberExchange<'a, P, W, R> {
    rings: &'a [Ring],
    /// Where members sleep.
    gate: &'a Release,
    me: usize,
    /// Number of the exchange, from 1.
    number: u64,
    /// Makes the waits; called only when the member must wait.
    waits: P,
    /// Checks that the wait can still end.
    watch: W,
    /// Rings the doorbells of all members that sleep.
    ring: R,
}

impl<'a, P: Fn() -> Waits<'a>, W: Fn() -> Result<()>, R: Fn()> MemberExchange<'a, P, W, R> {
    /// Waits until this half of the ring may be overwritten: all members have completed the exchanges that used it
    /// before. Returns the last exchange for which there is room.
    #[cold]
    fn make_room(&self) -> BoxedResult<u64> {
        let before = used_before(self.number);
        // Acquire: a member that has completed an exchange has read the line that is overwritten now.
        self.rings
            .iter()
            .try_for_each(|ring| self.wait(|| ring.done.load(Ordering::Acquire) >= before))?;
        Ok(((self.number - 1) / HALF + 1) * HALF)
    }

    #[inline]
    fn produce(&self, call: u32) {
        // Release: the content of the line.
        self.publish(&self.slot(self.me).epoch, announcement(self.number, call));
        self.prefetch();
    }

    /// Asks for the line that this member produces next but one. The others have read it before, so without this the store would wait
    /// for it.
    #[inline(always)]
    fn prefetch(&self) {
        prefetch_for_write(&self.rings[self.me].lines[place(self.number + AHEAD)]);
    }

    #[inline]
    fn wait_for(&self, position: usize) -> BoxedResult<()> {
        // Equality: no later exchange uses this line before this member has completed its own. Acquire: the content of
        // the line.
        let number = &self.slot(position).epoch;
        self.wait(|| announces(number.load(Ordering::Acquire), self.number))
    }

    #[inline]
    fn done(&self) {
        let done = &*self.rings[self.me].done;
        // Release, in both arms: the consumed lines have been read. A producer that waits for room waits for the end of
        // a half.
        if self.number.is_multiple_of(HALF) {
            if self.number.is_multiple_of(FORGET) {
                self.forget_old_lines();
            }
            self.publish(done, self.number)
        } else {
            done.store(self.number, Ordering::Release)
        }
    }

    /// Writes into this member's old lines a number that no exchange in their place has. Their words have only the lower half of a
    /// number, which comes again after 2^32 exchanges.
    #[cold]
    fn forget_old_lines(&self) {
        for (at, line) in self.rings[self.me].lines.iter().enumerate() {
            // Relaxed: only this member writes the word; others look for other numbers, before this and after it.
            let age = (self.number as u32).wrapping_sub(line.epoch.load(Ordering::Relaxed) as u32);
            if age >= FORGET as u32 / 2 {
                line.epoch.store(at as u64 + 1, Ordering::Relaxed);
            }
        }
    }

    #[inline(always)]
    fn slot(&self, position: usize) -> &Slot {
        &self.rings[position].lines[place(self.number)]
    }

    /// Stores a value for all members to see and wakes those that sleep: the notifier's side of the gate protocol
    /// (`wait/README.md`).
    #[inline]
    fn publish(&self, word: &AtomicU64, value: u64) {
        store_then_fence(word, value);
        if self.gate.sleepers.load(Ordering::Relaxed) != 0 {
            (self.ring)();
        }
    }

    #[inline]
    fn wait(&self, mut ready: impl FnMut() -> bool) -> BoxedResult<()> {
        if ready() {
            return Ok(());
        }
        Ok((self.waits)().until_gate(&self.gate.sleepers, &self.watch, ready)?)
    }
}

#[cfg(all(test, loom))]
mod model;
