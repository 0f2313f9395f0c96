//! The two sides of a message: what is left to send or to receive, packet by packet.

use super::label::LABEL;
use super::rendezvous::RendezvousSend;
use super::{Label, Lane, Link, PACKET};
use crate::endpoint::Endpoint;
use crate::error::{Error, Result};
use crate::failure::refusals::{self, CallId};
use crate::failure::revocation;
use crate::image_group::ImageGroup;
use crate::rank::Rank;

/// The progress of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stage {
    bytes_left: usize,
    started: bool,
    /// Of an outgoing one: whether the receiver must still announce that it is ready.
    waits: bool,
    /// Of an incoming one: the packet number that was announced to its sender.
    announced: Option<u64>,
    /// Whether MPI may be moving it.
    pub(super) in_transit: bool,
}

/// Bytes after the data of a packet: a word that describes the call, and the label.
const HEADER: usize = size_of::<u64>() + LABEL;

/// An outgoing message. One at a time for each receiver.
#[derive(Debug)]
pub struct Outgoing<'a> {
    link: Link<'a>,
    label: Label,
    /// What this image calls; both sides have the same word.
    call: u64,
    /// Whether the receiver calls something else.
    differs: bool,
    bytes: &'a [u8],
    started: bool,
    /// Whether the receiver must have announced that it is ready.
    waits: bool,
    /// The rendezvous of the bytes, if they are too many for packets.
    pub(super) rendezvous: Option<RendezvousSend<'a>>,
}

impl<'a> Outgoing<'a> {
    /// The message `bytes` to the image `to`, of the operation with this label. Nothing is sent before [`drive`](super::drive).
    #[inline]
    pub fn new(image: &'a Endpoint, to: Rank, label: Label, bytes: &'a [u8]) -> Self {
        let link = Link::new(image, to, Lane::Messages);
        let rendezvous = RendezvousSend::of(image, to, label, bytes.len());
        // The bytes are sent directly to their destination.
        let waits = rendezvous.is_some();
        let (call, differs) = (0, false);
        Outgoing { link, label, call, differs, bytes, started: false, waits, rendezvous }
    }

    /// The same message, of the call with this word.
    #[inline]
    #[must_use]
    pub fn of_call(self, call: u64) -> Self {
        Outgoing { call, ..self }
    }

    /// Whether the receiver of this message calls something else, which is an error of [`drive`](super::drive).
    pub fn differs(&self) -> bool {
        self.differs
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

    pub(super) fn stage(&self) -> Stage {
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
    pub(super) fn progress(&mut self) -> Result<bool> {
        if self.waits {
            let ready = self.label.with_packet(self.link.sent(), self.call);
            match self.link.partner_ready() {
                theirs if theirs == ready => {}
                theirs if Label::is_same_packet(theirs, ready) => {
                    self.differs = true;
                    return Err(differs());
                }
                _ => return Ok(false),
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
            let mut header = [0; HEADER];
            header[..HEADER - LABEL].copy_from_slice(&self.call.to_ne_bytes());
            header[HEADER - LABEL..].copy_from_slice(&self.label.to_bytes());
            if !self.link.put(head, &header)? {
                // The bytes of a rendezvous leave without the packet.
                self.rendezvous.as_mut().map_or(Ok(true), RendezvousSend::is_done)?;
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
    /// As of [`Outgoing`].
    call: u64,
    /// What the sender calls, if it is something else.
    differs: Option<u64>,
    bytes: &'a mut [u8],
    started: bool,
    /// `Some` if the sender must be notified that this image has come to the message; within, the packet number that
    /// was announced.
    announces: Option<Option<u64>>,
    /// The label of the next packet, if it belongs to another operation and is not decided yet.
    pub(super) meets: Option<Label>,
    /// Whether that packet stays.
    keeps_another: bool,
    /// Whether that packet shows that its sender will not come to this operation.
    pub(super) is_ahead: bool,
    /// The rendezvous of the bytes, if they are too many for packets.
    pub(super) rendezvous: Option<RendezvousSend<'a>>,
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
            call: 0,
            differs: None,
            bytes,
            started: false,
            announces: rendezvous.is_some().then_some(None),
            meets: None,
            keeps_another: false,
            is_ahead: false,
            rendezvous,
        }
    }

    /// The same message, of the call with this word.
    #[inline]
    #[must_use]
    pub fn of_call(self, call: u64) -> Self {
        Incoming { call, ..self }
    }

    /// What the sender of this message calls, if it is something else, which is an error of [`drive`](super::drive).
    pub fn differs(&self) -> Option<u64> {
        self.differs
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

    pub(super) fn stage(&self) -> Stage {
        Stage {
            bytes_left: self.bytes.len(),
            started: self.started,
            waits: false,
            announced: self.announces.flatten(),
            in_transit: self.rendezvous.as_ref().is_some_and(RendezvousSend::is_begun)
                && self.has_sender_begun(),
        }
    }

    /// Whether the sender of a rendezvous message may have begun to send it. A sender that waits for anything else, and
    /// whose packets have arrived, has begun if and only if the label packet is here.
    fn has_sender_begun(&self) -> bool {
        self.link.arrived().is_some()
    }

    /// Takes packets that have arrived. Returns whether the message is complete.
    #[inline]
    pub(super) fn progress(&mut self) -> Result<bool> {
        if let Some(announced) = self.announces {
            self.announce(announced)?;
        }
        if let Some(rendezvous) = &mut self.rendezvous
            && !rendezvous.is_done()?
        {
            // The label packet comes after the bytes: the packet that is here may be of another operation, before
            // them.
            self.next_packet()?;
            return Ok(false);
        }
        while !self.bytes.is_empty() || !self.started {
            let Some(end) = self.next_packet()? else { return Ok(false) };
            let len = self.bytes.len().min(PACKET);
            let (head, rest) = std::mem::take(&mut self.bytes).split_at_mut(len);
            // SAFETY: the packet has arrived with a header; `len` bytes before it are within its slot. It is not overwritten
            // before it is taken.
            unsafe {
                std::ptr::copy_nonoverlapping(end.sub(HEADER + len), head.as_mut_ptr(), len);
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
            self.link.announce_ready_for(self.label.with_packet(packet, self.call))?;
            self.announces = Some(Some(packet));
        }
        Ok(())
    }

    /// Where the next packet of this message ends, if it has arrived.
    ///
    /// # Errors
    /// When its sender calls something else.
    #[inline]
    fn next_packet(&mut self) -> Result<Option<*const u8>> {
        let Some(end) = self.link.arrived() else { return Ok(None) };
        // SAFETY: all packets on this lane end with a header; the packet is there until it is taken.
        let (call, label) = unsafe {
            let label = end.sub(LABEL).cast::<[u8; LABEL]>().read();
            (end.sub(HEADER).cast::<u64>().read(), Label::from_bytes(label))
        };
        if label != self.label {
            self.meets = (!self.keeps_another).then_some(label);
            return Ok(None);
        }
        if call != self.call {
            self.differs = Some(call);
            return Err(differs());
        }
        Ok(Some(end))
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
    pub(super) fn decide(
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

/// The error of a message whose other side calls something else; a caller that knows the words of calls finds a better text.
#[cold]
fn differs() -> Error {
    Error::Invalid("another image executes another statement".into())
}
