//! Bytes that follow a request in messages of their own. They are received at their destination if that is contiguous,
//! otherwise into memory from which the request takes them.

use super::fabric::{Fabric, Tag};
use super::wire::{Grid, Head};
use crate::error::Result;
use crate::rank::Rank;
use crate::transport::Op;
use std::collections::VecDeque;
use std::ops::Range;

/// A request whose bytes are in transit.
#[derive(Debug)]
pub struct Incoming {
    /// Head of the request.
    pub head: Head,
    /// What to do when all bytes have arrived.
    pub then: OnArrival,
    /// Whether its image waits for a reply.
    pub replies: bool,
    /// Whether it is counted when it is executed (`execute`).
    pub counts: bool,
    from: Rank,
    /// Where the next message goes, and how many bytes remain from there.
    next: *mut u8,
    left: u64,
    chunk: u32,
    window: usize,
    ops: VecDeque<Op>,
}

/// What a request does with the bytes that followed it.
#[derive(Debug)]
pub enum OnArrival {
    /// Nothing: they have arrived at their destination, these bytes of the target's segment.
    Put {
        /// First byte.
        from: u64,
        /// One past the last.
        to: u64,
    },
    /// They are put to the points of a section.
    Scatter {
        /// The destination.
        grid: Grid,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// They are passed to a handler.
    Call {
        /// Its number.
        handler: u16,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// The request was refused. Each message is received over the one before, so that its sender can go on.
    Refuse {
        /// The reason.
        why: String,
        /// Room for a message.
        room: Vec<u8>,
    },
}

// SAFETY: `next` points into a segment or into the memory of `then`; only the thread that has the server uses it.
unsafe impl Send for Incoming {}

/// How bytes are divided into messages, and how many of these are received at once.
#[derive(Clone, Copy, Debug)]
pub struct Pieces {
    /// Bytes of a message.
    pub chunk: u32,
    /// Messages.
    pub window: usize,
}

impl Incoming {
    /// The transfer of `len` bytes from the image `from` into the segment at `at`, or else into the memory of `then`,
    /// which is that long.
    pub fn new(
        head: Head,
        from: Rank,
        len: u64,
        at: *mut u8,
        mut then: OnArrival,
        pieces: Pieces,
    ) -> Incoming {
        let (next, window) = match &mut then {
            OnArrival::Put { .. } => (at, pieces.window),
            OnArrival::Scatter { bytes, .. } | OnArrival::Call { bytes, .. } => {
                (bytes.as_mut_ptr(), pieces.window)
            }
            OnArrival::Refuse { room, .. } => (room.as_mut_ptr(), 1),
        };
        let replies = matches!(then, OnArrival::Call { .. });
        Incoming {
            head,
            then,
            replies,
            counts: true,
            from,
            next,
            left: len,
            chunk: pieces.chunk,
            window,
            ops: VecDeque::new(),
        }
    }

    /// The same transfer, counted or not.
    pub fn counted(self, counts: bool) -> Incoming {
        Incoming { counts, ..self }
    }

    /// Receives what has arrived and posts receives while there is room. Returns whether anything was done.
    ///
    /// # Errors
    /// When the fabric fails.
    pub fn poll(&mut self, fabric: &mut dyn Fabric) -> Result<bool> {
        let mut progress = self.post(fabric)?;
        while let Some(&op) = self.ops.front()
            && fabric.test(op)?.is_some()
        {
            self.ops.pop_front();
            progress = true;
            self.post(fabric)?;
        }
        Ok(progress)
    }

    fn post(&mut self, fabric: &mut dyn Fabric) -> Result<bool> {
        let before = self.left;
        while self.left > 0 && self.ops.len() < self.window {
            let len = self.left.min(self.chunk.into());
            let part = std::ptr::slice_from_raw_parts_mut(self.next, len as usize);
            // SAFETY: within the segment (checked when the request was read) or the memory of `then`, which is not
            // touched before all operations are done. The parts are disjoint, but for refused requests, of which one
            // part is received at a time.
            self.ops.push_back(unsafe { fabric.receive(self.from, Tag::REQUEST_DATA, part)? });
            self.left -= len;
            if !matches!(self.then, OnArrival::Refuse { .. }) {
                self.next = self.next.wrapping_add(len as usize);
            }
        }
        Ok(self.left != before)
    }

    /// Cancels its receives.
    ///
    /// # Errors
    /// When the fabric fails.
    pub fn close(&mut self, fabric: &mut dyn Fabric) -> Result<()> {
        for op in self.ops.drain(..) {
            if !fabric.cancel(op)? {
                // The message would still be received there.
                std::mem::forget(std::mem::replace(
                    &mut self.then,
                    OnArrival::Put { from: 0, to: 0 },
                ));
            }
        }
        Ok(())
    }

    /// Whether all its messages are being received or have been: the next ones belong to another request.
    pub fn is_posted(&self) -> bool {
        self.left == 0
    }

    /// Whether all bytes have arrived.
    pub fn is_done(&self) -> bool {
        self.left == 0 && self.ops.is_empty()
    }

    /// How many of its bytes are received into memory of the server; `None` if they are not.
    pub fn staged(&self) -> Option<u64> {
        match &self.then {
            OnArrival::Scatter { bytes, .. } | OnArrival::Call { bytes, .. } => {
                Some(bytes.len() as u64)
            }
            _ => None,
        }
    }

    /// Whether it writes any of these bytes of the target's segment.
    pub fn touches(&self, target: Rank, from: u64, to: u64) -> bool {
        let Range { start: first, end } = match &self.then {
            OnArrival::Put { from, to } => i128::from(*from)..i128::from(*to),
            OnArrival::Scatter { grid, .. } => grid.touched(),
            // It is not known what a handler writes.
            OnArrival::Call { .. } => return true,
            OnArrival::Refuse { .. } => return false,
        };
        self.head.target == target && first < i128::from(to) && i128::from(from) < end
    }
}
