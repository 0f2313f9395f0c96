//! The outbox: messages that a server has begun to send. Completed messages return their memory for the next ones.

use super::bundle;
use super::fabric::{Fabric, Tag, cancel_with};
use super::wire::{self, Reply};
use crate::error::Result;
use crate::rank::Rank;
use crate::transport::Op;
use std::collections::VecDeque;
use std::ops::Add;
use std::sync::Arc;

/// Buffers that are kept for the next messages.
const SPARE: usize = 64;

/// Sends that are not done.
#[derive(Debug, Default)]
pub struct Outbox {
    sends: VecDeque<(Op, Memory)>,
    spare: Vec<Vec<u8>>,
    /// Replies that go by way of another server, and the most bytes of them.
    together: Option<(Vec<u8>, usize)>,
}

/// The memory that must stay until a message is sent.
#[derive(Debug)]
enum Memory {
    /// A buffer of this outbox.
    Message(Vec<u8>),
    /// None: the bytes are in a segment.
    Segment,
    /// One of several messages with bytes that were gathered for them.
    Staged { _bytes: Arc<Vec<u8>>, part: usize },
}

/// Transfers by way of a server's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Staged {
    /// Their number.
    pub count: usize,
    /// Their bytes.
    pub bytes: u64,
}

impl Staged {
    /// Adds a transfer.
    pub fn begin(&mut self, bytes: u64) {
        self.count += 1;
        self.bytes += bytes;
    }

    /// Removes a transfer.
    pub fn end(&mut self, bytes: u64) {
        self.count -= 1;
        self.bytes -= bytes;
    }

    /// Whether there is room for another transfer of `bytes` bytes, if `most` are allowed.
    pub fn has_room(self, bytes: u64, most: Staged) -> bool {
        self.count < most.count && (self.bytes == 0 || self.bytes + bytes <= most.bytes)
    }
}

impl Add for Staged {
    type Output = Staged;
    fn add(self, other: Staged) -> Staged {
        Staged { count: self.count + other.count, bytes: self.bytes + other.bytes }
    }
}

impl Outbox {
    /// Sends a reply.
    ///
    /// # Errors
    /// When the fabric fails.
    pub fn reply(&mut self, fabric: &mut dyn Fabric, to: Rank, reply: Reply<'_>) -> Result<()> {
        if let Some((together, room)) = &mut self.together {
            let mut message = self.spare.pop().unwrap_or_default();
            wire::write_reply(&mut message, reply);
            let fits = together.len() + bundle::HEADER + message.len() <= *room;
            if fits {
                bundle::write(together, to, &message);
            }
            self.give_back(message);
            if fits {
                return Ok(());
            }
        }
        self.message(fabric, to, Tag::REPLY, |message| wire::write_reply(message, reply))
    }

    /// Sends a reply; another message to that process follows at once.
    ///
    /// # Errors
    /// When the fabric fails.
    pub fn followed_reply(
        &mut self,
        fabric: &mut dyn Fabric,
        to: Rank,
        reply: Reply<'_>,
    ) -> Result<()> {
        let mut message = self.spare.pop().unwrap_or_default();
        wire::write_reply(&mut message, reply);
        // SAFETY: the buffer is kept until the operation is over; moving the vector does not move its bytes.
        let op = unsafe { fabric.send_followed(to, Tag::REPLY, &message[..])? };
        self.keep_until_sent(fabric, op, message)
    }

    /// From now on, replies that fit into `room` bytes wait for [`Outbox::collected`].
    pub fn collect(&mut self, room: usize) {
        self.together = Some((Vec::new(), room));
    }

    /// The replies that wait, as a bundle. Later replies are sent again.
    pub fn collected(&mut self) -> Vec<u8> {
        self.together.take().map_or_else(Vec::new, |(replies, _)| replies)
    }

    /// Sends what `write` appends to an empty message.
    ///
    /// # Errors
    /// When the fabric fails.
    pub fn message(
        &mut self,
        fabric: &mut dyn Fabric,
        to: Rank,
        tag: Tag,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Result<()> {
        let mut message = self.spare.pop().unwrap_or_default();
        write(&mut message);
        // SAFETY: the buffer is kept until the operation is over; moving the vector does not move its bytes.
        let op = unsafe { fabric.send(to, tag, &message[..])? };
        self.keep_until_sent(fabric, op, message)
    }

    fn keep_until_sent(&mut self, fabric: &mut dyn Fabric, op: Op, message: Vec<u8>) -> Result<()> {
        match fabric.test(op)? {
            Some(_) => self.give_back(message),
            None => self.sends.push_back((op, Memory::Message(message))),
        }
        Ok(())
    }

    /// Sends bytes of a segment of this host, as [`Tag::REPLY_DATA`].
    ///
    /// # Errors
    /// When the fabric fails.
    ///
    /// # Safety
    /// The bytes stay mapped as long as the outbox lives.
    pub unsafe fn segment(
        &mut self,
        fabric: &mut dyn Fabric,
        to: Rank,
        bytes: *const [u8],
    ) -> Result<()> {
        // SAFETY: the bytes stay mapped until the operation is over (contract of this method).
        let op = unsafe { fabric.send(to, Tag::REPLY_DATA, bytes)? };
        if fabric.test(op)?.is_none() {
            self.sends.push_back((op, Memory::Segment));
        }
        Ok(())
    }

    /// Sends gathered bytes, as [`Tag::REPLY_DATA`] in messages of at most `chunk` bytes.
    ///
    /// # Errors
    /// When the fabric fails.
    pub fn gathered(
        &mut self,
        fabric: &mut dyn Fabric,
        to: Rank,
        bytes: Vec<u8>,
        chunk: usize,
    ) -> Result<()> {
        let staged = Arc::new(bytes);
        for part in staged.chunks(chunk) {
            // SAFETY: the bytes are kept with the operation.
            let op = unsafe { fabric.send(to, Tag::REPLY_DATA, part)? };
            self.sends.push_back((op, Memory::Staged { _bytes: staged.clone(), part: part.len() }));
        }
        Ok(())
    }

    /// Returns the memory of completed messages. Returns whether there were any.
    ///
    /// # Errors
    /// When the fabric fails.
    pub fn poll(&mut self, fabric: &mut dyn Fabric) -> Result<bool> {
        let mut progress = false;
        for _ in 0..self.sends.len() {
            let Some((op, memory)) = self.sends.pop_front() else { break };
            if fabric.test(op)?.is_none() {
                self.sends.push_back((op, memory));
                continue;
            }
            progress = true;
            if let Memory::Message(message) = memory {
                self.give_back(message);
            }
        }
        Ok(progress)
    }

    /// The messages of gathered bytes that are in transit.
    pub fn staged(&self) -> Staged {
        let mut staged = Staged::default();
        for (_, memory) in &self.sends {
            if let Memory::Staged { part, .. } = memory {
                staged.begin(*part as u64);
            }
        }
        staged
    }

    /// Whether everything is sent.
    pub fn is_empty(&self) -> bool {
        self.sends.is_empty()
    }

    /// Cancels what is not sent.
    ///
    /// # Errors
    /// When the fabric fails.
    pub fn close(&mut self, fabric: &mut dyn Fabric) -> Result<()> {
        self.sends.drain(..).try_for_each(|(op, memory)| cancel_with(fabric, op, memory))
    }

    fn give_back(&mut self, mut message: Vec<u8>) {
        if self.spare.len() < SPARE {
            message.clear();
            self.spare.push(message);
        }
    }
}
