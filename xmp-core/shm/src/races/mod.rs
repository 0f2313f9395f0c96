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
//! | LOCK and UNLOCK, CRITICAL | by the clock of the variable ([`Races::release`], [`Races::acquire`]) |
//! | EVENT POST and WAIT | by the clock of the post, where one image posts the event ([`Races::post`], [`Races::take_posts`]); else by that of the variable |
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
mod found;
pub mod hooks;
mod layout;
#[cfg(all(test, loom))]
mod model;
mod others;
mod owner;
mod posts;
pub mod recorded;
mod shadow;
mod sites;
mod slots;
mod table;
#[cfg(all(test, not(loom)))]
mod tests;

pub use access::Kind;
pub use found::{Race, Side};
pub use sites::Site;
pub use table::{Entry, Table};

use crate::error::{Error, Result};
use crate::job::Job;
use crate::rank::Rank;
use crate::sync::Ordering;
use access::{Access, GRANULE, bytes_within};
use clock::Clock;
use found::EnteredPairs;
use layout::{CALLERS, ShadowLayout};
use owner::Own;
use shadow::Shadows;
use sites::Sites;
use std::cell::RefCell;
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
    found: EnteredPairs,
    order: RefCell<Order>,
    flush: OnceLock<fn()>,
    report: OnceLock<fn(&Race) -> Option<Entry>>,
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
            found: EnteredPairs::default(),
            order: RefCell::new(Order { released: zeros(), observed: zeros(), meetings: zeros() }),
            flush: OnceLock::new(),
            report: OnceLock::new(),
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

    /// The races that the images of the job have found.
    pub fn table(&self) -> Table<'_> {
        self.shadows.table()
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

    /// The statement of a site of an image, if it is known.
    pub fn statement(&self, of: Rank, site: Site) -> Option<Statement> {
        let callers = self.shadows.site(of, site.number());
        let modules = match self.job.entry(of).pid.load(Ordering::Relaxed) {
            // Images that are threads.
            0 => Modules::of_this_process(),
            pid if of == self.me || pid == std::process::id() => Modules::of_this_process(),
            pid => Modules::of_process(pid),
        };
        let (statement, _) = Statement::of_thread(&modules.ok()?, &callers);
        statement
    }

    /// Enters that this image accesses these bytes, and reports accesses of other images that conflict with it and that nothing
    /// orders. Bytes outside of coarrays are left out.
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
        let mine = Access { image: self.me.get(), segment, site: site.number(), bytes: 0, kind };
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

    /// An access of this image conflicts with another one at this offset, and nothing orders the two. `last` is what the same
    /// access has conflicted with last.
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
        let side = |it: &Access| Side {
            image: Rank::new(it.image),
            kind: it.kind,
            site: Site::from_number(it.site),
        };
        let (mine, other) = (side(mine), side(other));
        let ordered_at = self.clock.ordered_at(other.image.index());
        let entry = self.found.entry(mine, other, || {
            (self.report.get()?)(&Race { of, offset, mine, other, ordered_at })
        });
        if let Some(entry) = entry {
            self.table().count(entry);
        }
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
        let site = self.this_site();
        for rank in ranks.into_iter().filter(|&rank| rank != self.me) {
            let count = order.meetings[rank.index()];
            self.shadows.receive(rank, self.me, count, |image, segment| {
                self.see(image, segment, site);
            });
            self.clock.set_ordered_at(rank.index(), site);
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

    /// This image is about to post an event.
    pub fn post(&self, of: Rank, offset: u64) {
        self.flush();
        self.begin(&mut self.order.borrow_mut());
        self.shadows.post(self.me, of, offset, self.clock.all());
    }

    /// This image has taken posts off an event.
    pub fn take_posts(&self, of: Rank, offset: u64) {
        self.flush();
        let site = self.this_site();
        let see = |image, segment| self.see(image, segment, site);
        self.shadows.take_posts(of, offset, see);
        self.begin(&mut self.order.borrow_mut());
    }

    /// This image has seen the variable as another image has changed it, in an image control statement.
    pub fn acquire(&self, of: Rank, offset: u64) {
        self.flush();
        let site = self.this_site();
        self.shadows.see(of, offset, |image, segment| self.see(image, segment, site));
        self.begin(&mut self.order.borrow_mut());
    }

    /// Segments of an image up to this one are ordered before what this image executes next, by the statement of this site.
    fn see(&self, image: usize, segment: u64, site: Site) {
        if self.clock.see(image, segment) {
            self.clock.set_ordered_at(image, site);
        }
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
