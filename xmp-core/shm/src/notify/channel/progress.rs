//! The progress of the two messages, and the partners that they still need.

use crate::endpoint::Endpoint;
use crate::error::Result;
use crate::failure::deadlock;
use crate::notify::message::{Incoming, Outgoing, Stage};
use crate::rank::Rank;
use crate::wait::{Need, WaitKind};
use std::cell::Cell;

/// What is left to do for both messages.
pub(super) struct Progress<'a> {
    image: &'a Endpoint,
    /// The partners that this image still needs: a partner may end as soon as its own part is done.
    needed: Cell<[Option<Rank>; 2]>,
    /// Whether MPI has a message in transit.
    in_transit: Cell<bool>,
}

impl<'a> Progress<'a> {
    /// Nothing is known before the first [`advance`](Self::advance).
    #[inline]
    pub(super) fn new(image: &'a Endpoint) -> Self {
        Progress { image, needed: Cell::new([None, None]), in_transit: Cell::new(false) }
    }

    /// The partners that this image still needs.
    #[inline]
    pub(super) fn needed(&self) -> [Option<Rank>; 2] {
        self.needed.get()
    }

    /// Whether both messages are complete.
    #[inline]
    pub(super) fn is_complete(&self) -> bool {
        self.needed.get() == [None, None]
    }

    /// The need of the wait: nothing while MPI may end it.
    pub(super) fn need(&self) -> Need {
        if self.in_transit.get() {
            return Need::default();
        }
        Need::all_of(WaitKind::Message, self.needed.get().into_iter().flatten())
    }

    /// Moves what can be moved.
    #[inline]
    pub(super) fn advance(
        &self,
        outgoing: &mut Option<Outgoing<'_>>,
        incoming: &mut Option<Incoming<'_>>,
    ) -> Result<()> {
        let is_observed = self.image.has_slept() || !self.image.all_running();
        let before = is_observed.then(|| stages(outgoing, incoming));
        let moved = move_packets(outgoing, incoming);
        if let Some(before) = before {
            let now = stages(outgoing, incoming);
            // What MPI has in transit, or this image has moved, may end the wait of another image.
            self.in_transit.set(now.iter().flatten().any(|stage| stage.in_transit));
            if now != before || self.in_transit.get() {
                deadlock::release(self.image);
            }
        }
        self.needed.set([
            outgoing.as_ref().map(|message| message.to()),
            incoming.as_ref().map(|message| message.from()),
        ]);
        moved
    }
}

/// The progress of both messages.
fn stages(outgoing: &Option<Outgoing<'_>>, incoming: &Option<Incoming<'_>>) -> [Option<Stage>; 2] {
    [outgoing.as_ref().map(Outgoing::stage), incoming.as_ref().map(Incoming::stage)]
}

/// Moves the packets of both messages. A message that is complete becomes `None`.
#[inline]
fn move_packets(
    outgoing: &mut Option<Outgoing<'_>>,
    incoming: &mut Option<Incoming<'_>>,
) -> Result<()> {
    if let Some(message) = outgoing
        && message.progress()?
    {
        *outgoing = None;
    }
    if let Some(message) = incoming
        && message.progress()?
    {
        *incoming = None;
    }
    Ok(())
}
