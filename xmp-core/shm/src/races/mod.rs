//! Races (`XMP_CHECK=races`): accesses to coarrays that conflict and that nothing orders (Fortran 2018, 11.6.2).
//!
//! Vector clocks say what is ordered (Lamport 1978; Fidge 1988; Mattern 1989). An image numbers its segments (Fortran 2018,
//! 11.6.2) in which it accesses coarrays. Its *clock* has a number for each image: segments up to that one are ordered before
//! what this image executes next. An image control statement sends the clock
//! to the images that it orders after this one, and adds to it those that it gets:
//!
//! | statement | clocks go |
//! |---|---|
//! | SYNC ALL, SYNC TEAM, SYNC IMAGES, FORM, CHANGE and END TEAM, ALLOCATE, DEALLOCATE | from each image to each other one, as messages ([`Races::announce`], [`Races::meet`]) |
//! | EVENT POST and WAIT, LOCK and UNLOCK, CRITICAL | by the clock of the variable ([`Races::release`], [`Races::acquire`]) |
//! | atomic subroutines between two SYNC MEMORY | by the clock of the variable ([`Races::before_atomic`], [`Races::after_atomic`]); what was read counts from the next SYNC MEMORY on |
//!
//! Collective subroutines are no image control statements, and order nothing.
//!
//! The *shadow memory* of an image's memory remembers the last accesses to each granule of 8 bytes (`slots.rs`, `owner.rs`).
//! The image that accesses a coarray enters its access there, and looks for one that conflicts and that its clock has not
//! reached. All memory of this is at the end of the memory of images (`layout.rs`), bounded, sparse, and missing where races are
//! not looked for.
//!
//! Loads and stores of the program itself are entered late: what calls [`Races::access`] for them holds them back, and enters
//! them before the clock of this image changes ([`Races::set_flush`]). Nothing is missed by that: of two accesses the image
//! that enters its own later finds the other one. Nothing is invented: within a segment the clock does not change.

mod access;
mod clock;
pub mod hooks;
mod layout;
#[cfg(all(test, loom))]
mod model;
mod owner;
mod shadow;
mod sites;
mod slots;
#[cfg(all(test, not(loom)))]
mod tests;

pub use access::Kind;
pub use sites::Site;

use crate::error::{Error, Result};
use crate::job::Job;
use crate::race::Race;
use crate::rank::Rank;
use crate::sync::Ordering;
use access::{Access, GRANULE, bytes_within};
use clock::Clock;
use layout::{CALLERS, ShadowLayout};
use owner::Own;
use shadow::Shadows;
use sites::Sites;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use xmp_source::{Modules, Statement, innermost_callers};

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

/// What an image knows of the order of accesses. Used as the [`Endpoint`](crate::endpoint::Endpoint) that has it, but for
/// [`Races::site`] and [`Races::access`], which any thread may call at any time.
pub struct Races {
    me: Rank,
    job: Arc<Job>,
    shadows: Shadows,
    clock: Clock,
    sites: Sites,
    order: RefCell<Order>,
    flush: OnceLock<fn()>,
}

impl std::fmt::Debug for Races {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Races")
            .field("me", &self.me)
            .field("clock", &self.clock)
            .finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct Order {
    /// The clock at the beginning of the segment: what an atomic subroutine may tell others.
    released: Vec<u64>,
    /// What atomic subroutines of this segment have told this image.
    observed: Vec<u64>,
    /// How often this image and each other one have synchronised with one another.
    meetings: Vec<u64>,
}

impl Races {
    /// For the image `me`, at its start.
    ///
    /// # Errors
    /// When the images are on several hosts, or there is no room for the shadow.
    pub fn new(job: Arc<Job>, me: Rank) -> Result<Races> {
        let (images, geometry) = (job.images(), job.geometry());
        if geometry.hosts > 1 {
            return Err(Error::Setting {
                name: "XMP_CHECK",
                value: "races".into(),
                expected: format!(
                    "possible for images on {} hosts: it finds races between images of one host; start all images there",
                    geometry.hosts
                ),
            });
        }
        let layout = ShadowLayout::new(&geometry.layout(), images)?;
        let zeros = || vec![0; images];
        Ok(Races {
            me,
            shadows: Shadows::new(job.clone(), layout),
            job,
            clock: Clock::new(images, me),
            sites: Sites::default(),
            order: RefCell::new(Order { released: zeros(), observed: zeros(), meetings: zeros() }),
            flush: OnceLock::new(),
        })
    }

    /// Has `flush` called before the clock of this image changes, so that it enters the accesses of the segment that it holds
    /// back. The first call counts.
    pub fn set_flush(&self, flush: fn()) {
        // A second one would come from a second copy of the hooks: the first one serves all.
        let _ = self.flush.set(flush);
    }

    /// Has the accesses that are held back entered now: at the end of the program.
    pub fn flush(&self) {
        if let Some(flush) = self.flush.get() {
            flush();
        }
    }

    /// The site that this thread executes.
    pub fn this_site(&self) -> Site {
        self.site(&innermost_callers(CALLERS))
    }

    /// The site with these return addresses, innermost first, of which some may be left out at the end.
    pub fn site(&self, callers: &[usize]) -> Site {
        let callers = &callers[..callers.len().min(CALLERS)];
        self.sites.numbered(callers, |site| self.shadows.record_site(self.me, site, callers))
    }

    /// The return addresses of a site, innermost first; none of [`Site::UNKNOWN`].
    pub fn callers(&self, site: Site) -> Vec<usize> {
        self.shadows.site(self.me, site.number())
    }

    /// Enters that this image accesses these bytes. Those outside of coarrays are left out.
    ///
    /// # Errors
    /// [`Error::Race`] when an access of another image conflicts with it and nothing orders the two.
    pub fn access(&self, site: Site, bytes: Bytes, kind: Kind) -> Result<()> {
        let Bytes { of, offset, len } = bytes;
        let end = offset.saturating_add(len).min(self.shadows.end());
        let Some(segment) = self.clock.segment_with_access() else { return Ok(()) };
        if offset >= end {
            return Ok(());
        }
        let is_before = |it: &Access| {
            it.image == self.me.get() || it.segment <= self.clock.of(it.image as usize)
        };
        let granules = self.shadows.slots(of, offset..end);
        let mine = Access { image: self.me.get(), segment, site: site.number(), bytes: 0, kind };
        if of == self.me {
            let blocks = self.shadows.blocks(of, offset..end);
            let own = Own { first: offset / GRANULE, granules, blocks };
            return match owner::record(own, offset..end, mine, is_before) {
                None => Ok(()),
                Some((granule, other)) => Err(self.race(of, granule * GRANULE, offset..end, other)),
            };
        }
        for (granule, slots) in (offset / GRANULE..).zip(granules) {
            let from = granule * GRANULE;
            let bytes = bytes_within(from, &(offset..end));
            if let Some(other) = slots::record(slots, Access { bytes, ..mine }, is_before) {
                return Err(self.race(of, from, offset..end, other));
            }
        }
        Ok(())
    }

    /// The race of an access to `bytes` with another one, in the granule at `from`.
    #[cold]
    fn race(&self, of: Rank, from: u64, bytes: Range<u64>, other: Access) -> Error {
        let Access { image, site, kind, .. } = other;
        let offset = from + u64::from((other.bytes & bytes_within(from, &bytes)).trailing_zeros());
        let other = Rank::new(image);
        let verb = if kind.writes() { "writes" } else { "reads" };
        let statement = self.place(other, site);
        Error::Race(Race { of, offset, object: None, other, verb, statement })
    }

    /// The statement of a site of an image, as `file:line` or as much of that as is known.
    fn place(&self, of: Rank, site: u16) -> Option<String> {
        let callers = self.shadows.site(of, site);
        let modules = match self.job.entry(of).pid.load(Ordering::Relaxed) {
            // Images that are threads.
            0 => Modules::of_this_process(),
            pid => Modules::of_process(pid),
        };
        let (statement, _) = Statement::of_thread(&modules.ok()?, &callers);
        Some(statement?.to_string())
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
            self.clock.see(image, observed);
        }
        for (released, now) in order.released.iter_mut().zip(self.clock.all()) {
            *released = now;
        }
    }

    /// This image is about to synchronise with these images, which do the same: before it notifies the first one.
    pub fn announce(&self, ranks: impl IntoIterator<Item = Rank>) {
        self.flush();
        let order = &mut *self.order.borrow_mut();
        self.begin(order);
        for rank in ranks.into_iter().filter(|&rank| rank != self.me) {
            let count = &mut order.meetings[rank.index()];
            *count += 1;
            self.shadows.send(self.me, rank, *count, self.clock.all());
        }
    }

    /// This image has synchronised with these images, after it has announced that.
    pub fn meet(&self, ranks: impl IntoIterator<Item = Rank>) {
        self.flush();
        let order = &mut *self.order.borrow_mut();
        for rank in ranks.into_iter().filter(|&rank| rank != self.me) {
            let count = order.meetings[rank.index()];
            let see = |image, segment| self.clock.see(image, segment);
            self.shadows.receive(rank, self.me, count, see);
        }
        self.begin(order);
    }

    /// What this image has done is ordered before what follows [`Races::acquire`] of this variable: before the image
    /// changes it.
    pub fn release(&self, of: Rank, offset: u64) {
        self.flush();
        self.begin(&mut self.order.borrow_mut());
        self.shadows.add_to(of, offset, self.clock.all());
    }

    /// This image has seen the variable as another image has changed it, in an image control statement.
    pub fn acquire(&self, of: Rank, offset: u64) {
        self.flush();
        self.shadows.see(of, offset, |image, segment| self.clock.see(image, segment));
        self.begin(&mut self.order.borrow_mut());
    }

    /// An atomic subroutine is about to change this variable.
    pub fn before_atomic(&self, of: Rank, offset: u64) {
        let order = self.order.borrow();
        self.shadows.add_to(of, offset, order.released.iter().copied());
    }

    /// An atomic subroutine has read this variable.
    pub fn after_atomic(&self, of: Rank, offset: u64) {
        let observed = &mut self.order.borrow_mut().observed;
        self.shadows.see(of, offset, |image, segment| {
            observed[image] = segment.max(observed[image]);
        });
    }
}
