//! Messages between two images, matched by their order within an operation: waits until both are complete, or until a
//! partner can no longer take part.

use super::message::{Incoming, Outgoing};
use super::partner::{self, Gone};
use crate::endpoint::Endpoint;
use crate::error::{Error, Result};
use crate::failure::calls::CallLog;
use crate::failure::deadlock;
use crate::failure::refusals::{self, CallId};
use crate::failure::{self, revocation};
use crate::image_group::ImageGroup;
use crate::job::page::ImageState;
use crate::wait::PAUSES;
use looks::{Ends, Looks};
use progress::Progress;
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
    let progress = Progress::new(image);
    let ends = Ends::new(image, set, log);
    let mut looks = Looks::new(image, set, call);
    let is_rendezvous = outgoing.as_ref().is_some_and(|message| message.rendezvous.is_some())
        || incoming.as_ref().is_some_and(|message| message.rendezvous.is_some());
    let need = || progress.need();
    let watch = || ends.check(progress.needed());
    loop {
        let may_have_left = ends.may_have_left();
        let left = looks.find(progress.needed(), incoming, may_have_left)?;
        let next_look = (may_have_left && left.is_none()).then(|| Instant::now() + looks.pause());
        let mut trouble = Ok(());
        let ready = || {
            trouble = progress.advance(outgoing, incoming);
            trouble.is_err()
                || progress.is_complete()
                || left.is_some()
                || incoming.as_ref().is_some_and(|message| message.meets.is_some())
                || next_look.is_some_and(|time| Instant::now() >= time)
                || looks.is_due()
        };
        let waits = looks.bound(image.waits().needing(&need));
        let waited = match (may_have_left, is_rendezvous) {
            // No doorbell rings when a partner revokes the set.
            (true, _) => image.waits().unrecorded().until_asked(looks.pause(), watch, ready),
            // No doorbell rings when the bytes of a rendezvous have arrived.
            (_, true) => waits.until_asked(image.settings().server.nap, watch, ready),
            _ => waits.until(watch, ready),
        };
        trouble?;
        if progress.is_complete() {
            return Ok(None);
        }
        if let Some(message) = incoming
            && let Some(met) = message.meets.take()
        {
            deadlock::release(image);
            message.decide(image, set, call, met)?;
            continue;
        }
        if let Some(left) = left.filter(|left| progress.needed().contains(&Some(left.partner))) {
            return Ok(Some(left));
        }
        match (waited, ends.take_gone()) {
            (Err(_), Some(gone)) => return partner::cause(image, set, call, gone).map(Some),
            (Err(error @ (Error::JobEnding | Error::Invalid(_))), _) => return Err(error),
            _ if may_have_left => looks.lengthen_pause(),
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

mod looks;
mod progress;
#[cfg(all(test, not(loom)))]
mod tests;
