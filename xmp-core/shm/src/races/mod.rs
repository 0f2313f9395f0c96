//! Races (`XMP_CHECK=races`): accesses to coarrays that conflict and that nothing orders (Fortran 2018, 11.6.2).
//!
//! Vector clocks say what is ordered (Lamport 1978; Fidge 1988; Mattern 1989). An image numbers its statements that
//! access coarrays; those of one segment with the same callers share a number. Its *clock* has a number for each image:
//! statements up to that one are ordered before what this image executes next. An image control statement sends the clock
//! to the images that it orders behind this one, and adds to it those that it gets:
//!
//! | statement | clocks go |
//! |---|---|
//! | SYNC ALL, SYNC TEAM, SYNC IMAGES, FORM, CHANGE and END TEAM, ALLOCATE, DEALLOCATE | from each image to each other one, as messages ([`Races::announce`], [`Races::meet`]) |
//! | EVENT POST and WAIT, LOCK and UNLOCK, CRITICAL | by the clock of the variable ([`Races::release`], [`Races::acquire`]) |
//! | atomic subroutines between two SYNC MEMORY | by the clock of the variable ([`Races::before_atomic`], [`Races::after_atomic`]); what was read counts from the next SYNC MEMORY on |
//!
//! Collective subroutines are no image control statements, and order nothing.
//!
//! The *shadow memory* of a segment remembers the last accesses to each granule of 8 bytes (`slots.rs`). The image that accesses
//! a coarray enters its access there, and looks for one that conflicts and that its clock has not reached. All memory of
//! this is at the end of segments (`layout.rs`), bounded, sparse, and missing where races are not looked for.

mod access;
mod layout;
#[cfg(all(test, loom))]
mod model;
mod shadow;
mod slots;
mod statements;
#[cfg(all(test, not(loom)))]
mod tests;

pub use access::Kind;

use crate::error::{Error, Result};
use crate::job::Job;
use crate::race::Race;
use crate::rank::Rank;
use crate::sync::Ordering;
use access::{Access, GRANULE};
use layout::{CALLERS, ShadowLayout};
use shadow::Shadows;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
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

/// The number that a statement of this image has in the present segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number(u64);

/// What an image knows of the order of accesses. Used as the [`Endpoint`](crate::endpoint::Endpoint) that has it.
#[derive(Debug)]
pub struct Races {
    me: Rank,
    job: Arc<Job>,
    shadows: Shadows,
    order: RefCell<Order>,
}

#[derive(Debug)]
struct Order {
    /// The number of the last statement of each image that is ordered before what this one executes next; its own last
    /// number.
    clock: Vec<u64>,
    /// The clock at the beginning of the segment: what an atomic subroutine may tell others.
    released: Vec<u64>,
    /// What atomic subroutines of this segment have told this image.
    observed: Vec<u64>,
    /// How often this image and each other one have synchronised with one another.
    meetings: Vec<u64>,
    /// The statements of the segment, by their callers.
    statements: HashMap<Vec<usize>, u64>,
}

impl Order {
    /// A new segment begins.
    fn begin_segment(&mut self) {
        for (known, &observed) in self.clock.iter_mut().zip(&self.observed) {
            *known = observed.max(*known);
        }
        self.released.copy_from_slice(&self.clock);
        self.statements.clear();
    }

    fn see(&mut self, image: usize, number: u64) {
        self.clock[image] = number.max(self.clock[image]);
    }
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
        let order = Order {
            clock: zeros(),
            released: zeros(),
            observed: zeros(),
            meetings: zeros(),
            statements: HashMap::new(),
        };
        Ok(Races {
            me,
            shadows: Shadows::new(job.clone(), layout),
            job,
            order: RefCell::new(order),
        })
    }

    /// The number of the statement that this thread executes.
    pub fn statement(&self) -> Number {
        self.numbered(innermost_callers(CALLERS))
    }

    fn numbered(&self, callers: Vec<usize>) -> Number {
        let Order { clock, statements, .. } = &mut *self.order.borrow_mut();
        if let Some(&number) = statements.get(&callers) {
            return Number(number);
        }
        let own = &mut clock[self.me.index()];
        *own += 1;
        self.shadows.remember(self.me, *own, &callers);
        statements.insert(callers, *own);
        Number(*own)
    }

    /// Enters that a statement of this image accesses these bytes. Those outside of coarrays are left out.
    ///
    /// # Errors
    /// [`Error::Race`] when an access of another image conflicts with it and nothing orders the two.
    pub fn access(&self, Number(number): Number, bytes: Bytes, kind: Kind) -> Result<()> {
        let Bytes { of, offset, len } = bytes;
        let end = offset.saturating_add(len).min(self.shadows.end());
        let order = self.order.borrow();
        let is_before =
            |it: &Access| it.image == self.me.get() || it.number <= order.clock[it.image as usize];
        let mut from = offset;
        while from < end {
            let to = (from / GRANULE * GRANULE + GRANULE).min(end);
            let bits = (1u32 << (to - from)) - 1;
            let bytes = (bits << (from % GRANULE)) as u8;
            let mine = Access { image: self.me.get(), number, bytes, kind };
            if let Some(other) = slots::record(self.shadows.slots(of, from), mine, is_before) {
                let first = (other.bytes & bytes).trailing_zeros();
                let offset = from / GRANULE * GRANULE + u64::from(first);
                return Err(Error::Race(self.race(of, offset, other)));
            }
            from = to;
        }
        Ok(())
    }

    #[cold]
    fn race(&self, of: Rank, offset: u64, other: Access) -> Race {
        let Access { image, number, kind, .. } = other;
        let other = Rank::new(image);
        let verb = if kind.writes() { "writes" } else { "reads" };
        let statement = self.place(other, number);
        Race { of, offset, object: None, other, verb, statement }
    }

    /// The statement of an image with this number, as `file:line` or as much of that as is known.
    fn place(&self, of: Rank, number: u64) -> Option<String> {
        let callers = self.shadows.statement(of, number)?;
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
        self.order.borrow_mut().begin_segment();
    }

    /// This image is about to synchronise with these images, which do the same: before it notifies the first one.
    pub fn announce(&self, ranks: impl IntoIterator<Item = Rank>) {
        let order = &mut *self.order.borrow_mut();
        order.begin_segment();
        for rank in ranks.into_iter().filter(|&rank| rank != self.me) {
            let count = &mut order.meetings[rank.index()];
            *count += 1;
            self.shadows.send(self.me, rank, *count, &order.clock);
        }
    }

    /// This image has synchronised with these images, after it has announced that.
    pub fn meet(&self, ranks: impl IntoIterator<Item = Rank>) {
        let order = &mut *self.order.borrow_mut();
        for rank in ranks.into_iter().filter(|&rank| rank != self.me) {
            let count = order.meetings[rank.index()];
            self.shadows.receive(rank, self.me, count, |image, number| order.see(image, number));
        }
        order.begin_segment();
    }

    /// What this image has done is ordered before what follows [`Races::acquire`] of this variable: before the image
    /// changes it.
    pub fn release(&self, of: Rank, offset: u64) {
        let order = &mut *self.order.borrow_mut();
        order.begin_segment();
        self.shadows.add_to(of, offset, &order.clock);
    }

    /// This image has seen the variable as another image has changed it, in an image control statement.
    pub fn acquire(&self, of: Rank, offset: u64) {
        let order = &mut *self.order.borrow_mut();
        self.shadows.see(of, offset, |image, number| order.see(image, number));
        order.begin_segment();
    }

    /// An atomic subroutine is about to change this variable.
    pub fn before_atomic(&self, of: Rank, offset: u64) {
        self.shadows.add_to(of, offset, &self.order.borrow().released);
    }

    /// An atomic subroutine has read this variable.
    pub fn after_atomic(&self, of: Rank, offset: u64) {
        let observed = &mut self.order.borrow_mut().observed;
        self.shadows.see(of, offset, |image, number| {
            observed[image] = number.max(observed[image]);
        });
    }
}
