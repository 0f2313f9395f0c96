//! The operations of a process on its streams, and which message each receive gets.

use super::input::Place;
use super::streams::{Arrivals, Rest};
use crate::error::Error;
use crate::rank::Rank;
use crate::server::{Op, Tag};
use std::collections::VecDeque;

/// Marks operations on streams; those of MPI do not have it.
pub(super) const MARK: u64 = 1 << 63;
/// Any send that was done at once.
pub(super) const SENT: Op = Op(u64::MAX);

/// An operation.
#[derive(Debug)]
pub(super) enum State {
    Free,
    Receiving {
        from: Option<Rank>,
        tag: Tag,
        bytes: *mut [u8],
    },
    /// Its long message has begun to arrive.
    Arriving,
    Received {
        from: Rank,
        len: usize,
    },
    TooLong(Error),
    /// Done when that is sent.
    Sending(Rest),
}

/// All operations of a process that are not over, and messages that no receive has got.
#[derive(Debug, Default)]
pub(super) struct Operations {
    states: Vec<State>,
    free: Vec<usize>,
    /// Receives without a message, in the order of their starts.
    posted: Vec<usize>,
    /// Messages that came before their receives, in the order of arrival. Credits bound them.
    waiting: VecDeque<(Rank, u16, Box<[u8]>)>,
    /// Whether a message has arrived, and since then no operation was started, and none tested that was not done.
    pub has_arrived: bool,
}

// SAFETY: the pointers are those of receives. The caller that started one guarantees that its memory may be accessed by
// the thread that uses the fabric.
unsafe impl Send for Operations {}

impl Operations {
    /// Adds a send that continues.
    pub fn sending(&mut self, rest: Rest) -> Op {
        let number = self.add(State::Sending(rest));
        Op(MARK | number as u64)
    }

    /// Adds a receive.
    ///
    /// # Safety
    /// `bytes` stay valid, and no other code accesses them, until the operation is over.
    pub unsafe fn receiving(&mut self, from: Option<Rank>, tag: Tag, bytes: *mut [u8]) -> Op {
        let fits = |message: &(Rank, u16, Box<[u8]>)| is_for(from, tag, message.0, message.1);
        let number = match self.waiting.iter().position(fits) {
            Some(at) => {
                let (source, _, message) = self.waiting.remove(at).expect("found there");
                // SAFETY: valid until the operation is over (contract of this method).
                let state = unsafe { taken(source, &message, bytes) };
                self.add(state)
            }
            None => {
                let number = self.add(State::Receiving { from, tag, bytes });
                self.posted.push(number);
                number
            }
        };
        Op(MARK | number as u64)
    }

    /// The number of an operation.
    pub fn number(op: Op) -> usize {
        (op.0 & !MARK) as usize
    }

    /// The state of an operation.
    pub fn state(&self, op: Op) -> &State {
        self.states.get(Operations::number(op)).unwrap_or(&State::Free)
    }

    /// Whether a request of this process, or bytes of one, have arrived that were not taken.
    pub fn has_requests_of(&self, process: Rank) -> bool {
        let is_its =
            |state: &State| matches!(state, State::Received { from, .. } if *from == process);
        let waits = |(from, kind, _): &(Rank, u16, Box<[u8]>)| {
            *from == process && Tag::is_of_request(*kind)
        };
        self.waiting.iter().any(waits) || self.states.iter().any(is_its)
    }

    /// Ends an operation; returns its last state. A receive without a message gets none.
    pub fn end(&mut self, op: Op) -> State {
        let number = Operations::number(op);
        let state = std::mem::replace(&mut self.states[number], State::Free);
        if let State::Receiving { .. } = state {
            self.posted.retain(|&posted| posted != number);
        }
        self.free.push(number);
        state
    }

    /// Gives a message to its receive, or keeps it.
    fn give_or_keep<M: AsRef<[u8]>>(
        &mut self,
        from: Rank,
        kind: u16,
        message: M,
        keep: impl FnOnce(M) -> Box<[u8]>,
    ) {
        self.has_arrived = true;
        match self.take_posted(from, kind) {
            Some((number, bytes)) => {
                // SAFETY: memory of a receive that is not over.
                self.states[number] = unsafe { taken(from, message.as_ref(), bytes) };
            }
            None => self.waiting.push_back((from, kind, keep(message))),
        }
    }

    /// Takes the first receive for such a message from those without one: its number and its memory.
    fn take_posted(&mut self, source: Rank, kind: u16) -> Option<(usize, *mut [u8])> {
        for (at, &number) in self.posted.iter().enumerate() {
            let State::Receiving { from, tag, bytes } = self.states[number] else { continue };
            if is_for(from, tag, source, kind) {
                self.posted.remove(at);
                return Some((number, bytes));
            }
        }
        None
    }

    fn add(&mut self, state: State) -> usize {
        match self.free.pop() {
            Some(number) => {
                self.states[number] = state;
                number
            }
            None => {
                self.states.push(state);
                self.states.len() - 1
            }
        }
    }
}

impl Arrivals for Operations {
    /// Gives a message to the first receive for it, or keeps it. The message before it from `from` was given first.
    fn arrived(&mut self, from: Rank, kind: u16, message: &[u8]) {
        self.give_or_keep(from, kind, message, |message| message.into());
    }

    fn place(&mut self, from: Rank, kind: u16, len: usize) -> Option<Place> {
        match self.take_posted(from, kind) {
            Some((number, bytes)) if len <= bytes.len() => {
                self.states[number] = State::Arriving;
                Some(Place::Memory(number, bytes.cast()))
            }
            Some((number, bytes)) => {
                self.states[number] = too_long(from, len, bytes.len());
                Some(Place::Nowhere)
            }
            // A server receives these as soon as it can. Nothing that it needs for that comes after them.
            None if kind == Tag::REQUEST_DATA.get() => None,
            // The receive of others comes before they are sent, or when the reply before them is read; or it was cancelled.
            None => Some(Place::Kept(vec![0; len])),
        }
    }

    fn is_kept(&mut self, from: Rank, kind: u16, message: Vec<u8>) {
        self.give_or_keep(from, kind, message, Vec::into_boxed_slice);
    }

    fn is_complete(&mut self, operation: usize, from: Rank, len: usize) {
        self.has_arrived = true;
        self.states[operation] = State::Received { from, len };
    }
}

/// Whether a receive of messages of this kind from this process, or any, gets a message.
fn is_for(from: Option<Rank>, tag: Tag, source: Rank, kind: u16) -> bool {
    tag.get() == kind && from.is_none_or(|from| from == source)
}

/// Copies a message to the memory of its receive.
///
/// # Safety
/// `bytes` can be written.
unsafe fn taken(from: Rank, message: &[u8], bytes: *mut [u8]) -> State {
    let len = message.len();
    if len > bytes.len() {
        return too_long(from, len, bytes.len());
    }
    // SAFETY: `bytes` can be written (contract of this function), and are as many at least. No other code accesses them,
    // so the message is elsewhere.
    unsafe { std::ptr::copy_nonoverlapping(message.as_ptr(), bytes.cast(), len) };
    State::Received { from, len }
}

#[cold]
fn too_long(from: Rank, len: usize, room: usize) -> State {
    let what = format!("a message of {len} bytes from {from} in a buffer of {room}");
    State::TooLong(Error::Invalid(what))
}
