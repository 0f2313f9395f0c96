//! The operations of a process on its streams, and which message each receive gets.

use super::streams::Rest;
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

    /// Gives a message to the first receive for it, or keeps it. The message before it from `source` was given first.
    pub fn arrived(&mut self, source: Rank, kind: u16, message: &[u8]) {
        for (at, &number) in self.posted.iter().enumerate() {
            let State::Receiving { from, tag, bytes } = self.states[number] else { continue };
            if is_for(from, tag, source, kind) {
                // SAFETY: of a receive that is not over.
                self.states[number] = unsafe { taken(source, message, bytes) };
                self.posted.remove(at);
                return;
            }
        }
        self.waiting.push_back((source, kind, message.into()));
    }

    /// The state of an operation.
    pub fn state(&self, op: Op) -> &State {
        self.states.get((op.0 & !MARK) as usize).unwrap_or(&State::Free)
    }

    /// Ends an operation; returns its last state. A receive without a message gets none.
    pub fn end(&mut self, op: Op) -> State {
        let number = (op.0 & !MARK) as usize;
        let state = std::mem::replace(&mut self.states[number], State::Free);
        if let State::Receiving { .. } = state {
            self.posted.retain(|&posted| posted != number);
        }
        self.free.push(number);
        state
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
        let room = bytes.len();
        let what = format!("a message of {len} bytes from {from} in a buffer of {room}");
        return State::TooLong(Error::Invalid(what));
    }
    // SAFETY: `bytes` can be written (contract of this function), and are as many at least. No other code accesses them,
    // so the message lies elsewhere.
    unsafe { std::ptr::copy_nonoverlapping(message.as_ptr(), bytes.cast(), len) };
    State::Received { from, len }
}
