//! The means by which an image waits.

use super::background::Background;
use super::budget::Waiting;
use super::core_use::SharedCores;
use super::doorbell::Doorbell;
use super::need::{Describe, Description};
use super::other_threads::OtherThreads;
use super::recorder::Recorder;
use super::status::Status;
use crate::threads::ThreadLock;
use std::cell::Cell;
use std::time::Duration;

/// The means by which one image waits: its doorbell, the budgets of the job, and the status word that ends waits.
#[derive(Clone, Copy, Debug)]
pub struct Waits<'a> {
    pub(super) doorbell: &'a Doorbell,
    pub(super) status: &'a Status,
    pub(super) budget: Waiting,
    pub(super) background: Option<&'a dyn Background>,
    pub(super) recorder: Option<&'a dyn Recorder>,
    pub(super) cores: Option<&'a dyn SharedCores>,
    pub(super) need: Description<'a>,
    pub(super) threads: OtherThreads<'a>,
    /// The longest sleep, where the doorbell may not ring, and where it is noted that the image has slept.
    pub(super) bound: Option<(Duration, &'a Cell<bool>)>,
}

impl<'a> Waits<'a> {
    /// The waits of the image that parks at `doorbell` and advances `background` meanwhile.
    #[inline(always)]
    pub fn new(
        doorbell: &'a Doorbell,
        status: &'a Status,
        budget: Waiting,
        background: Option<&'a dyn Background>,
    ) -> Self {
        Waits {
            doorbell,
            status,
            budget,
            background,
            recorder: None,
            cores: None,
            need: Description::default(),
            threads: OtherThreads::default(),
            bound: None,
        }
    }

    /// These waits with a record of each wait, kept by `recorder` once an image has ended.
    #[inline(always)]
    pub fn recorded_by(self, recorder: &'a dyn Recorder) -> Self {
        Waits { recorder: Some(recorder), ..self }
    }

    /// These waits of an image that shares cores with others.
    #[inline(always)]
    pub fn sharing_cores(self, cores: &'a dyn SharedCores) -> Self {
        Waits { cores: Some(cores), ..self }
    }

    /// These waits without a record: the operation keeps its own, or waits for data in transit.
    #[inline(always)]
    pub fn unrecorded(self) -> Self {
        Waits { recorder: None, ..self }
    }

    /// These waits, which `need` describes when the launcher probes.
    #[inline(always)]
    pub fn needing(self, need: &'a dyn Describe) -> Self {
        Waits { need: Description(Some(need)), ..self }
    }

    /// These waits for a thread inside `lock`: the thread leaves the lock while it sleeps and when another thread wants
    /// to enter. Conditions are evaluated inside. `exclusive`: the wait is part of a collective operation, so no other
    /// thread may begin one.
    #[inline(always)]
    pub fn inside(self, lock: &'a ThreadLock, exclusive: bool) -> Self {
        Waits { threads: OtherThreads { lock: Some(lock), exclusive }, ..self }
    }

    /// These waits with sleeps of at most `bound`, for a condition that also becomes true by the clock. How long the image
    /// spins and yields does not change; `slept` becomes true when the image sleeps. They are parts of one wait, whose
    /// record a [`crate::failure::deadlock::Scope`] ends.
    #[inline(always)]
    pub fn bounded(self, bound: Duration, slept: &'a Cell<bool>) -> Self {
        Waits { bound: Some((bound, slept)), ..self }
    }
}
