//! Call log: each image publishes which collectives of a set over several hosts it has begun, so that an image that waits in one finds
//! partners that execute others.
//!
//! Images that name different roots of a collective wait for messages that nobody sends. Each image therefore writes the *stamp* and a
//! hash of each call into a table of its segment before the call exchanges anything. A stamp is the number of the set's last
//! synchronisation ([`super::arrivals`]) and the number of the call since then. All images that execute the same statements give a
//! stamp the same hash. An image in a wait reads the tables of its partners when the launcher probes, so nothing is read where images
//! agree and wait less than that long. A difference of hashes at one stamp proves that the images differ, whatever is in transit.
//!
//! An image that has found a difference *gives up* the call, publishes that, and refuses the calls of the set up to the next
//! synchronisation, which tells all images (`collectives/src/barrier/over_hosts.rs`). So an image that waits for it finds that, too.
//!
//! The table has room for a few sets, which displace one another, and for the last calls of a set. A call that the table has no longer
//! is unknown, and counts as no difference.

mod begun;
mod entry;

pub use begun::compare_begun;

use super::{all_running, arrivals};
use crate::endpoint::Endpoint;
use crate::error::{Error, Result};
use crate::hash;
use crate::image_group::ImageGroup;
use crate::members::Key;
use crate::rank::Rank;
use crate::sync::Ordering;
use crate::transport::{AtomicRequest, FlushScope, Width};
use entry::{Call, Difference, ENTRIES, Entry, GIVEN_UP, LAST};
use std::cell::{Cell, RefCell};

/// The calls of a set over several hosts, as one image knows them.
#[derive(Debug)]
pub struct CallLog {
    key: u64,
    /// The number of the set's last synchronisation; `None` if this image cannot count them. Each difference that all images have
    /// found begins another phase.
    phase: Cell<Option<u32>>,
    /// The number of the last call in the phase, and its hash.
    count: Cell<u32>,
    hash: Cell<u64>,
    /// Whether this image is in that call, for all that is known here.
    is_in_call: Cell<bool>,
    /// The hash of the flows of the calls since the images have compared them.
    flows: Cell<u64>,
    /// Why this image has given up a call since then.
    given_up: RefCell<Option<String>>,
    /// Whether this image has given up because another one had.
    follows_another: Cell<bool>,
    /// How often the images of the set have found a difference.
    differences: Cell<u32>,
}

impl CallLog {
    /// The log of a set, all images of which have compared their flows.
    pub fn new(image: &Endpoint, set: &ImageGroup) -> CallLog {
        let Key([first, second]) = set.key();
        let log = CallLog {
            key: (first ^ second.rotate_left(32)).max(1),
            phase: Cell::new(arrivals::count(image, set)),
            count: Cell::new(0),
            hash: Cell::new(0),
            is_in_call: Cell::new(false),
            flows: Cell::new(0),
            given_up: RefCell::new(None),
            follows_another: Cell::new(false),
            differences: Cell::new(0),
        };
        if let Some(stamp) = log.stamp() {
            log.entry(image).claim(log.key, stamp);
        }
        log
    }

    /// Whether a new log of the same set would be the same.
    pub fn is_new(&self) -> bool {
        self.count.get() == 0
            && self.flows.get() == 0
            && self.differences.get() == 0
            && self.given_up.borrow().is_none()
    }

    /// The hash of the flows since the images have compared them.
    pub fn flows(&self) -> u64 {
        self.flows.get()
    }

    /// How often the images have found a difference: the same on all of them.
    pub fn differences(&self) -> u32 {
        self.differences.get()
    }

    /// Why this image has given up a call since the images have compared their flows.
    pub fn given_up(&self) -> Option<String> {
        self.given_up.borrow().clone()
    }

    /// Whether this image has given up a call because another one had, and knows no difference itself.
    pub fn follows_another(&self) -> bool {
        self.follows_another.get()
    }

    /// Begins the phase after a synchronisation of the set, whose number is `None` if this image cannot count it.
    pub fn begin_phase(&self, image: &Endpoint, number: Option<u64>) {
        self.phase.set(number.map(|number| number as u32));
        self.publish_phase(image);
    }

    fn publish_phase(&self, image: &Endpoint) {
        self.count.set(0);
        self.is_in_call.set(false);
        if let Some(stamp) = self.stamp() {
            let entry = self.entry(image);
            entry.claim(self.key, stamp);
            // Release: the calls before it.
            entry.0[LAST].store(stamp, Ordering::Release);
        }
    }

    /// Begins a call with this word, after which the flows have this hash.
    ///
    /// # Errors
    /// When this image has given up a call in this phase or before.
    pub fn begin(&self, image: &Endpoint, call: u64, flows: u64) -> Result<()> {
        self.count.set(self.count.get().wrapping_add(1));
        self.hash.set(hash::mixed_with(self.flows.replace(flows) ^ call, flows));
        if let Some(why) = self.given_up() {
            self.publish_given_up(image)?;
            return Err(Error::Invalid(why));
        }
        self.is_in_call.set(true);
        if let Some(stamp) = self.stamp() {
            let entry = self.entry(image);
            entry.claim(self.key, stamp);
            entry.begin(stamp, self.hash.get());
        }
        Ok(())
    }

    /// Gives up the call that this image is in, if it is in one, because of this difference. When others see that, everything that
    /// this image has sent before has arrived.
    ///
    /// # Errors
    /// When what it has sent cannot be completed.
    #[cold]
    pub fn give_up(&self, image: &Endpoint, why: &str) -> Result<()> {
        if !self.is_in_call.replace(false) {
            return Ok(());
        }
        self.given_up.borrow_mut().get_or_insert_with(|| why.into());
        self.publish_given_up(image)
    }

    fn publish_given_up(&self, image: &Endpoint) -> Result<()> {
        let Some(stamp) = self.stamp() else { return Ok(()) };
        let entry = self.entry(image);
        entry.claim(self.key, stamp);
        // The first one of the phase counts.
        if entry.load(GIVEN_UP) >> 32 == stamp >> 32 && entry.load(GIVEN_UP) != 0 {
            return Ok(());
        }
        let finished = image.transport().flush(FlushScope::Everything);
        // Release: what this image has done before.
        entry.0[GIVEN_UP].store(stamp, Ordering::Release);
        finished
    }

    /// Ends the call that this image is in: from now on it compares nothing.
    pub fn end_call(&self) {
        self.is_in_call.set(false);
    }

    /// Notes that the images have compared their flows.
    pub fn compared(&self) {
        self.is_in_call.set(false);
        self.flows.set(0);
        self.given_up.replace(None);
        self.follows_another.set(false);
    }

    /// Notes that all images have found a difference. They go on alike, in a new phase: others may not have noted it yet.
    pub fn recover(&self, image: &Endpoint) {
        self.compared();
        self.differences.set(self.differences.get().wrapping_add(1));
        self.publish_phase(image);
    }

    /// Compares the call that this image is in with the log of `other`. Called in a wait, when the launcher probes.
    ///
    /// # Errors
    /// When `other` executes another call, or has given this one up; when its host cannot be reached.
    #[cold]
    pub fn compare(&self, image: &Endpoint, other: Rank) -> Result<()> {
        // After the end of an image others may leave calls out.
        if !self.is_in_call.get() || other == image.rank() || !all_running(image.job()) {
            return Ok(());
        }
        match self.difference(image, other)? {
            None => Ok(()),
            Some(Difference::Calls) => Err(Error::Invalid(format!(
                "{other} executes another statement, or has another type, shape, operation or root here, or had another root in an \
                 earlier collective: XMP_CHECK=1 names it"
            ))),
            Some(Difference::GivenUp) => {
                self.follows_another.set(true);
                Err(Error::Invalid(format!(
                    "{other} has found that an image executes another statement, or has another type, shape, operation or root here, or had \
                     another root in an earlier collective: XMP_CHECK=1 names it"
                )))
            }
        }
    }

    /// Whether `other` executes another call than the last one of this image, or has given it up.
    ///
    /// # Errors
    /// When its host cannot be reached.
    pub fn differs(&self, image: &Endpoint, other: Rank) -> Result<bool> {
        Ok(self.difference(image, other)?.is_some())
    }

    fn difference(&self, image: &Endpoint, other: Rank) -> Result<Option<Difference>> {
        let Some(stamp) = self.stamp() else { return Ok(None) };
        let call = Call { key: self.key, stamp, hash: self.hash.get() };
        call.compare(read_from(image, other, self.key))
    }

    fn stamp(&self) -> Option<u64> {
        let phase = self.phase.get()?.wrapping_add(self.differences.get());
        Some(u64::from(phase) << 32 | u64::from(self.count.get()))
    }

    /// This image's own entry for the set.
    fn entry<'a>(&self, image: &'a Endpoint) -> &'a Entry {
        own_entry(image, self.key)
    }
}

/// The offset in a table of the entry for this key.
fn offset(key: u64) -> u64 {
    // The middle bits.
    (key >> 32) % ENTRIES as u64 * size_of::<Entry>() as u64
}

/// This image's own entry for this key.
fn own_entry(image: &Endpoint, key: u64) -> &Entry {
    let at = image.own_segment().wrapping_add((image.layout().calls + offset(key)) as usize);
    // SAFETY: an aligned entry of the own table: atomics, which live as long as the image.
    unsafe { &*at.cast::<Entry>() }
}

/// Reads words, with acquire order, of the entry that `other` has for this key.
fn read_from(image: &Endpoint, other: Rank, key: u64) -> impl Fn(usize) -> Result<u64> {
    let entry = image.layout().calls + offset(key);
    move |word| {
        let at = entry + (word * size_of::<u64>()) as u64;
        // SAFETY: an aligned word of the table, which consists of atomics.
        unsafe { image.transport().atomic(other, at, Width::W8, AtomicRequest::LOAD) }
    }
}
