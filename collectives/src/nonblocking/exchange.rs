//! Two messages that an image sends and receives at the same time: those of a step, or those that compare what images call.

use super::header::Name;
use super::incoming::Incoming;
use super::mailbox::Mailbox;
use super::outgoing::Outgoing;
use std::rc::Rc;
use xmp_core::failure::refusals::{self, CallId};
use xmp_core::image::Endpoint;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Rank, Result, failure};

/// A message to another image, and one from another image; each is `None` when it is complete.
#[derive(Debug)]
pub struct Exchange {
    /// The message to send.
    pub send: Option<Outgoing>,
    /// The message to receive.
    pub receive: Option<Rc<Incoming>>,
}

/// The end of a message.
pub enum Ended {
    /// It has arrived, or all of it has been sent.
    Complete,
    /// Its partner has ended before, as this error says.
    ByPartner(Error),
}

/// The means by which messages of an operation advance.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// This image.
    pub image: &'a Endpoint,
    /// Its mailbox.
    pub mailbox: &'a Mailbox,
    /// The id of the operation.
    pub call: CallId,
    /// Whether it is time to read if partners have refused the operation.
    pub asks: bool,
}

impl Means<'_> {
    /// The error of the operation if a partner has refused it, and it is time to read that.
    fn refused(&self, partner: Rank, is_due: bool) -> Result<Option<Error>> {
        if is_due { refusals::of(self.image, partner, self.call) } else { Ok(None) }
    }
}

impl Exchange {
    /// Whether both messages are complete.
    pub fn is_complete(&self) -> bool {
        self.send.is_none() && self.receive.is_none()
    }

    /// The other ends of the messages that are not complete.
    pub fn partners(&self) -> impl Iterator<Item = Rank> {
        let to = self.send.as_ref().map(|message| message.name().partner);
        let from = self.receive.as_ref().map(|message| message.name().partner);
        to.into_iter().chain(from)
    }

    /// Advances the receiving. Returns the message when it has ended.
    ///
    /// # Errors
    /// When a partner calls something else or has refused the operation, and when the transport fails.
    ///
    /// # Safety
    /// The places of expected messages are valid until their operations have an outcome.
    pub unsafe fn receive(
        &mut self,
        means: Means<'_>,
        moved: &mut bool,
    ) -> Result<Option<(Rc<Incoming>, Ended)>> {
        let Some(message) = &self.receive else { return Ok(None) };
        let Means { image, mailbox, asks, .. } = means;
        let partner = message.name().partner;
        // Read first: packets that the partner sent before its end, or before it refused a later call, have arrived then.
        let alive = failure::check(image.job(), [partner]);
        let refused = means.refused(partner, asks || alive.is_err())?;
        // SAFETY: the places of expected messages are valid (contract above).
        *moved |= unsafe { mailbox.collect(image, partner)? };
        message.advance(image, moved)?;
        if let Some(why) = message.difference(image.rank()) {
            return Err(Error::Refused { image: image.rank(), lacks_memory: false, why });
        }
        let ended = match (message.is_complete(), refused, alive) {
            (true, ..) => Ended::Complete,
            (false, Some(error), _) => return Err(error),
            (false, None, Err(error)) => Ended::ByPartner(error),
            (false, None, Ok(())) => return Ok(None),
        };
        mailbox.forget(message.name());
        Ok(self.receive.take().map(|message| (message, ended)))
    }

    /// Advances the sending. Returns how the message has ended.
    ///
    /// # Errors
    /// When a partner has refused the operation, and when the transport fails.
    ///
    /// # Safety
    /// The bytes of the message are valid and do not change before all have been sent. The places of expected messages are valid
    /// until their operations have an outcome.
    pub unsafe fn send(&mut self, means: Means<'_>, moved: &mut bool) -> Result<Option<Ended>> {
        let Some(message) = &mut self.send else { return Ok(None) };
        let Means { image, mailbox, asks, .. } = means;
        let partner = message.name().partner;
        let alive = failure::check(image.job(), [partner]);
        let refused = means.refused(partner, asks || alive.is_err())?;
        // SAFETY: the bytes of the message and the places of expected messages are valid (contract above).
        let done = unsafe {
            message.advance(image, mailbox, moved)? || {
                // The message may wait for clearance.
                *moved |= mailbox.collect(image, partner)?;
                message.advance(image, mailbox, moved)?
            }
        };
        let ended = match (done, refused, alive) {
            (true, ..) => Ended::Complete,
            (false, Some(error), _) => return Err(error),
            (false, None, Err(error)) => Ended::ByPartner(error),
            (false, None, Ok(())) => return Ok(None),
        };
        self.send = None;
        Ok(Some(ended))
    }

    /// Expects the message to receive no longer.
    pub fn forget(&self, mailbox: &Mailbox) {
        if let Some(message) = &self.receive {
            mailbox.forget(message.name());
        }
    }
}

/// The images after this one and before it in its set, to which it sends and from which it receives what they compare.
#[derive(Clone, Copy, Debug)]
pub struct Neighbours {
    after: Rank,
    before: Rank,
}

impl Neighbours {
    /// The number of the messages that compare. Those of steps are numbered from 0.
    const NUMBER: u32 = u32::MAX;

    /// The neighbours of this image, unless it is alone.
    pub fn of(set: &ImageSet) -> Option<Neighbours> {
        let n = set.len();
        let position = set.position().expect("only members execute an operation");
        let at = |position: usize| set.rank_at(position % n).expect("a position of the set");
        (n > 1).then(|| Neighbours { after: at(position + 1), before: at(position + n - 1) })
    }

    /// The messages by which an image compares `call` with its neighbours. They have no data. `name` makes the name of a message
    /// with this partner and number.
    pub fn compare(self, call: u32, name: impl Fn(Rank, u32) -> Name) -> Exchange {
        let name = |partner| name(partner, Neighbours::NUMBER);
        Exchange {
            send: Some(Outgoing::without_data(name(self.after), call)),
            receive: Some(Rc::new(Incoming::without_data(name(self.before), call))),
        }
    }
}
