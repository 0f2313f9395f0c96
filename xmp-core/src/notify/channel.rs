//! The ordered byte channel between two images.

use super::{PACKET, Pair, RING, ring};
use crate::error::Result;
use crate::failure;
use crate::image::Image;
use crate::rank::Rank;
use std::cell::Cell;
use std::mem::offset_of;

/// Sends `out` and receives `into` at once, each to and from one image; either may be absent. Returns
/// when all bytes are handed to the channel and all expected ones have arrived.
///
/// Matching is by order: the n-th message sent to an image is the n-th that it receives from here, and
/// both sides must give the same length.
///
/// # Errors
/// When an image that is waited for has stopped or failed.
pub fn exchange(
    image: &Image,
    out: Option<(Rank, &[u8])>,
    into: Option<(Rank, &mut [u8])>,
) -> Result<()> {
    let mut outgoing = out.map(|(to, bytes)| Outgoing::new(image, to, bytes));
    let mut incoming = into.map(|(from, bytes)| Incoming::new(image, from, bytes));
    drive(image, &mut outgoing, &mut incoming)
}

/// Completes both messages at once; each becomes `None` when it is complete.
///
/// # Errors
/// When an image of a message that is still `Some` has stopped or failed; the other message can be driven on.
/// When the transport fails.
pub fn drive(
    image: &Image,
    outgoing: &mut Option<Outgoing<'_>>,
    incoming: &mut Option<Incoming<'_>>,
) -> Result<()> {
    // Whom this image still needs: a partner may end as soon as its own part is done.
    let needed = Cell::new([None, None]);
    let mut trouble = Ok(());
    image.waits().until(
        || failure::check(image.job(), needed.get().into_iter().flatten()),
        || {
            if let Err(error) = progress(outgoing, incoming) {
                trouble = Err(error);
                return true;
            }
            needed.set([outgoing.as_ref().map(|o| o.to), incoming.as_ref().map(|i| i.from)]);
            needed.get() == [None, None]
        },
    )?;
    trouble
}

/// Moves what can be moved.
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
    image: &'a Image,
    to: Rank,
    bytes: &'a [u8],
    started: bool,
}

impl<'a> Outgoing<'a> {
    /// The message `bytes` to the image `to`; nothing is sent before [`drive`].
    pub fn new(image: &'a Image, to: Rank, bytes: &'a [u8]) -> Self {
        Outgoing { image, to, bytes, started: false }
    }

    /// The receiver.
    pub fn to(&self) -> Rank {
        self.to
    }

    /// Puts packets while there is room; whether all are out.
    fn progress(&mut self) -> Result<bool> {
        let image = self.image;
        let me = image.rank();
        let sent = image.peer(self.to).sent();
        let taken = &image.pair(me, self.to).taken;
        while !self.bytes.is_empty() || !self.started {
            let packet = sent.get();
            if !ring::has_room(taken, packet) {
                return Ok(false);
            }
            let (head, rest) = self.bytes.split_at(self.bytes.len().min(PACKET));
            let slot = image.layout().rings
                + u64::from(me.get()) * RING
                + packet % ring::PACKETS * PACKET as u64;
            let counter = image.pair_offset(me) + offset_of!(Pair, sent) as u64;
            // SAFETY: the slot lies in the ring that `to` keeps for this image and has been read
            // (has_room); the counter's only writer is this image.
            unsafe {
                image.transport().put_notify(
                    self.to,
                    slot,
                    head.as_ptr(),
                    head.len(),
                    counter,
                    packet + 1,
                )?;
            }
            sent.set(packet + 1);
            self.bytes = rest;
            self.started = true;
        }
        Ok(true)
    }
}

/// A message on its way in. One at a time for each sender, and once begun it must be completed unless the
/// sender has ended.
#[derive(Debug)]
pub struct Incoming<'a> {
    image: &'a Image,
    from: Rank,
    bytes: &'a mut [u8],
    started: bool,
}

impl<'a> Incoming<'a> {
    /// The next message of the image `from`, to be taken into `bytes`.
    pub fn new(image: &'a Image, from: Rank, bytes: &'a mut [u8]) -> Self {
        Incoming { image, from, bytes, started: false }
    }

    /// The sender.
    pub fn from(&self) -> Rank {
        self.from
    }

    /// Takes packets that have arrived; whether the message is complete.
    fn progress(&mut self) -> Result<bool> {
        let image = self.image;
        let me = image.rank();
        let received = image.peer(self.from).received();
        let sent = &image.pair(me, self.from).sent;
        while !self.bytes.is_empty() || !self.started {
            let packet = received.get();
            if !ring::has_arrived(sent, packet) {
                return Ok(false);
            }
            let len = self.bytes.len().min(PACKET);
            let slot = image.layout().rings
                + u64::from(self.from.get()) * RING
                + packet % ring::PACKETS * PACKET as u64;
            let (head, rest) = std::mem::take(&mut self.bytes).split_at_mut(len);
            // SAFETY: the slot is in this image's own segment, was written by `from` (has_arrived) and
            // is not written again before `taken` says so.
            unsafe {
                let source = image.own_segment().add(slot as usize);
                std::ptr::copy_nonoverlapping(source, head.as_mut_ptr(), len);
            }
            self.bytes = rest;
            self.started = true;
            received.set(packet + 1);
            let counter = image.pair_offset(me) + offset_of!(Pair, taken) as u64;
            // SAFETY: no data; the counter's only writer is this image.
            unsafe {
                image.transport().put_notify(self.from, 0, [].as_ptr(), 0, counter, packet + 1)?;
            }
        }
        Ok(true)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::transport::threads;

    /// Messages of all sizes around the packet and ring lengths, in both directions at once.
    #[test]
    fn exchanged_messages_arrive_whole_and_in_order() {
        for hosts in [1, 2] {
            threads::run(2, hosts, |image| {
                let me = image.rank().get();
                let other = Rank::new(1 - me);
                for len in
                    [0, 1, PACKET - 1, PACKET, PACKET + 1, RING as usize, 5 * RING as usize + 3]
                {
                    let out: Vec<u8> =
                        (0..len).map(|i| (i as u32 * 7 + me + len as u32) as u8).collect();
                    let mut into = vec![0; len];
                    exchange(image, Some((other, &out)), Some((other, &mut into))).unwrap();
                    let expected: Vec<u8> =
                        (0..len).map(|i| (i as u32 * 7 + other.get() + len as u32) as u8).collect();
                    assert!(into == expected, "{len} bytes");
                }
            })
            .unwrap();
        }
    }

    /// Image 1 has sent and received what it should and stops, while image 0 still waits for image 2.
    #[test]
    fn a_partner_that_is_done_may_end() {
        let outcomes = threads::run(3, 1, |image| {
            let mut into = [0; 8];
            match image.rank().get() {
                0 => {
                    let from = Some((Rank::new(2), into.as_mut_slice()));
                    exchange(image, Some((Rank::new(1), &[1; 8])), from)
                }
                1 => exchange(image, None, Some((Rank::new(0), &mut into))),
                _ => {
                    let job = image.job();
                    let ended = || !crate::failure::all_running(job);
                    image.waits().until(|| Ok(()), ended)?;
                    exchange(image, Some((Rank::new(0), &[2; 8])), None)
                }
            }
        })
        .unwrap();
        assert_eq!(outcomes, [Ok(()), Ok(()), Ok(())]);
    }

    #[test]
    fn a_sender_that_stops_ends_the_wait() {
        let outcomes = threads::run(2, 2, |image| {
            let mut into = [0; 8];
            match image.rank().get() {
                0 => exchange(image, None, Some((Rank::new(1), &mut into))),
                _ => Ok(()),
            }
        })
        .unwrap();
        assert_eq!(outcomes[0], Err(crate::Error::StoppedImage(Rank::new(1))));
    }
}
