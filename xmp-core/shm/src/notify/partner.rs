//! The partners of an operation that can no longer take part in it: which one, and why.

use crate::endpoint::Endpoint;
use crate::error::{Error, Result};
use crate::failure::refusals::{self, CallId};
use crate::failure::{self, revocation};
use crate::image_group::ImageGroup;
use crate::job::page::ImageState;
use crate::rank::Rank;
use smallvec::SmallVec;
use std::cell::Cell;

/// A partner that will neither send nor receive any more in an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// The partner.
    pub partner: Rank,
    /// The end of an image that is the cause: of the partner, or of an image whose end made the partner revoke the set.
    pub error: Error,
}

/// Checks that these partners can still do their parts, as far as all images can see; stores one that cannot in `gone`.
pub(super) fn watch(
    image: &Endpoint,
    needed: [Option<Rank>; 2],
    gone: &Cell<Option<Gone>>,
) -> Result<()> {
    let job = image.job();
    let partners = || needed.into_iter().flatten();
    let found = match failure::check(job, partners()) {
        Err(error) => match error {
            Error::StoppedImage(partner) | Error::FailedImage(partner) => Gone { partner, error },
            _ => return Err(error),
        },
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
pub(super) fn ended(image: &Endpoint, set: &ImageGroup) -> SmallVec<[Rank; 8]> {
    set.ranks().filter(|&rank| image.job().state(rank) != ImageState::Running).collect()
}

/// The first of these partners that has been notified of the end of an image of the set, if that end is known here, or
/// has come to a later operation of the set (`ahead`).
pub(super) fn find_left(
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
pub(super) fn find_refusing(
    image: &Endpoint,
    call: CallId,
    needed: [Option<Rank>; 2],
) -> Result<Option<Gone>> {
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
pub(super) fn cause(
    image: &Endpoint,
    set: &ImageGroup,
    call: Option<CallId>,
    gone: Gone,
) -> Result<Gone> {
    if let Some(call) = call
        && let Some(error) = refusals::of(image, gone.partner, call)?
    {
        return Ok(Gone { error, ..gone });
    }
    let told = revocation::of_any(image, gone.partner, ended(image, set))?;
    Ok(Gone { error: told.unwrap_or(gone.error), ..gone })
}
