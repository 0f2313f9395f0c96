//! Messages between two images, matched by their order within an operation: waits until both are complete, or until a
//! partner can no longer take part.

use super::message::{Incoming, Outgoing, Stage};
use super::partner::{self, Gone};
use crate::endpoint::Endpoint;
use crate::error::{Error, Result};
use crate::failure::calls::CallLog;
use crate::failure::deadlock;
use crate::failure::refusals::{self, CallId, Look};
use crate::failure::{self, revocation};
use crate::image_group::ImageGroup;
use crate::job::page::ImageState;
use crate::wait::{Need, PAUSES, WaitKind};
use std::cell::Cell;
use std::time::Instant;

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
/// When a partner calls something else, as far as its messages or `log` show; when the job is ending.
pub fn drive(
    image: &Endpoint,
    set: &ImageGroup,
    call: Option<CallId>,
    log: Option<&CallLog>,
    outgoing: &mut Option<Outgoing<'_>>,
    incoming: &mut Option<Incoming<'_>>,
) -> Result<Option<Gone>> {
    image.threads().only_one()?;
    // The partners that this image still needs: a partner may end as soon as its own part is done.
    let needed = Cell::new([None, None]);
    // Whether MPI has a message in transit.
    let in_transit = Cell::new(false);
    let need = || {
        if in_transit.get() {
            return Need::default();
        }
        Need::all_of(WaitKind::Message, needed.get().into_iter().flatten())
    };
    let (gone, may_have_left) = (Cell::new(None), Cell::new(false));
    let watch = || {
        partner::watch(image, needed.get(), &gone)?;
        if let Some(log) = log {
            let mut partners = needed.get().into_iter().flatten();
            partners.try_for_each(|partner| log.compare(image, partner))?;
        }
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
        let mut left =
            if looks { partner::find_left(image, set, needed.get(), ahead)? } else { None };
        if let Some(call) = call.filter(|_| left.is_none() && look.take()) {
            left = partner::find_refusing(image, call, needed.get())?;
        }
        let next_look = (looks && left.is_none()).then(|| Instant::now() + pause);
        let mut trouble = Ok(());
        let ready = || {
            let is_observed = image.has_slept() || !image.all_running();
            let before = is_observed.then(|| stages(outgoing, incoming));
            trouble = progress(outgoing, incoming);
            if let Some(before) = before {
                let now = stages(outgoing, incoming);
                // What MPI has in transit, or this image has moved, may end the wait of another image.
                in_transit.set(now.iter().flatten().any(|stage| stage.in_transit));
                if now != before || in_transit.get() {
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
        let waits = image.waits().needing(&need);
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
            (Err(_), Some(gone)) => return partner::cause(image, set, call, gone).map(Some),
            (Err(error @ (Error::JobEnding | Error::Invalid(_))), _) => return Err(error),
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
pub fn await_rendezvous(
    image: &Endpoint,
    set: &ImageGroup,
    call: Option<CallId>,
    log: Option<&CallLog>,
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
            || revocation::of_any(image, from, partner::ended(image, set))?.is_some()
            || call.map_or(Ok(None), |call| refusals::of(image, from, call))?.is_some()
            || log.map_or(Ok(false), |log| log.differs(image, from))?;
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

#[cfg(all(test, not(loom)))]
mod tests;
