//! Messages between two images, matched by their order within an operation.

use super::label::LABEL;
use super::rendezvous::RendezvousSend;
use super::{Label, Lane, Link, PACKET};
use crate::endpoint::Endpoint;
use crate::error::{Error, Result};
use crate::failure::deadlock;
use crate::failure::refusals::{self, CallId, Look};
use crate::failure::{self, revocation};
use crate::image_group::ImageGroup;
use crate::job::page::ImageState;
use crate::rank::Rank;
use crate::wait::PAUSES;
use smallvec::SmallVec;
use std::cell::Cell;
use std::time::Instant;

/// A partner that will neither send nor receive any more in an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// The partner.
    pub partner: Rank,
    /// The end of an image that is the cause: of the partner, or of an image whose end made the partner revoke the set.
    pub error: Error,
}

/// Completes both messages at once, of an operation of `set`; each becomes `None` when it is complete. Returns `Some`
/// when that is impossible: a partner has ended, has revoked the set ([`revocation`]), or has given up and waits
/// elsewhere in a survivor synchronisation. What the partner sent before that still counts.
///
/// Matching is by order: the n-th message with a label that is sent to an image is the n-th that it receives from here,
/// and both sides must pass the same length. Messages of operations that were given up, which have other labels, are
/// dropped.
///
/// `call` says which call the operation is, if an image can refuse it. `Some` then also when a partner has refused it or has
/// given it up ([`refusals`]).
///
/// # Errors
/// When the job is ending or the transport fails.
pub fn drive(
    image: &Endpoint,
    set: &ImageGroup,
    call: Option<CallId>,
    outgoing: &mut Option<Outgoing<'_>>,
    incoming: &mut Option<Incoming<'_>>,
) -> Result<Option<Gone>> {
    image.threads().only_one()?;
    // The partners that this image still needs: a partner may end as soon as its own part is done.
    let needed = Cell::new([None, None]);
    let (gone, may_have_left) = (Cell::new(None), Cell::new(false));
    let watch = || {
        watch(image, needed.get(), &gone)?;
        // From now on this image checks whether partners have revoked the set, because of this end.
        if may_have_left.get() {
            Ok(())
        } else {
            failure::check(image.job(), set.ranks()).inspect_err(|_| may_have_left.set(true))
        }
    };
    let is_rendezvous = outgoing.as_ref().is_some_and(|message| message.rendezvous.is_some())
        || incoming.as_ref().is_some_and(|message| message.rendezvous.is_some());
    // No doorbell rings when a partner revokes the set.
    let mut pause = PAUSES[0];
    let recorded = deadlock::Scope::new(image);
    // Set where partners can refuse the call: then a wait that has come to sleep reads their tables.
    let (look, slept) = (Look::default(), Cell::new(false));
    loop {
        let looks = may_have_left.get();
        if looks && call.is_some() {
            // Such a wait sleeps by the clock anyway.
            slept.set(true);
        }
        // Asked before: what a partner sent before it revoked the set has arrived then.
        let ahead = incoming.as_ref().filter(|message| message.is_ahead).map(Incoming::from);
        let mut left = if looks { who_has_left(image, set, needed.get(), ahead)? } else { None };
        if let Some(call) = call.filter(|_| left.is_none() && look.take()) {
            left = who_refuses(image, call, needed.get())?;
        }
        let next_look = (looks && left.is_none()).then(|| Instant::now() + pause);
        let mut trouble = Ok(());
        let ready = || {
            let before = (!image.all_running()).then(|| stages(outgoing, incoming));
            trouble = progress(outgoing, incoming);
            if let Some(before) = before {
                let now = stages(outgoing, incoming);
                // What MPI has in transit, or this image has moved, may end the wait of another image.
                if now != before || now.iter().flatten().any(|stage| stage.in_transit) {
                    deadlock::release(image);
                }
            }
            needed.set([
                outgoing.as_ref().map(|message| message.to()),
                incoming.as_ref().map(|message| message.from()),
            ]);
            trouble.is_err()
                || needed.get() == [None, None]
                || left.is_some()
                || incoming.as_ref().is_some_and(|message| message.meets.is_some())
                || next_look.is_some_and(|time| Instant::now() >= time)
                || (slept.get() && look.is_time())
        };
        let waits = image.waits();
        let waits = if call.is_some() { waits.bounded(Look::LONGEST, &slept) } else { waits };
        let waited = match (looks, is_rendezvous) {
            (true, _) => image.waits().unrecorded().until_asked(pause, watch, ready),
            // No doorbell rings when the bytes of a rendezvous have arrived.
            (_, true) => waits.until_asked(image.settings().server.nap, watch, ready),
            _ => waits.until(watch, ready),
        };
        trouble?;
        if needed.get() == [None, None] {
            return Ok(None);
        }
        if let Some(message) = incoming
            && let Some(met) = message.meets.take()
        {
            deadlock::release(image);
            message.decide(image, set, call, met)?;
            continue;
        }
        if let Some(left) = left.filter(|left| needed.get().contains(&Some(left.partner))) {
            return Ok(Some(left));
        }
        match (waited, gone.take()) {
            (Err(_), Some(gone)) => return why(image, set, call, gone).map(Some),
            (Err(error @ Error::JobEnding), _) => return Err(error),
            _ if looks => {
                recorded.look();
                pause = (2 * pause).min(PAUSES[1]);
            }
            _ => {}
        }
    }
}

/// Completes a rendezvous message that this image has begun to send; called before it publishes a revocation. The
/// receiver has announced that it is ready, and stays so ([`await_rendezvous`]); MPI cannot cancel what is being sent.
///
/// # Errors
/// When the job is ending or the transport fails.
pub fn finish_rendezvous(image: &Endpoint, outgoing: &mut Option<Outgoing<'_>>) -> Result<()> {
    let Some(message) = outgoing else { return Ok(()) };
    let to = message.to();
    let Some(rendezvous) = message.rendezvous.as_mut().filter(|rendezvous| rendezvous.is_begun())
    else {
        return Ok(());
    };
    let mut outcome = Ok(false);
    let over = || {
        outcome = rendezvous.is_done();
        !matches!(outcome, Ok(false))
    };
    let watch = || failure::check(image.job(), [to]);
    match image.waits().unrecorded().until_asked(image.settings().server.nap, watch, over) {
        Err(Error::StoppedImage(_) | Error::FailedImage(_)) => Ok(()),
        waited => waited.and(outcome.map(drop)),
    }
}

/// Keeps the memory of a rendezvous message for which this image is ready, until the message is there, or the sender
/// has revoked the set, given up the call or ended, too; called after this image has published that it has revoked `set`, or
/// has given up the call. The sender may
/// have seen that this image is ready, and send.
///
/// # Errors
/// When the job is ending or the transport fails.
pub fn await_rendezvous(
    image: &Endpoint,
    set: &ImageGroup,
    call: Option<CallId>,
    incoming: &mut Option<Incoming<'_>>,
) -> Result<()> {
    let Some(message) = incoming else { return Ok(()) };
    let from = message.from();
    let Some(rendezvous) = message.rendezvous.as_mut().filter(|rendezvous| rendezvous.is_begun())
    else {
        return Ok(());
    };
    let mut pause = PAUSES[0];
    loop {
        let has_ended = image.job().state(from) != ImageState::Running;
        let is_gone = has_ended
            || revocation::of_any(image, from, ended(image, set))?.is_some()
            || call.map_or(Ok(None), |call| refusals::of(image, from, call))?.is_some();
        if rendezvous.is_done()? || is_gone {
            return Ok(());
        }
        let next_look = Instant::now() + pause;
        pause = (2 * pause).min(PAUSES[1]);
        let mut outcome = Ok(false);
        let over = || {
            outcome = rendezvous.is_done();
            !matches!(outcome, Ok(false)) || Instant::now() >= next_look
        };
        let watch = || match failure::check(image.job(), [from]) {
            Err(Error::JobEnding) => Err(Error::JobEnding),
            _ => Ok(()),
        };
        image.waits().unrecorded().until_asked(pause, watch, over)?;
        outcome?;
    }
}

/// Checks that these partners can still do their parts, as far as all images can see; stores one that cannot in `gone`.
fn watch(image: &Endpoint, needed: [Option<Rank>; 2], gone: &Cell<Option<Gone>>) -> Result<()> {
    let job = image.job();
    let partners = || needed.into_iter().flatten();
    let found = match failure::check(job, partners()) {
        Err(error @ (Error::StoppedImage(partner) | Error::FailedImage(partner))) => {
            Gone { partner, error }
        }
        Err(error) => return Err(error),
        Ok(()) => {
            // An image that has given up an operation after a failure, and waits in a survivor synchronisation, counts
            // as failed: it sends and receives nothing more of that operation. The failure may become known here later.
            let waits =
                |&partner: &Rank| failure::waits_at_survivor_sync(job, partner, image.rank());
            let Some(partner) = partners().find(waits) else { return Ok(()) };
            let failed = failure::failed_in_order(job, job.ranks());
            let Some(&failed) = failed.first() else { return Ok(()) };
            Gone { partner, error: Error::FailedImage(failed) }
        }
    };
    let error = found.error.clone();
    gone.set(Some(found));
    Err(error)
}

/// The ended images of the set, as far as they are known here.
fn ended(image: &Endpoint, set: &ImageGroup) -> SmallVec<[Rank; 8]> {
    set.ranks().filter(|&rank| image.job().state(rank) != ImageState::Running).collect()
}

/// The first of these partners that has been notified of the end of an image of the set, if that end is known here, or
/// has come to a later operation of the set (`ahead`).
fn who_has_left(
    image: &Endpoint,
    set: &ImageGroup,
    needed: [Option<Rank>; 2],
    ahead: Option<Rank>,
) -> Result<Option<Gone>> {
    let ended = ended(image, set);
    for partner in needed.into_iter().flatten() {
        let told = revocation::of_any(image, partner, ended.iter().copied())?;
        let because = || failure::check(image.job(), ended.iter().copied()).err();
        if let Some(error) = told.or_else(|| because().filter(|_| ahead == Some(partner))) {
            return Ok(Some(Gone { partner, error }));
        }
    }
    Ok(None)
}

/// The first of these partners that does not execute the call, or has given it up.
fn who_refuses(image: &Endpoint, call: CallId, needed: [Option<Rank>; 2]) -> Result<Option<Gone>> {
    for partner in needed.into_iter().flatten() {
        if let Some(error) = refusals::of(image, partner, call)? {
            return Ok(Some(Gone { partner, error }));
        }
    }
    Ok(None)
}

/// The cause of a partner's end. The partner may have revoked the set before it ended, because it was notified of the
/// end of another image. That image is the cause then: the partner may have taken part in all later operations of other
/// sets. Or it may have refused the call.
fn why(image: &Endpoint, set: &ImageGroup, call: Option<CallId>, gone: Gone) -> Result<Gone> {
    if let Some(call) = call
        && let Some(error) = refusals::of(image, gone.partner, call)?
    {
        return Ok(Gone { error, ..gone });
    }
    let told = revocation::of_any(image, gone.partner, ended(image, set))?;
    Ok(Gone { error: told.unwrap_or(gone.error), ..gone })
}

/// The progress of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stage {
    bytes_left: usize,
    started: bool,
    /// Of an outgoing one: whether the receiver must still announce that it is ready.
    waits: bool,
    /// Of an incoming one: the packet number that was announced to its sender.
    announced: Option<u64>,
    /// Whether MPI has begun to send or receive it.
    in_transit: bool,
}

/// The progress of both messages.
fn stages(outgoing: &Option<Outgoing<'_>>, incoming: &Option<Incoming<'_>>) -> [Option<Stage>; 2] {
    [outgoing.as_ref().map(Outgoing::stage), incoming.as_ref().map(Incoming::stage)]
}

/// Moves what can be moved.
#[inline]
fn progress(
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

/// An outgoing message. One at a time for each receiver.
#[derive(Debug)]
pub struct Outgoing<'a> {
    link: Link<'a>,
    label: Label,
    bytes: &'a [u8],
    started: bool,
    /// Whether the receiver must have announced that it is ready.
    waits: bool,
    /// The rendezvous of the bytes, if they are too many for packets.
    rendezvous: Option<RendezvousSend<'a>>,
}

impl<'a> Outgoing<'a> {
    /// The message `bytes` to the image `to`, of the operation with this label. Nothing is sent before [`drive`].
    #[inline]
    pub fn new(image: &'a Endpoint, to: Rank, label: Label, bytes: &'a [u8]) -> Self {
        let link = Link::new(image, to, Lane::Messages);
        let rendezvous = RendezvousSend::of(image, to, label, bytes.len());
        // The bytes are sent directly to their destination.
        let waits = rendezvous.is_some();
        Outgoing { link, label, bytes, started: false, waits, rendezvous }
    }

    /// The same message, which waits until the receiver has come to it ([`Incoming::announced`]).
    #[must_use]
    pub fn awaited(self) -> Self {
        Outgoing { waits: true, ..self }
    }

    /// The receiver.
    #[inline]
    pub fn to(&self) -> Rank {
        self.link.partner()
    }

    fn stage(&self) -> Stage {
        Stage {
            bytes_left: self.bytes.len(),
            started: self.started,
            waits: self.waits,
            announced: None,
            in_transit: self.rendezvous.as_ref().is_some_and(RendezvousSend::is_begun),
        }
    }

    /// Puts packets while there is room. Returns whether all have been put.
    #[inline]
    fn progress(&mut self) -> Result<bool> {
        if self.waits {
            if self.link.partner_ready() != self.label.with_packet(self.link.sent()) {
                return Ok(false);
            }
            self.waits = false;
        }
        if let Some(rendezvous) = &mut self.rendezvous
            && !rendezvous.is_begun()
        {
            // SAFETY: the bytes are borrowed for longer than this message, which gives the operation up when it is
            // dropped.
            unsafe { rendezvous.send(self.link.partner(), self.bytes)? };
            self.bytes = &[];
        }
        // Of a rendezvous message this is the label packet, which may arrive before the bytes.
        while !self.bytes.is_empty() || !self.started {
            let (head, rest) = self.bytes.split_at(self.bytes.len().min(PACKET));
            if !self.link.put(head, &self.label.to_bytes())? {
                return Ok(false);
            }
            self.bytes = rest;
            self.started = true;
        }
        self.rendezvous.as_mut().map_or(Ok(true), RendezvousSend::is_done)
    }
}

/// An incoming message. One at a time for each sender.
#[derive(Debug)]
pub struct Incoming<'a> {
    link: Link<'a>,
    label: Label,
    bytes: &'a mut [u8],
    started: bool,
    /// `Some` if the sender must be notified that this image has come to the message; within, the packet number that
    /// was announced.
    announces: Option<Option<u64>>,
    /// The label of the next packet, if it belongs to another operation and is not decided yet.
    meets: Option<Label>,
    /// Whether that packet stays.
    keeps_another: bool,
    /// Whether that packet shows that its sender will not come to this operation.
    is_ahead: bool,
    /// The rendezvous of the bytes, if they are too many for packets.
    rendezvous: Option<RendezvousSend<'a>>,
}

impl<'a> Incoming<'a> {
    /// The next message of the image `from` in the operation with this label, to be copied into `bytes`.
    #[inline]
    pub fn new(image: &'a Endpoint, from: Rank, label: Label, bytes: &'a mut [u8]) -> Self {
        let link = Link::new(image, from, Lane::Messages);
        let rendezvous = RendezvousSend::of(image, from, label, bytes.len());
        Incoming {
            link,
            label,
            bytes,
            started: false,
            announces: rendezvous.is_some().then_some(None),
            meets: None,
            keeps_another: false,
            is_ahead: false,
            rendezvous,
        }
    }

    /// The same message; its sender is notified that this image has come to it ([`Outgoing::awaited`]).
    #[must_use]
    pub fn announced(self) -> Self {
        Incoming { announces: Some(None), ..self }
    }

    /// The sender.
    #[inline]
    pub fn from(&self) -> Rank {
        self.link.partner()
    }

    fn stage(&self) -> Stage {
        Stage {
            bytes_left: self.bytes.len(),
            started: self.started,
            waits: false,
            announced: self.announces.flatten(),
            in_transit: self.rendezvous.as_ref().is_some_and(RendezvousSend::is_begun),
        }
    }

    /// Takes packets that have arrived. Returns whether the message is complete.
    #[inline]
    fn progress(&mut self) -> Result<bool> {
        if let Some(announced) = self.announces {
            self.announce(announced)?;
        }
        if let Some(rendezvous) = &mut self.rendezvous
            && !rendezvous.is_done()?
        {
            // The label packet comes behind the bytes: the packet that is here may be of another operation, before
            // them.
            self.next_packet();
            return Ok(false);
        }
        while !self.bytes.is_empty() || !self.started {
            let Some(end) = self.next_packet() else { return Ok(false) };
            let len = self.bytes.len().min(PACKET);
            let (head, rest) = std::mem::take(&mut self.bytes).split_at_mut(len);
            // SAFETY: the packet has arrived with a label and `len` bytes before it, because both sides pass the same
            // length. It is not overwritten before it is taken.
            unsafe {
                std::ptr::copy_nonoverlapping(end.sub(LABEL + len), head.as_mut_ptr(), len);
            }
            self.bytes = rest;
            self.started = true;
            self.link.take(!self.bytes.is_empty())?;
        }
        Ok(true)
    }

    /// Begins to receive a rendezvous message, and announces that this image is ready; again after packets of other
    /// operations were dropped.
    #[inline(never)]
    fn announce(&mut self, announced: Option<u64>) -> Result<()> {
        if let Some(rendezvous) = &mut self.rendezvous
            && !rendezvous.is_begun()
        {
            let bytes = std::mem::take(&mut self.bytes);
            // SAFETY: the bytes are borrowed for longer than this message, and no other code uses them any more.
            unsafe { rendezvous.receive(self.link.partner(), bytes)? };
        }
        let packet = self.link.received();
        if announced != Some(packet) && !self.started {
            self.link.announce_ready_for(self.label.with_packet(packet))?;
            self.announces = Some(Some(packet));
        }
        Ok(())
    }

    /// Where the next packet of this message ends, if it has arrived.
    #[inline]
    fn next_packet(&mut self) -> Option<*const u8> {
        let end = self.link.arrived()?;
        // SAFETY: all packets on this lane end with a label; the packet is there until it is taken.
        let label = unsafe { Label::from_bytes(end.sub(LABEL).cast::<[u8; LABEL]>().read()) };
        if label != self.label {
            self.meets = (!self.keeps_another).then_some(label);
            return None;
        }
        Some(end)
    }

    /// Decides about a packet of another operation, with the label `met`. There are two cases:
    ///
    /// * The sender has given up this operation - it has revoked the set, has refused the call, or has not taken part and
    ///   has come to a later synchronisation - and has sent the packet for a later one. The packet stays, and this image
    ///   will be notified of the cause.
    /// * The sender has sent the packet for an operation before this one, which this image has given up or has not
    ///   taken part in. The packet is dropped.
    ///
    /// The sender's tables are read after the packet has arrived, so they show what the sender published before the packet.
    #[cold]
    fn decide(
        &mut self,
        image: &Endpoint,
        set: &ImageGroup,
        call: Option<CallId>,
        met: Label,
    ) -> Result<()> {
        let from = self.from();
        self.is_ahead = self.label.is_before(met);
        let has_given_up = self.is_ahead
            || revocation::of_any(image, from, set.ranks())?.is_some()
            || call.map_or(Ok(None), |call| refusals::of(image, from, call))?.is_some();
        if has_given_up {
            self.keeps_another = true;
            return Ok(());
        }
        self.link.take(true)
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
