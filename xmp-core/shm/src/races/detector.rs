//! The detector of an image: it enters the image's accesses on this host into the shadow memory, and finds races with the accesses
//! that the shadow memory has.

use super::access::{Access, GRANULE, Kind, bytes_within};
use super::allocated::AllocatedBlocks;
use super::begun::BegunOperations;
use super::bytes::Bytes;
use super::clock::Clock;
use super::found::{Begun, EnteredPairs, FoundPairs, Race, RaceAccess};
use super::layout::{CALLERS, ShadowLayout};
use super::order::Order;
use super::owner::{self, Own};
use super::program::ProgramPlace;
use super::remote;
use super::shadow::Shadows;
use super::sites::{Site, Sites, place_in_words};
use super::slots;
use super::table::{Entry, Table};
use crate::error::Result;
use crate::job::Job;
use crate::rank::Rank;
use std::cell::RefCell;
use std::panic::Location;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use xmp_source::innermost_callers;

/// The order of accesses as an image knows it. Any thread may use it at any time.
pub struct Detector {
    pub(super) me: Rank,
    pub(super) job: Arc<Job>,
    pub(super) shadows: Shadows<Arc<Job>>,
    pub(super) clock: Clock,
    sites: Sites,
    /// The blocks that this image has allocated.
    pub allocated: AllocatedBlocks,
    pub(super) begun: BegunOperations,
    pub(super) entered: EnteredPairs,
    pub(super) found: FoundPairs,
    pub(super) order: RefCell<Order>,
    pub(super) flush: OnceLock<fn()>,
    report: OnceLock<fn(&Race) -> Option<Entry>>,
    place: AtomicPtr<Location<'static>>,
    pub(super) longest_delay: Duration,
}

impl std::fmt::Debug for Detector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Detector")
            .field("me", &self.me)
            .field("clock", &self.clock)
            .finish_non_exhaustive()
    }
}

impl Detector {
    /// For the image `me`, at its start. Synchronisations delay it for this time at most.
    ///
    /// # Errors
    /// When there is no room for the shadow.
    pub fn new(job: Arc<Job>, me: Rank, longest_delay: Duration) -> Result<Detector> {
        let images = job.images();
        let layout = ShadowLayout::new(&job.geometry().layout(), images)?;
        Ok(Detector {
            me,
            shadows: Shadows::new(job.clone(), layout),
            job,
            clock: Clock::new(images, me),
            sites: Sites::default(),
            allocated: AllocatedBlocks::default(),
            begun: BegunOperations::default(),
            entered: EnteredPairs::default(),
            found: FoundPairs::default(),
            order: RefCell::new(Order::new(images)),
            flush: OnceLock::new(),
            report: OnceLock::new(),
            place: AtomicPtr::default(),
            longest_delay,
        })
    }

    /// Has `flush` called before the clock of this image changes. `flush` enters the delayed accesses of the present segment. Later calls
    /// of this function have no effect.
    pub fn set_flush(&self, flush: fn()) {
        // A second copy of the hooks may call this, too. The first `flush` serves both copies.
        let _ = self.flush.set(flush);
    }

    /// Enters the delayed accesses. Any thread may call it at any time.
    pub fn enter_held_back(&self) {
        if let Some(flush) = self.flush.get() {
            flush();
        }
    }

    /// Has `report` called for the first race of each pair of sites. `report` returns the entry of the job's table in which the races of
    /// the pair are counted. Later calls of this function have no effect.
    pub fn set_report(&self, report: fn(&Race) -> Option<Entry>) {
        self.shadows.record_program(self.me, &ProgramPlace::of_this_process());
        // As for `set_flush`.
        let _ = self.report.set(report);
    }

    /// From now on this image executes the statement at this place. Programs in Rust call it, because their calls know their place.
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

    /// The site with these return addresses, innermost first. The outermost addresses may be left out.
    pub fn site(&self, callers: &[usize]) -> Site {
        let callers = &callers[..callers.len().min(CALLERS)];
        self.sites.numbered(callers, |site| self.shadows.record_site(self.me, site, callers))
    }

    /// Enters an access of this image to bytes of an image of its host. Reports accesses of other images that conflict with it, unless
    /// they are ordered before it. Bytes outside of coarrays are left out.
    pub fn access(&self, site: Site, bytes: Bytes, kind: Kind) {
        let clock = |image| self.clock.of(image);
        self.enter(site, bytes, kind, None, clock);
        self.begun.conflicts(bytes, kind, |(offset, its, begun_at)| {
            let sides = [(kind, site), (its, begun_at)];
            let sides = sides.map(|(kind, site)| RaceAccess { image: self.me, kind, site });
            self.conflict(bytes.of, offset, sides, Some(Begun::Other));
        });
    }

    /// Enters an access of an operation again when the operation is complete. `clock` is the clock of the operation's beginning: only
    /// accesses up to this clock are ordered before it.
    pub(super) fn complete_access(&self, site: Site, bytes: Bytes, kind: Kind, clock: &[u64]) {
        self.enter(site, bytes, kind, Some(Begun::Mine), |image| clock[image]);
    }

    /// Enters an access, before which segments of images up to those of a clock are ordered.
    fn enter(
        &self,
        site: Site,
        bytes: Bytes,
        kind: Kind,
        begun: Option<Begun>,
        clock: impl Fn(usize) -> u64,
    ) {
        let Bytes { of, offset, .. } = bytes;
        let end = bytes.end().min(self.shadows.end());
        let Some(segment) = self.clock.segment_with_access() else { return };
        if offset >= end {
            return;
        }
        let is_before =
            |it: &Access| it.image == self.me.get() || it.segment <= clock(it.image as usize);
        let granules = self.shadows.slots(of, offset..end);
        let mine = self.mine(segment, site, kind);
        let mut last = None;
        let found = |granule: u64, other: Access| {
            let from = granule * GRANULE;
            let both = other.bytes & bytes_within(from, &(offset..end));
            let at = from + u64::from(both.trailing_zeros());
            self.found(of, at, (&mine, &other), begun, &mut last);
        };
        if of == self.me {
            let blocks = self.shadows.blocks(of, offset..end);
            let own = Own { first: offset / GRANULE, granules, blocks };
            owner::record(own, offset..end, mine, is_before, found);
            return;
        }
        slots::record(granules, offset..end, mine, is_before, found);
    }

    pub(super) fn mine(&self, segment: u64, site: Site, kind: Kind) -> Access {
        Access { image: self.me.get(), segment, site: site.number(), bytes: 0, kind }
    }

    /// The first access, of this image, conflicts with the other one at this offset, and nothing orders the two. `last` is the
    /// last conflict of the same access.
    #[cold]
    pub(super) fn found(
        &self,
        of: Rank,
        offset: u64,
        (mine, other): (&Access, &Access),
        begun: Option<Begun>,
        last: &mut Option<(u32, u16, Kind)>,
    ) {
        // One access of several granules counts once.
        let its = (other.image, other.site, other.kind);
        if last.replace(its) == Some(its) {
            return;
        }
        let sides = [mine, other].map(|it| RaceAccess {
            image: Rank::new(it.image),
            kind: it.kind,
            site: Site::from_number(it.site),
        });
        self.conflict(of, offset, sides, begun);
    }

    /// Reports a race of two accesses, the first one of this image, at this offset.
    #[cold]
    fn conflict(
        &self,
        of: Rank,
        offset: u64,
        [mine, other]: [RaceAccess; 2],
        begun: Option<Begun>,
    ) {
        let ordered_at = self.clock.ordered_at(other.image.index());
        let race = Race { of, offset, mine, other, begun, ordered_at };
        if self.job.region_ranks().len() < self.job.images() {
            // The report asks other hosts, which only the thread inside of the image's lock may do.
            return self.found.add(race);
        }
        if let Some(entry) = self.entered.entry(mine, other, || self.report(&race)) {
            self.shadows.table().count(entry, 1);
        }
    }

    pub(super) fn report(&self, race: &Race) -> Option<Entry> {
        (self.report.get()?)(race)
    }

    /// The table of the job's races, if it is on this host.
    pub(super) fn table_here(&self) -> Option<Table<'_>> {
        self.job.segment(remote::TABLE_OF).map(|_| self.shadows.table())
    }
}
