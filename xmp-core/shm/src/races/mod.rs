//! Races (`XMP_CHECK=races`): accesses to coarrays that conflict and that nothing orders (Fortran 2018, 11.6.2).
//!
//! Vector clocks represent the order (Lamport 1978; Fidge 1988; Mattern 1989). An image numbers its segments (Fortran
//! 2018, 11.6.2) in which it accesses coarrays. Its *clock* has a number for each image: segments up to that number are
//! ordered before the current segment of this image. An image control statement sends the clock to the images that it
//! orders after this one, and merges the received clocks into it:
//!
//! | statement | clocks go |
//! |---|---|
//! | SYNC ALL, SYNC TEAM, SYNC IMAGES, FORM, CHANGE and END TEAM, ALLOCATE, DEALLOCATE | from each image to each other one, as messages ([`Races::announce`], [`Races::meet`]) |
//! | LOCK and UNLOCK, CRITICAL | by the clock of the variable ([`Races::release`], [`Races::acquire`]) |
//! | EVENT POST and WAIT | by the clock of the post, where one image posts the event ([`Races::post`], [`Races::take_posts`]); else by the clock of the variable |
//! | atomic subroutines between two SYNC MEMORY | by the clock of the variable ([`Races::before_atomic`], [`Races::after_atomic`]); a clock that was read counts from the next SYNC MEMORY on |
//!
//! Collective subroutines are no image control statements, and order nothing.
//!
//! The *shadow memory* of an image's memory remembers the last accesses to each granule of 8 bytes (`slots.rs`, `owner.rs`).
//! The image that accesses a coarray enters its access there, and looks for one that conflicts and that its clock has not
//! reached. All memory of this is at the end of the memory of images (`layout.rs`), bounded, sparse, and missing where races are
//! not looked for.
//!
//! Loads and stores of the program itself are entered late: the caller of `Races::access` holds them back, and enters
//! them before the clock of this image changes (`Races::set_flush`). No race is missed by that: of two accesses the
//! image that enters its own later finds the other one. No race is invented: within a segment the clock does not
//! change.

mod access;
mod clock;
mod found;
pub mod hooks;
mod job_table;
mod layout;
#[cfg(all(test, loom))]
mod model;
mod others;
mod owner;
mod posts;
pub mod recorded;
mod remote;
mod shadow;
mod sites;
mod slots;
mod table;
#[cfg(all(test, not(loom)))]
mod tests;

pub use access::Kind;
pub use found::{Race, RaceAccess};
pub use remote::register;
pub use sites::Site;
pub use table::{Entry, WholeTable};

use crate::error::Result;
use crate::job::Job;
use crate::rank::Rank;
use crate::transport::Transport;
use access::{Access, GRANULE, bytes_within};
use clock::Clock;
use found::{EnteredPairs, FoundPairs};
use layout::{CALLERS, ShadowLayout};
use owner::Own;
use remote::Remote;
use shadow::{Shadows, statement_of};
use sites::{Sites, place_in_words};
use std::cell::RefCell;
use std::ops::{Deref, Range};
use std::panic::Location;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock};
use table::Table;
use xmp_source::{Statement, innermost_callers};

/// Bytes of the segment of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// The image.
    pub of: Rank,
    /// Offset of the first one.
    pub offset: u64,
    /// Their number.
    pub len: u64,
}

/// The order of accesses as an image knows it. Any thread may use it at any time.
pub struct Detector {
    me: Rank,
    job: Arc<Job>,
    shadows: Shadows<Arc<Job>>,
    clock: Clock,
    sites: Sites,
    entered: EnteredPairs,
    found: FoundPairs,
    order: RefCell<Order>,
    flush: OnceLock<fn()>,
    report: OnceLock<fn(&Race) -> Option<Entry>>,
    place: AtomicPtr<Location<'static>>,
}

/// The same with the transport to other hosts, for the thread inside of the image's lock.
#[derive(Clone, Copy, Debug)]
pub struct Races<'a> {
    detector: &'a Detector,
    transport: &'a dyn Transport,
}

impl Deref for Races<'_> {
    type Target = Detector;

    fn deref(&self) -> &Detector {
        self.detector
    }
}

impl std::fmt::Debug for Detector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Detector")
            .field("me", &self.me)
            .field("clock", &self.clock)
            .finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct Order {
    /// The clock at the beginning of the segment, which an atomic subroutine may publish.
    released: Vec<u64>,
    /// The clocks that atomic subroutines of this segment have read.
    observed: Vec<u64>,
    /// For each other image, the number of its joint synchronisations with this image.
    meetings: Vec<u64>,
}

impl Detector {
    /// For the image `me`, at its start.
    ///
    /// # Errors
    /// When there is no room for the shadow.
    pub fn new(job: Arc<Job>, me: Rank) -> Result<Detector> {
        let images = job.images();
        let layout = ShadowLayout::new(&job.geometry().layout(), images)?;
        let zeros = || vec![0; images];
        Ok(Detector {
            me,
            shadows: Shadows::new(job.clone(), layout),
            job,
            clock: Clock::new(images, me),
            sites: Sites::default(),
            entered: EnteredPairs::default(),
            found: FoundPairs::default(),
            order: RefCell::new(Order { released: zeros(), observed: zeros(), meetings: zeros() }),
            flush: OnceLock::new(),
            report: OnceLock::new(),
            place: AtomicPtr::default(),
        })
    }

    /// Has `flush` called before the clock of this image changes, so that it enters the accesses of the segment that it holds
    /// back. The first call counts.
    pub fn set_flush(&self, flush: fn()) {
        // A second one would come from a second copy of the hooks: the first one serves all.
        let _ = self.flush.set(flush);
    }

    /// Has `report` called for the first race of each pair of sites. It returns the entry of the job's table in which the races of
    /// the pair are counted. The first call counts.
    pub fn set_report(&self, report: fn(&Race) -> Option<Entry>) {
        // As for `set_flush`.
        let _ = self.report.set(report);
    }

    /// From now on this image executes the statement at this place: for programs in Rust, whose calls know theirs.
    pub fn execute_at(&self, place: &'static Location<'static>) {
        // Relaxed: the thread that uses the image reads it.
        self.place.store(ptr::from_ref(place).cast_mut(), Ordering::Relaxed);
    }

    /// The site that this thread executes.
    pub fn this_site(&self) -> Site {
        // SAFETY: null, or of `execute_at`. Relaxed: as there.
        match unsafe { self.place.load(Ordering::Relaxed).as_ref() } {
            Some(place) => self.site_at(place),
            None => self.site(&innermost_callers(CALLERS)),
        }
    }

    /// The site of a place in Rust.
    fn site_at(&self, place: &'static Location<'static>) -> Site {
        // No return address is 0.
        let key = [0, ptr::from_ref(place).addr()];
        self.sites.numbered(&key, |site| {
            let words = place_in_words(&format!("{}:{}", place.file(), place.line()));
            self.shadows.record_site(self.me, site, &words);
        })
    }

    /// The site with these return addresses, innermost first, of which some may be left out at the end.
    pub fn site(&self, callers: &[usize]) -> Site {
        let callers = &callers[..callers.len().min(CALLERS)];
        self.sites.numbered(callers, |site| self.shadows.record_site(self.me, site, callers))
    }

    /// Enters that this image accesses these bytes of an image of its host, and reports accesses of other images that conflict with
    /// it and that nothing orders. Bytes outside of coarrays are left out.
    pub fn access(&self, site: Site, bytes: Bytes, kind: Kind) {
        let Bytes { of, offset, len } = bytes;
        let end = offset.saturating_add(len).min(self.shadows.end());
        let Some(segment) = self.clock.segment_with_access() else { return };
        if offset >= end {
            return;
        }
        let is_before = |it: &Access| {
            it.image == self.me.get() || it.segment <= self.clock.of(it.image as usize)
        };
        let granules = self.shadows.slots(of, offset..end);
        let mine = self.mine(segment, site, kind);
        let mut last = None;
        let found = |granule: u64, other: Access| {
            let from = granule * GRANULE;
            let both = other.bytes & bytes_within(from, &(offset..end));
            self.found(of, from + u64::from(both.trailing_zeros()), &mine, &other, &mut last);
        };
        if of == self.me {
            let blocks = self.shadows.blocks(of, offset..end);
            let own = Own { first: offset / GRANULE, granules, blocks };
            owner::record(own, offset..end, mine, is_before, found);
            return;
        }
        slots::record(granules, offset..end, mine, is_before, found);
    }

    fn mine(&self, segment: u64, site: Site, kind: Kind) -> Access {
        Access { image: self.me.get(), segment, site: site.number(), bytes: 0, kind }
    }

    /// An access of this image conflicts with another one at this offset, and nothing orders the two. `last` is the
    /// last conflict of the same access.
    #[cold]
    fn found(
        &self,
        of: Rank,
        offset: u64,
        mine: &Access,
        other: &Access,
        last: &mut Option<(u32, u16, Kind)>,
    ) {
        // One access of several granules counts once.
        let its = (other.image, other.site, other.kind);
        if last.replace(its) == Some(its) {
            return;
        }
        let side = |it: &Access| RaceAccess {
            image: Rank::new(it.image),
            kind: it.kind,
            site: Site::from_number(it.site),
        };
        let (mine, other) = (side(mine), side(other));
        let ordered_at = self.clock.ordered_at(other.image.index());
        let race = Race { of, offset, mine, other, ordered_at };
        if self.job.region_ranks().len() < self.job.images() {
            // The report asks other hosts, which only the thread inside of the image's lock may do.
            return self.found.add(race);
        }
        if let Some(entry) = self.entered.entry(mine, other, || self.report(&race)) {
            self.shadows.table().count(entry, 1);
        }
    }

    fn report(&self, race: &Race) -> Option<Entry> {
        (self.report.get()?)(race)
    }

    /// The table of the job's races, if it is on this host.
    fn table_here(&self) -> Option<Table<'_>> {
        self.job.segment(remote::TABLE_OF).map(|_| self.shadows.table())
    }
}

impl<'a> Races<'a> {
    /// Those of an image with this transport.
    pub fn new(detector: &'a Detector, transport: &'a dyn Transport) -> Races<'a> {
        Races { detector, transport }
    }

    /// The hosts that this one does not share memory with.
    fn remote(&self) -> Remote<'a> {
        Remote(self.transport)
    }

    /// Whether an image is of this host.
    fn is_here(&self, rank: Rank) -> bool {
        self.job.segment(rank).is_some()
    }

    /// Enters the accesses that are held back, and reports the races that were found: before the clock changes, and at
    /// the end of the program.
    pub fn flush(&self) {
        if let Some(flush) = self.flush.get() {
            flush();
        }
        for (race, times) in self.found.take() {
            if let Some(entry) = self.entered.entry(race.mine, race.other, || self.report(&race)) {
                self.count(entry, times);
            }
        }
    }

    /// The statement of a site of an image, if it is known.
    pub fn statement(&self, of: Rank, site: Site) -> Option<Statement> {
        if self.is_here(of) {
            statement_of(&self.shadows, of, site.number())
        } else {
            self.remote().statement(of, site.number())
        }
    }

    /// Enters that this image accesses these ranges of bytes of the memory of an image, in one statement: [`Detector::access`], of any
    /// host.
    pub fn access_all(&self, site: Site, of: Rank, ranges: &[Range<u64>], kind: Kind) {
        if self.is_here(of) {
            for range in ranges {
                let len = range.end - range.start;
                self.access(site, Bytes { of, offset: range.start, len }, kind);
            }
            return;
        }
        let Some(segment) = self.clock.segment_with_access() else { return };
        let mine = self.mine(segment, site, kind);
        let end = self.shadows.end();
        let within = ranges.iter().map(|range| range.start..range.end.min(end));
        let within: Vec<Range<u64>> = within.filter(|range| range.start < range.end).collect();
        let mut last = None;
        let entered =
            self.remote().access(of, &mine, self.clock.all(), &within, |offset, other| {
                self.found(of, offset, &mine, &other, &mut last);
            });
        // The access itself fails where the host cannot be reached.
        drop(entered);
    }

    /// A new segment begins (SYNC MEMORY).
    pub fn begin_segment(&self) {
        self.flush();
        self.begin(&mut self.order.borrow_mut());
    }

    /// A new segment begins, after the flush.
    fn begin(&self, order: &mut Order) {
        self.clock.begin_segment();
        for (image, &observed) in order.observed.iter().enumerate() {
            if self.clock.see(image, observed) {
                self.clock.set_ordered_at(image, self.this_site());
            }
        }
        for (released, now) in order.released.iter_mut().zip(self.clock.all()) {
            *released = now;
        }
    }

    // Below, where a host cannot be reached, the statement itself fails: the order matters no more.

    /// This image is about to synchronise with these images, which do the same: before it notifies the first one.
    pub fn announce(&self, ranks: impl IntoIterator<Item = Rank>) {
        self.flush();
        let order = &mut *self.order.borrow_mut();
        self.begin(order);
        let mut is_stored = false;
        for rank in ranks.into_iter().filter(|&rank| rank != self.me) {
            let count = &mut order.meetings[rank.index()];
            *count += 1;
            if self.is_here(rank) {
                self.shadows.send(self.me, rank, *count, self.clock.all());
            } else {
                let message = self.shadows.message_between_hosts(self.me, *count);
                let words = [*count].into_iter().chain(self.clock.all());
                is_stored |= self.remote().store(rank, message, words).is_ok();
            }
        }
        if is_stored {
            let _ = self.remote().flush();
        }
    }

    /// This image has synchronised with these images, after it has announced that.
    pub fn meet(&self, ranks: impl IntoIterator<Item = Rank>) {
        self.flush();
        let order = &mut *self.order.borrow_mut();
        let site = self.this_site();
        for rank in ranks.into_iter().filter(|&rank| rank != self.me) {
            let count = order.meetings[rank.index()];
            let see = |image, segment| self.see(image, segment, site);
            if self.is_here(rank) {
                self.shadows.receive(rank, self.me, count, see);
            } else {
                self.shadows.receive_between_hosts(rank, self.me, count, see);
            }
            self.clock.set_ordered_at(rank.index(), site);
        }
        self.begin(order);
    }

    /// Orders the accesses of this image before the statements that follow [`Races::acquire`] of this variable. Called
    /// before the image changes the variable.
    pub fn release(&self, of: Rank, offset: u64) {
        self.flush();
        self.begin(&mut self.order.borrow_mut());
        self.add_to(of, offset, self.clock.all());
    }

    /// Merges a clock into the clock of a variable.
    fn add_to(&self, of: Rank, offset: u64, clock: impl Iterator<Item = u64>) {
        if self.is_here(of) {
            self.shadows.add_to(of, offset, clock);
        } else {
            let _ = self.remote().add_to(of, offset, clock);
        }
    }

    /// Calls `see` with the clock of a variable.
    fn see_clock(&self, of: Rank, offset: u64, see: impl FnMut(usize, u64)) {
        if self.is_here(of) {
            self.shadows.see(of, offset, see);
        } else {
            let _ = self.remote().see(of, offset, see);
        }
    }

    /// This image is about to post an event.
    pub fn post(&self, of: Rank, offset: u64) {
        self.flush();
        self.begin(&mut self.order.borrow_mut());
        if self.is_here(of) {
            self.shadows.post(self.me, of, offset, self.clock.all());
        } else {
            let _ = self.remote().post(of, offset, self.clock.all());
        }
    }

    /// This image has taken posts off an event, which is its own.
    pub fn take_posts(&self, offset: u64) {
        self.flush();
        let site = self.this_site();
        let see = |image, segment| self.see(image, segment, site);
        self.shadows.take_posts(self.me, offset, see);
        self.begin(&mut self.order.borrow_mut());
    }

    /// This image has seen the variable as another image has changed it, in an image control statement.
    pub fn acquire(&self, of: Rank, offset: u64) {
        self.flush();
        let site = self.this_site();
        self.see_clock(of, offset, |image, segment| self.see(image, segment, site));
        self.begin(&mut self.order.borrow_mut());
    }

    /// Orders the segments of an image up to this one before the current one, by the statement of this site.
    fn see(&self, image: usize, segment: u64, site: Site) {
        if self.clock.see(image, segment) {
            self.clock.set_ordered_at(image, site);
        }
    }

    /// An atomic subroutine is about to change this variable.
    pub fn before_atomic(&self, of: Rank, offset: u64) {
        let order = self.order.borrow();
        self.add_to(of, offset, order.released.iter().copied());
    }

    /// An atomic subroutine has read this variable.
    pub fn after_atomic(&self, of: Rank, offset: u64) {
        let observed = &mut self.order.borrow_mut().observed;
        self.see_clock(of, offset, |image, segment| {
            observed[image] = segment.max(observed[image]);
        });
    }
}
