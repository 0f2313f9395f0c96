//! The waits of an image: what they advance, and what they record.

use super::record::{Blocked, Record};
use super::{Answer, Answered, Endpoint, Work};
use crate::error::Error;
use crate::sync::Ordering;
use crate::transport::FlushScope;
use crate::wait::{Background, Describe, EndedBy, Need, Probe, Recorder, SharedCores, Waits};
use smallvec::SmallVec;
use std::any::Any;
use std::time::Duration;

impl Endpoint {
    /// The waits of this image within a collective operation or an image control statement: no other thread of it may
    /// begin one meanwhile.
    #[inline]
    pub fn waits(&self) -> Waits<'_> {
        self.doorbell_waits().inside(&self.threads, true)
    }

    /// The waits of this image where its other threads may do anything meanwhile.
    #[inline]
    pub fn waits_one_sided(&self) -> Waits<'_> {
        self.doorbell_waits().inside(&self.threads, false)
    }

    #[inline(always)]
    fn doorbell_waits(&self) -> Waits<'_> {
        let page = self.job.page();
        let waits =
            Waits::new(&self.entry().doorbell, &page.status, page.waiting, self.behind_waits())
                .recorded_by(self);
        match self.shared_cores() {
            Some(cores) => waits.sharing_cores(cores),
            None => waits,
        }
    }

    /// What this image knows of the cores that it shares, or may share, with others.
    #[inline(always)]
    pub fn shared_cores(&self) -> Option<&dyn SharedCores> {
        self.cores.as_deref().map(|cores| cores as &dyn SharedCores)
    }

    /// The record of this image's wait ([`crate::failure::deadlock`]).
    #[inline(always)]
    pub fn blocked(&self) -> &Blocked {
        &self.blocked
    }

    /// Whether this image has slept in the wait that it is in, so that its record may have been read.
    #[inline(always)]
    pub fn has_slept(&self) -> bool {
        !self.wait.get().is_multiple_of(2)
    }

    /// Gives the wait that this image is in a number, if it has none yet.
    fn number_wait(&self) {
        if !self.has_slept() {
            self.next_wait_number();
        }
    }

    fn next_wait_number(&self) {
        let number = self.wait.get().wrapping_add(1);
        self.wait.set(number);
        self.entry().doorbell.set_wait_number(number);
    }

    /// Whether everything that this image sent before its wait has arrived. To an image that has ended nothing can be sent.
    fn has_flushed(&self) -> bool {
        let wait = Some(self.wait.get());
        if self.one_host() || self.flushed.get() == wait {
            return true;
        }
        let outcome = self.transport.flush(FlushScope::Everything);
        let done = matches!(outcome, Ok(()) | Err(Error::FailedImage(_) | Error::StoppedImage(_)));
        if done {
            self.flushed.set(wait);
        }
        done
    }

    /// The work of type `W` that this image's waits advance; made at the first call.
    ///
    /// # Panics
    /// When work of another type was there before: only one type of work is supported.
    pub fn work<W: Work + Default>(&self) -> &W {
        let work: &dyn Any = self.work.get_or_make(|| Box::new(W::default()));
        work.downcast_ref().expect("one kind of work behind waits")
    }

    /// Sets whether the work has anything to do. Waits ignore it otherwise, so that it costs nothing then.
    pub fn set_busy(&self, busy: bool) {
        self.work.set_busy(busy);
    }

    /// Advances the work. `may_answer`: the image sleeps next, and answers a probe before that.
    fn advance_work(&self, may_answer: bool) -> bool {
        // Acquire: what other images did before they answered the probe before this one.
        let probe = || self.job.page().status.probe.load(Ordering::Acquire);
        let is_probed = may_answer && self.answered.get() != Probe(probe());
        self.work.get().is_some_and(|work| work.advance(self, is_probed))
    }

    /// Advances the work once. Returns whether it can only continue by messages of other images then, or whether there is none.
    fn advance_until_it_waits(&self) -> bool {
        let work = if self.work.is_busy() { self.work.get() } else { None };
        work.is_none_or(|work| work.partners().is_some() && !work.advance(self, true))
    }

    /// The work that a wait that begins now advances.
    #[inline(always)]
    fn behind_waits(&self) -> Option<&dyn Background> {
        if self.work.is_busy() || self.polled { Some(self) } else { None }
    }

    /// The record of this image's wait.
    fn record(&self) -> &Record {
        let at = self.own.wrapping_add(self.layout.blocked as usize);
        // SAFETY: the area of the record in the own segment: atomics, which live as long as the image.
        unsafe { &*at.cast::<Record>() }
    }
}

impl Background for Endpoint {
    fn advance(&self, spun: Option<u32>) -> bool {
        let served = self.transport.background().is_some_and(|behind| behind.advance(spun));
        let worked = self.work.is_busy() && self.advance_work(spun.is_none());
        if worked {
            // What was sent may end the wait of another image. What was served is the act of the image that has
            // requested it.
            self.release();
        }
        served || worked
    }

    fn nap(&self) -> Option<Duration> {
        self.transport.background().and_then(|behind| behind.nap())
    }
}

impl Recorder for Endpoint {
    fn sleeps(&self) {
        self.number_wait();
    }

    fn has_answered(&self, probe: Probe) -> bool {
        self.answered.get() == probe
    }

    /// Records nothing in an image of several threads, because another thread may end the waits of other images. Operations in the
    /// background are looked at here: a wait may evaluate its condition without advancing them.
    #[cold]
    fn look(&self) {
        if self.threads.is_shared() || !self.advance_until_it_waits() {
            return self.release();
        }
        self.number_wait();
        self.blocked
            .look(self.record(), &self.job, || self.transport.flush(FlushScope::Everything));
    }

    #[cold]
    fn answer(&self, probe: Probe, wait: Option<&dyn Describe>) {
        // The look before this answer may have ended the wait's number.
        self.number_wait();
        self.answered.set(probe);
        let mut need = wait.map_or_else(Need::default, Describe::need);
        // Until one of these acts, the work sends nothing.
        let partners = if self.work.is_busy() {
            self.work.get().and_then(|work| work.partners())
        } else {
            Some(SmallVec::new())
        };
        // Another thread may act; and an image that cannot tell that its messages have arrived may still end the waits of others.
        match partners {
            Some(partners) if !self.threads.is_shared() && self.has_flushed() => {
                need.background = partners;
            }
            _ => need.by = EndedBy::Unknown,
        }
        let callers = if probe.with_callers() { xmp_source::callers() } else { Vec::new() };
        let answered = Answered { wait: self.wait.get(), need, callers, variable: None };
        Answer::publish(&self.job, self.rank, probe, &answered);
        // After the answer: many images that look up names at once on few cores are late with them.
        if probe.with_variable() {
            let variable = wait.and_then(Describe::variable);
            Answer::publish_variable(&self.job, self.rank, probe, variable.as_deref());
        }
    }

    fn advanced(&self) {
        if self.has_slept() {
            self.blocked.release(self.record());
        }
    }

    #[inline(always)]
    fn release(&self) {
        if self.has_slept() {
            self.next_wait_number();
            self.blocked.release(self.record());
        }
    }
}
