//! A fabric between the threads of one process, for tests: messages are delayed in every way that MPI allows.
//!
//! A message within the eager limit is copied when it is sent. A longer one stays where it is until it is received, and
//! its sender's operation is not done before, as in MPI. Each message may stay invisible for a random number of the
//! receiver's looks; messages of one sender and one tag keep their order.

mod mailbox;

#[cfg(all(test, not(loom)))]
mod tests;

use super::fabric::{Fabric, Tag, Window};
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::transport::Op;
use mailbox::{Letter, Mailbox};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The treatment of messages by the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shim {
    /// Seed of the random numbers.
    pub seed: u64,
    /// Most looks of its receiver for which a message stays invisible; for one of eight messages, 16 times as many.
    pub delay: u32,
    /// Bytes up to which a message is copied when it is sent.
    pub eager: usize,
}

impl Default for Shim {
    /// No delays, and the eager limit of common MPI libraries over TCP.
    fn default() -> Self {
        Shim { seed: 1, delay: 0, eager: 64 << 10 }
    }
}

/// The connection of the images of one job.
#[derive(Debug)]
pub struct Network {
    boxes: Box<[Mutex<Mailbox>]>,
    shim: Shim,
}

impl Network {
    /// A network of `images` images.
    pub fn new(images: u32, shim: Shim) -> Arc<Network> {
        let boxes = (0..images).map(|_| Mutex::default()).collect();
        Arc::new(Network { boxes, shim })
    }

    /// The fabric of one of them.
    pub fn fabric(self: &Arc<Network>, rank: Rank) -> InProcess {
        // Each image has random numbers of its own.
        let dice =
            Dice(self.shim.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(rank.image()));
        let network = self.clone();
        InProcess {
            network,
            rank,
            states: Vec::new(),
            free: Vec::new(),
            posted: VecDeque::new(),
            dice,
        }
    }

    fn mailbox(&self, of: Rank) -> Result<MutexGuard<'_, Mailbox>> {
        let mailbox = self.boxes.get(of.index());
        let mailbox =
            mailbox.ok_or_else(|| Error::Invalid(format!("there is no {of} to send to")))?;
        // Every change of a mailbox is complete before any code can panic.
        Ok(mailbox.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Random numbers, good enough to mix events.
#[derive(Debug)]
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound.max(1)
    }
}

/// One image's end of a [`Network`].
#[derive(Debug)]
pub struct InProcess {
    network: Arc<Network>,
    rank: Rank,
    /// By operation.
    states: Vec<State>,
    free: Vec<usize>,
    /// Receives that no message has matched, in the order of their starts.
    posted: VecDeque<usize>,
    dice: Dice,
}

#[derive(Debug)]
enum State {
    Free,
    Receiving { from: Option<Rank>, tag: Tag, bytes: *mut [u8] },
    Received { from: Rank, len: usize },
    Failed(Error),
    Sending { to: Rank, taken: Arc<AtomicBool> },
    Sent,
}

// SAFETY: the pointers are those of operations. The caller that started one guarantees that its memory may be accessed
// by the thread that uses the fabric.
unsafe impl Send for InProcess {}

impl InProcess {
    fn add(&mut self, state: State) -> Op {
        let number = self.free.pop().unwrap_or_else(|| {
            self.states.push(State::Free);
            self.states.len() - 1
        });
        if matches!(state, State::Receiving { .. }) {
            self.posted.push_back(number);
        }
        self.states[number] = state;
        Op(number as u64)
    }

    fn remove(&mut self, op: Op) -> State {
        let number = op.0 as usize;
        let state = std::mem::replace(&mut self.states[number], State::Free);
        self.free.push(number);
        state
    }

    /// Matches receives with messages that have arrived.
    fn progress(&mut self) -> Result<()> {
        let mut mailbox = self.network.mailbox(self.rank)?;
        mailbox.look();
        let first = self.dice.below(1 << 20) as usize;
        let (states, rank) = (&mut self.states, self.rank);
        self.posted.retain(|&number| {
            let State::Receiving { from, tag, bytes } = states[number] else { return false };
            let Some((source, letter)) = mailbox.take(from, tag, first) else { return true };
            states[number] = if letter.len() <= bytes.len() {
                // SAFETY: the memory of a receive that is not over; its length was compared with the message's.
                unsafe { letter.deliver(bytes.cast::<u8>()) };
                State::Received { from: source, len: letter.len() }
            } else {
                let (len, room) = (letter.len(), bytes.len());
                let what = format!("a message of {len} bytes from {source} to {rank}");
                State::Failed(Error::Invalid(format!("{what} in a buffer of {room}")))
            };
            false
        });
        Ok(())
    }

    /// Copies the message of a send, so that it no longer needs its sender's memory.
    fn detach(&self, to: Rank, taken: &Arc<AtomicBool>) -> Result<()> {
        self.network.mailbox(to)?.detach(taken);
        Ok(())
    }
}

impl Fabric for InProcess {
    fn rank(&self) -> Rank {
        self.rank
    }

    unsafe fn send(&mut self, to: Rank, tag: Tag, bytes: *const [u8]) -> Result<Op> {
        let times = if self.dice.below(8) == 0 { 16 } else { 1 };
        let delay = self.dice.below(times * u64::from(self.network.shim.delay) + 1) as u32;
        let mut mailbox = self.network.mailbox(to)?;
        if bytes.len() <= self.network.shim.eager {
            // SAFETY: the bytes are valid until the send is over, which it is not yet.
            let copy = unsafe { &*bytes }.to_vec();
            mailbox.put(self.rank, tag, Letter::eager(copy, delay));
            drop(mailbox);
            return Ok(self.add(State::Sent));
        }
        let taken = Arc::new(AtomicBool::new(false));
        mailbox.put(self.rank, tag, Letter::lent(bytes, delay, taken.clone()));
        drop(mailbox);
        Ok(self.add(State::Sending { to, taken }))
    }

    unsafe fn receive(&mut self, from: Rank, tag: Tag, bytes: *mut [u8]) -> Result<Op> {
        Ok(self.add(State::Receiving { from: Some(from), tag, bytes }))
    }

    unsafe fn receive_any(&mut self, tag: Tag, bytes: *mut [u8]) -> Result<Op> {
        Ok(self.add(State::Receiving { from: None, tag, bytes }))
    }

    fn test(&mut self, op: Op) -> Result<Option<(Rank, usize)>> {
        self.progress()?;
        match &self.states[op.0 as usize] {
            State::Receiving { .. } => return Ok(None),
            // Acquire: the receiver has read the bytes.
            State::Sending { taken, .. } if !taken.load(Ordering::Acquire) => return Ok(None),
            _ => {}
        }
        match self.remove(op) {
            State::Received { from, len } => Ok(Some((from, len))),
            State::Failed(error) => Err(error),
            State::Free => Err(Error::Invalid(format!("{op:?} is over"))),
            _ => Ok(Some((self.rank, 0))),
        }
    }

    fn cancel(&mut self, op: Op) -> Result<bool> {
        let number = op.0 as usize;
        let is_over = matches!(self.states[number], State::Free);
        assert!(!is_over, "{op:?} is cancelled, but over: its number may be another's");
        // As in MPI, a send in progress continues.
        if let State::Sending { taken, .. } = &self.states[number]
            && !taken.load(Ordering::Acquire)
        {
            return Ok(false);
        }
        self.posted.retain(|&other| other != number);
        self.remove(op);
        Ok(true)
    }

    fn sends_by_itself(&self) -> bool {
        true
    }

    fn has_requests_of(&self, process: Rank) -> bool {
        let is_its =
            |state: &State| matches!(state, State::Received { from, .. } if *from == process);
        let mailbox = self.network.mailbox(self.rank);
        self.states.iter().any(is_its)
            || mailbox.is_ok_and(|mailbox| mailbox.has_requests_of(process))
    }

    fn window(&mut self) -> Option<&mut dyn Window> {
        None
    }
}

impl Drop for InProcess {
    fn drop(&mut self) {
        for state in &self.states {
            if let State::Sending { to, taken } = state {
                // Cannot fail: the message was sent there.
                let _ = self.detach(*to, taken);
            }
        }
    }
}
