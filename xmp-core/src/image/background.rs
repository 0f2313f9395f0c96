//! Background work: operations that progress while an image waits for something else.

use super::Image;
use crate::wait::Background;
use std::any::Any;
use std::cell::{Cell, OnceCell};
use std::fmt::Debug;
use std::time::Duration;

/// Operations that an image has begun and not completed, defined by a crate above this one.
pub trait Work: Any + Debug {
    /// Does what can be done without waiting. Returns whether anything was done. Called again and again in every wait
    /// of the image, so it must not wait itself, and what it waits for must ring the image's doorbell.
    fn advance(&self, image: &Image) -> bool;
}

/// The background work of an image.
#[derive(Debug, Default)]
pub struct Slot {
    work: OnceCell<Box<dyn Work>>,
    busy: Cell<bool>,
}

impl Image {
    /// The work of type `W` that this image's waits advance; made at the first call.
    ///
    /// # Panics
    /// When work of another type was there before: only one type of work is supported.
    pub fn work<W: Work + Default>(&self) -> &W {
        let work = self.background.work.get_or_init(|| Box::new(W::default()));
        let work: &dyn Any = work.as_ref();
        work.downcast_ref().expect("one kind of work behind waits")
    }

    /// Sets whether the work has anything to do. Waits ignore it otherwise, so that it costs nothing then.
    pub fn set_busy(&self, busy: bool) {
        self.background.busy.set(busy);
    }

    /// Whether this image's waits advance an operation.
    pub(crate) fn is_busy(&self) -> bool {
        self.background.busy.get()
    }

    /// What a wait that begins now advances.
    #[inline(always)]
    pub(super) fn behind_waits(&self) -> Option<&dyn Background> {
        if self.background.busy.get() || self.polled { Some(self) } else { None }
    }
}

impl Background for Image {
    fn advance(&self, spun: Option<u32>) -> bool {
        let served = self.transport().behind_waits().is_some_and(|behind| behind.advance(spun));
        let worked = self.background.busy.get()
            && self.background.work.get().is_some_and(|work| work.advance(self));
        served || worked
    }

    fn nap(&self) -> Option<Duration> {
        self.transport().behind_waits().and_then(|behind| behind.nap())
    }
}
