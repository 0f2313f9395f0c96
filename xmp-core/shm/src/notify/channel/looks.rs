//! The looks of a wait for messages at other images: which have ended, have revoked the set, or have refused the call.

use crate::endpoint::Endpoint;
use crate::error::Result;
use crate::failure::calls::CallLog;
use crate::failure::refusals::{CallId, Look};
use crate::failure::{self, deadlock};
use crate::image_group::ImageGroup;
use crate::notify::message::Incoming;
use crate::notify::partner::{self, Gone};
use crate::rank::Rank;
use crate::wait::{PAUSES, Waits};
use std::cell::Cell;
use std::time::Duration;

/// The ends of images, as far as they concern an operation.
pub(super) struct Ends<'a> {
    image: &'a Endpoint,
    set: &'a ImageGroup,
    log: Option<&'a CallLog>,
    /// A partner that can no longer take part.
    gone: Cell<Option<Gone>>,
    /// Whether an image of the set has ended: partners may have revoked the set because of it.
    may_have_left: Cell<bool>,
}

impl<'a> Ends<'a> {
    #[inline]
    pub(super) fn new(
        image: &'a Endpoint,
        set: &'a ImageGroup,
        log: Option<&'a CallLog>,
    ) -> Ends<'a> {
        Ends { image, set, log, gone: Cell::new(None), may_have_left: Cell::new(false) }
    }

    /// Whether partners may have revoked the set.
    #[inline]
    pub(super) fn may_have_left(&self) -> bool {
        self.may_have_left.get()
    }

    /// The partner that [`check`](Self::check) has found last.
    pub(super) fn take_gone(&self) -> Option<Gone> {
        self.gone.take()
    }

    /// Checks that these partners can still do their parts, and once that all images of the set run.
    pub(super) fn check(&self, needed: [Option<Rank>; 2]) -> Result<()> {
        partner::watch(self.image, needed, &self.gone)?;
        if let Some(log) = self.log {
            let mut partners = needed.into_iter().flatten();
            partners.try_for_each(|partner| log.compare(self.image, partner))?;
        }
        if self.may_have_left.get() {
            return Ok(());
        }
        failure::check(self.image.job(), self.set.ranks())
            .inspect_err(|_| self.may_have_left.set(true))
    }
}

/// The looks at the tables of partners, for which no doorbell rings.
pub(super) struct Looks<'a> {
    image: &'a Endpoint,
    set: &'a ImageGroup,
    call: Option<CallId>,
    refusals: Look,
    /// Set where partners can refuse the call: then a wait that has come to sleep reads their tables.
    slept: Cell<bool>,
    /// The time between two looks for revocations.
    pause: Duration,
    recorded: deadlock::Scope<'a>,
}

impl<'a> Looks<'a> {
    #[inline]
    pub(super) fn new(image: &'a Endpoint, set: &'a ImageGroup, call: Option<CallId>) -> Looks<'a> {
        Looks {
            image,
            set,
            call,
            refusals: Look::default(),
            slept: Cell::new(false),
            pause: PAUSES[0],
            recorded: deadlock::Scope::new(image),
        }
    }

    /// The first partner that has left the operation or refused the call. It is asked before the messages advance: what a partner
    /// sent before it revoked the set has arrived then.
    #[inline]
    pub(super) fn find(
        &self,
        needed: [Option<Rank>; 2],
        incoming: &Option<Incoming<'_>>,
        may_have_left: bool,
    ) -> Result<Option<Gone>> {
        if may_have_left {
            // Such a wait sleeps by the clock anyway.
            self.slept.set(self.call.is_some());
            let ahead = incoming.as_ref().filter(|message| message.is_ahead).map(Incoming::from);
            let left = partner::find_left(self.image, self.set, needed, ahead)?;
            if left.is_some() {
                return Ok(left);
            }
        }
        match self.call.filter(|_| self.refusals.take()) {
            Some(call) => partner::find_refusing(self.image, call, needed),
            None => Ok(None),
        }
    }

    /// A wait that comes back for the looks.
    #[inline]
    pub(super) fn bound<'b>(&'b self, waits: Waits<'b>) -> Waits<'b> {
        if self.call.is_some() { waits.bounded(Look::LONGEST, &self.slept) } else { waits }
    }

    /// Whether it is time to look for refusals.
    #[inline]
    pub(super) fn is_due(&self) -> bool {
        self.slept.get() && self.refusals.is_time()
    }

    /// The time between two looks for revocations.
    pub(super) fn pause(&self) -> Duration {
        self.pause
    }

    /// Records a look for revocations that found nothing; the next one is later.
    pub(super) fn lengthen_pause(&mut self) {
        self.recorded.look();
        self.pause = (2 * self.pause).min(PAUSES[1]);
    }
}
