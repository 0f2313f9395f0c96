//! All streams of a process, and the `epoll` that watches them.

use super::input::{Body, Next, Place};
use super::stream::Stream;
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::server::Tag;
use rustix::event::{Timespec, epoll};
use rustix::io::Errno;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

/// Most streams that are asked one by one; of more, the system says which have something.
const MAX_POLLED_STREAMS: usize = 2;
/// Most of these at once.
const EVENTS: usize = 16;

/// The streams.
#[derive(Debug)]
pub(super) struct Streams {
    streams: Vec<Stream>,
    /// The stream to each process, by rank.
    to: Box<[Option<u16>]>,
    /// Where there are many streams.
    epoll: Option<OwnedFd>,
    /// Whether a stream had no room for a message.
    is_sending: bool,
    /// Whether a long message waits for its place.
    holds: bool,
    /// How often bytes have come, or gone that had waited.
    moves: u64,
}

/// What becomes of messages that arrive.
pub(super) trait Arrivals {
    /// A message has arrived as a whole.
    fn arrived(&mut self, from: Rank, kind: u16, message: &[u8]);

    /// A long message has begun to arrive: where it goes. `None` if the sender must wait until there is a receive for it.
    fn place(&mut self, from: Rank, kind: u16, len: usize) -> Option<Place>;

    /// A long message without an operation has arrived as a whole.
    fn is_kept(&mut self, from: Rank, kind: u16, message: Vec<u8>);

    /// The long message for an operation has arrived as a whole.
    fn is_complete(&mut self, operation: usize, from: Rank, len: usize);
}

/// A message that the system has not taken as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rest {
    /// The number of its stream.
    stream: u16,
    /// Where it ends in that.
    end: u64,
}

impl Streams {
    /// These streams, of a process of a job of this many images.
    ///
    /// # Errors
    /// When the system has nothing to watch them.
    pub fn new(streams: Vec<Stream>, images: usize) -> io::Result<Streams> {
        let mut to = vec![None; images];
        for (number, stream) in streams.iter().enumerate() {
            to[stream.peer().index()] = Some(number as u16);
        }
        let epoll = if streams.len() > MAX_POLLED_STREAMS { Some(watch(&streams)?) } else { None };
        Ok(Streams { streams, to: to.into(), epoll, is_sending: false, holds: false, moves: 0 })
    }

    /// Whether there is a stream to that process.
    pub fn reaches(&self, peer: Rank) -> bool {
        matches!(self.to.get(peer.index()), Some(Some(_)))
    }

    /// Whether there is a stream to that process which has not been closed.
    pub fn is_open(&self, peer: Rank) -> bool {
        let number = self.to.get(peer.index()).copied().flatten();
        number.is_some_and(|number| self.streams[usize::from(number)].gone().is_none())
    }

    /// Sends a message to `peer`; a long one without a copy. Returns what the system has not taken, if there is any:
    /// [`Streams::flush`].
    ///
    /// # Errors
    /// When there is no stream to that process.
    ///
    /// # Safety
    /// The message is valid. One that is long stays so, and unchanged, until it is sent or [`Streams::copy`].
    pub unsafe fn send(
        &mut self,
        peer: Rank,
        tag: Tag,
        message: *const [u8],
    ) -> Result<Option<Rest>> {
        let number = self.number(peer)?;
        let stream = &mut self.streams[usize::from(number)];
        // SAFETY: the contract of this method.
        let end = unsafe {
            if Tag::is_long(tag.get()) {
                let end = stream.lend(tag, message);
                stream.flush();
                end
            } else {
                stream.send(tag, &*message)
            }
        };
        if stream.has_sent(end) {
            return Ok(None);
        }
        self.is_sending = true;
        Ok(Some(Rest { stream: number, end }))
    }

    /// Copies a message to `peer` after those that wait. It goes with the next one, or at the next [`Streams::flush`].
    ///
    /// # Errors
    /// When there is no stream to that process.
    pub fn add(&mut self, peer: Rank, tag: Tag, message: &[u8]) -> Result<()> {
        let number = self.number(peer)?;
        self.streams[usize::from(number)].add(tag, message);
        self.is_sending = true;
        Ok(())
    }

    /// The same without a copy.
    ///
    /// # Errors
    /// When there is no stream to that process.
    ///
    /// # Safety
    /// The message stays valid and unchanged until it is sent, or [`Streams::copy`].
    pub unsafe fn lend(&mut self, peer: Rank, tag: Tag, message: *const [u8]) -> Result<Rest> {
        let stream = self.number(peer)?;
        // SAFETY: the contract of this method.
        let end = unsafe { self.streams[usize::from(stream)].lend(tag, message) };
        self.is_sending = true;
        Ok(Rest { stream, end })
    }

    /// The number of the stream to `peer`.
    fn number(&self, peer: Rank) -> Result<u16> {
        let number = self.to.get(peer.index()).copied().flatten();
        number.ok_or_else(|| Error::Invalid(format!("there is no connection to {peer}")))
    }

    /// Copies the rest of a long message, so that its memory may be reused.
    pub fn copy(&mut self, rest: Rest) {
        self.streams[usize::from(rest.stream)].copy(rest.end);
    }

    /// Lets the long message for this operation, if it is arriving, go nowhere.
    pub fn forget(&mut self, operation: usize) {
        self.streams.iter_mut().for_each(|stream| stream.forget(operation));
    }

    /// Whether the system has taken the message: [`Stream::has_sent`].
    pub fn has_sent(&self, rest: Rest) -> bool {
        self.streams[usize::from(rest.stream)].has_sent(rest.end)
    }

    /// Whether messages wait to be sent.
    pub fn is_sending(&self) -> bool {
        self.is_sending
    }

    /// Sends what waits, as far as the system takes it.
    pub fn flush(&mut self) {
        if self.is_sending {
            let sent = self.streams.iter_mut().map(Stream::flush);
            self.moves += sent.map(u64::from).sum::<u64>();
            self.is_sending = self.streams.iter().any(Stream::is_sending);
        }
    }

    /// A number that grows when bytes have come, or gone that had waited.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// Receives what has arrived.
    ///
    /// # Errors
    /// When the system does not say which streams have something.
    pub fn receive(&mut self, arrivals: &mut impl Arrivals) -> Result<()> {
        let moves = &mut self.moves;
        let Some(epoll) = &self.epoll else {
            self.streams.iter_mut().for_each(|stream| _ = receive(stream, arrivals, moves));
            return Ok(());
        };
        if self.holds {
            // The system may have nothing more of those.
            let held = self.streams.iter_mut().filter(|stream| stream.is_held());
            self.holds =
                held.map(|stream| receive(stream, arrivals, moves)).fold(false, |a, b| a | b);
        }
        let mut room = [MaybeUninit::uninit(); EVENTS];
        let at_once = Timespec::default();
        let events = match epoll::wait(epoll, &mut room, Some(&at_once)) {
            Ok((events, _)) => events,
            Err(Errno::INTR) => &mut [],
            Err(error) => return Err(Error::os("epoll_wait", error.into())),
        };
        for event in events {
            let stream = &mut self.streams[event.data.u64() as usize];
            self.holds |= receive(stream, arrivals, moves);
            if stream.gone().is_some() {
                // The system would report it for ever.
                let _ = epoll::delete(epoll, &*stream);
            }
        }
        Ok(())
    }

    /// Those whose connection is closed.
    pub fn gone(&self) -> impl Iterator<Item = &Stream> {
        self.streams.iter().filter(|stream| stream.gone().is_some())
    }

    /// The processes at the other ends.
    #[cfg(test)]
    pub fn peers(&self) -> impl Iterator<Item = Rank> {
        self.streams.iter().map(Stream::peer)
    }
}

/// Receives what has arrived on a stream, and counts in `moves` if anything has. Returns whether a long message waits for
/// its place.
fn receive(stream: &mut Stream, arrivals: &mut impl Arrivals, moves: &mut u64) -> bool {
    if stream.receive() {
        *moves += 1;
    } else if !stream.is_held() {
        return false;
    }
    let from = stream.peer();
    loop {
        match stream.next() {
            Next::None => return false,
            Next::Message(kind, message) => arrivals.arrived(from, kind, message),
            Next::Complete(Body { kind, len, place, .. }) => match place {
                Place::Memory(operation, _) => arrivals.is_complete(operation, from, len),
                Place::Kept(message) => arrivals.is_kept(from, kind, message),
                Place::Nowhere => {}
            },
            Next::Long { kind, len } => match arrivals.place(from, kind, len) {
                // SAFETY: memory of a receive that is not over, as long as the message; else memory of the stream.
                Some(place) => unsafe { stream.begin(place) },
                None => return true,
            },
        }
    }
}

/// Has the system watch these streams.
fn watch(streams: &[Stream]) -> io::Result<OwnedFd> {
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    for (number, stream) in streams.iter().enumerate() {
        let data = epoll::EventData::new_u64(number as u64);
        epoll::add(&epoll, stream, data, epoll::EventFlags::IN)?;
    }
    Ok(epoll)
}
