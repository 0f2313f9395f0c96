//! Messages between two images, matched by their order.

use super::straight::Straight;
use super::{Lane, Link, PACKET};
use crate::error::{Error, Result};
use crate::failure;
use crate::image::Image;
use crate::rank::Rank;
use std::cell::Cell;

/// Bytes of the word that travels with each packet.
const WORD: usize = size_of::<u64>();

/// Completes both messages at once; each becomes `None` when it is complete.
///
/// Matching is by order: the n-th message sent to an image is the n-th that it receives from here, and
/// both sides must give the same length.
///
/// # Errors
/// When an image of a message that is still `Some` has stopped or failed, or has given up and waits elsewhere for those that
/// are left after a failure ([`failure::cause`]); the other message can be driven on.
/// When the transport fails.
pub fn drive(
    image: &Image,
    outgoing: &mut Option<Outgoing<'_>>,
    incoming: &mut Option<Incoming<'_>>,
) -> Result<()> {
    // Whom this image still needs: a partner may end as soon as its own part is done.
    let needed = Cell::new([None, None]);
    let mut trouble = Ok(());
    let is_straight = outgoing.as_ref().is_some_and(|message| message.straight.is_some())
        || incoming.as_ref().is_some_and(|message| message.straight.is_some());
    let watch = || {
        let partners = || needed.get().into_iter().flatten();
        failure::check(image.job(), partners())?;
        // Who has given an operation up after a failure, and waits for all images that are left, is as good as failed: it
        // sends nothing more of it, and receives nothing.
        let waits = |&partner: &Rank| failure::waits_at_meeting(image.job(), partner, image.rank());
        partners().find(waits).map_or(Ok(()), |partner| Err(Error::FailedImage(partner)))
    };
    let ready = || {
        if let Err(error) = progress(outgoing, incoming) {
            trouble = Err(error);
            return true;
        }
        needed.set([
            outgoing.as_ref().map(|message| message.to()),
            incoming.as_ref().map(|message| message.from()),
        ]);
        needed.get() == [None, None]
    };
    match is_straight {
        // Nobody rings when its bytes are there.
        true => image.waits().until_asked(image.settings().server.nap, watch, ready)?,
        false => image.waits().until(watch, ready)?,
    }
    trouble
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

/// A message on its way out. One at a time for each receiver, and once begun it must be completed unless
/// the receiver has ended: the next message would be taken for the rest of it.
#[derive(Debug)]
pub struct Outgoing<'a> {
    link: Link<'a>,
    bytes: &'a [u8],
    word: u64,
    started: bool,
    /// How often the receiver must have said that it is ready.
    after: u64,
    /// The way of the bytes, if they are too many for packets.
    straight: Option<Straight<'a>>,
}

impl<'a> Outgoing<'a> {
    /// The message `bytes` to the image `to`, with a `word` for the receiver beside them; nothing is sent before
    /// [`drive`].
    #[inline]
    pub fn new(image: &'a Image, to: Rank, bytes: &'a [u8], word: u64) -> Self {
        let link = Link::new(image, to, Lane::Messages);
        let straight = Straight::of(image, to, bytes.len());
        let message = Outgoing { link, bytes, word, started: false, after: 0, straight };
        // The bytes are sent to where they are to be.
        if message.straight.is_some() { message.awaited() } else { message }
    }

    /// The same message, which waits until the receiver has come to it ([`Incoming::announced`]).
    #[must_use]
    pub fn awaited(self) -> Self {
        match self.after {
            0 => Outgoing { after: self.link.next_awaited(), ..self },
            _ => self,
        }
    }

    /// The receiver.
    #[inline]
    pub fn to(&self) -> Rank {
        self.link.partner()
    }

    /// Puts packets while there is room; whether all are out.
    #[inline]
    fn progress(&mut self) -> Result<bool> {
        if self.link.partner_ready() < self.after {
            return Ok(false);
        }
        if let Some(straight) = &mut self.straight
            && !straight.is_begun()
        {
            // SAFETY: borrowed for longer than this message, which gives the operation up when it is dropped.
            unsafe { straight.send(self.link.partner(), self.bytes)? };
            self.bytes = &[];
        }
        // Of a message that goes straight the word, which may be there before the bytes.
        while !self.bytes.is_empty() || !self.started {
            let (head, rest) = self.bytes.split_at(self.bytes.len().min(PACKET));
            if !self.link.put(head, &self.word.to_ne_bytes())? {
                return Ok(false);
            }
            self.bytes = rest;
            self.started = true;
        }
        self.straight.as_mut().map_or(Ok(true), Straight::is_done)
    }
}

/// A message on its way in. One at a time for each sender, and once begun it must be completed unless the
/// sender has ended.
#[derive(Debug)]
pub struct Incoming<'a> {
    link: Link<'a>,
    bytes: &'a mut [u8],
    word: &'a mut u64,
    started: bool,
    announces: bool,
    /// The way of the bytes, if they are too many for packets.
    straight: Option<Straight<'a>>,
}

impl<'a> Incoming<'a> {
    /// The next message of the image `from`, to be taken into `bytes`, and the word beside it into `word`.
    #[inline]
    pub fn new(image: &'a Image, from: Rank, bytes: &'a mut [u8], word: &'a mut u64) -> Self {
        let link = Link::new(image, from, Lane::Messages);
        let straight = Straight::of(image, from, bytes.len());
        let announces = straight.is_some();
        Incoming { link, bytes, word, started: false, announces, straight }
    }

    /// The same message, of which its sender is told that this image has come to it ([`Outgoing::awaited`]).
    #[must_use]
    pub fn announced(self) -> Self {
        Incoming { announces: true, ..self }
    }

    /// The sender.
    #[inline]
    pub fn from(&self) -> Rank {
        self.link.partner()
    }

    /// Takes packets that have arrived; whether the message is complete.
    #[inline]
    fn progress(&mut self) -> Result<bool> {
        if let Some(straight) = &mut self.straight
            && !straight.is_begun()
        {
            let bytes = std::mem::take(&mut self.bytes);
            // SAFETY: borrowed for longer than this message, and nobody else uses them any more.
            unsafe { straight.receive(self.link.partner(), bytes)? };
        }
        if std::mem::take(&mut self.announces) {
            self.link.say_ready(1)?;
        }
        if let Some(straight) = &mut self.straight
            && !straight.is_done()?
        {
            return Ok(false);
        }
        while !self.bytes.is_empty() || !self.started {
            let Some(end) = self.link.arrived() else { return Ok(false) };
            let len = self.bytes.len().min(PACKET);
            let (head, rest) = std::mem::take(&mut self.bytes).split_at_mut(len);
            // SAFETY: the packet has arrived with a word and `len` bytes before it: both sides give the same
            // length. It is not written again before it is taken.
            unsafe {
                let word = end.sub(WORD);
                *self.word = word.cast::<u64>().read();
                std::ptr::copy_nonoverlapping(word.sub(len), head.as_mut_ptr(), len);
            }
            self.bytes = rest;
            self.started = true;
            self.link.take(!self.bytes.is_empty())?;
        }
        Ok(true)
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
