//! Requests of one message: notifications, packets, atomic operations, wake-ups.

use super::Origin;
use super::link::Got;
use super::transfer::bytes;
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::server::here::check_aligned;
use crate::server::wire::Request;
use crate::transport::{AtomicOp, Mark, Update, Wake, Width};

impl Origin {
    /// Copies bytes into the segment of `target`, then stores `value` into a counter there and wakes it.
    ///
    /// # Errors
    /// When bytes or counter do not lie there, or the host cannot be reached.
    ///
    /// # Safety
    /// `src` can be read for `len` bytes.
    pub unsafe fn put_notify(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        len: usize,
        counter: u64,
        value: u64,
    ) -> Result<()> {
        self.check_word("put with notification", target, counter, Width::W8)?;
        let (offset, data) = if len <= self.limits.inline as usize {
            self.check("put with notification", target, offset, len)?;
            // SAFETY: `src` can be read for `len` bytes (contract of this method).
            (offset, unsafe { bytes(src, len) })
        } else {
            // SAFETY: `src` can be read for `len` bytes (contract of this method).
            unsafe { self.put(target, offset, src, len)? };
            // Executed behind the bytes.
            (0, &[][..])
        };
        let to = self.to(target);
        if len > 0 {
            to.link.has_puts.set(true);
        }
        self.send_request(to, &Request::Notify { offset, data, counter, value }).map(|_| ())
    }

    /// Lazy notification: stores `value` into a counter of `target`, before the next request to its host is executed.
    ///
    /// # Errors
    /// When the counter does not lie there, or the host cannot be reached.
    pub fn tell(&self, target: Rank, counter: u64, value: u64) -> Result<()> {
        self.check_word("notification", target, counter, Width::W8)?;
        let request = Request::Notify { offset: 0, data: &[], counter, value };
        if self.is_kept(0) {
            self.keep(self.to(target), &request, 0)
        } else {
            self.send_request(self.to(target), &request).map(|_| ())
        }
    }

    /// Puts a packet.
    ///
    /// # Errors
    /// When it does not lie in the segment of `target`, or the host cannot be reached.
    pub fn put_packet(&self, target: Rank, end: u64, parts: [&[u8]; 2], mark: Mark) -> Result<()> {
        let len = parts[0].len() + parts[1].len();
        let start = end.checked_sub(len as u64).unwrap_or(u64::MAX);
        self.check("packet", target, start, len)?;
        let word = match mark {
            Mark::Trailing(_) => end,
            Mark::Counter { offset, .. } => offset,
        };
        self.check_word("packet", target, word, Width::W8)?;
        let to = self.to(target);
        if self.window {
            // A get by the window would overtake it.
            to.link.has_puts.set(true);
        }
        self.send_request(to, &Request::Packet { end, parts, mark }).map(|_| ())
    }

    /// Executes `op` on a word of `target`; returns its former value.
    ///
    /// # Errors
    /// When there is no such word, or the host cannot be reached.
    pub fn fetch_op(
        &self,
        op: AtomicOp,
        target: Rank,
        offset: u64,
        width: Width,
        operand: u64,
    ) -> Result<u64> {
        self.check_word("atomic operation", target, offset, width)?;
        self.value(target, &Request::FetchOp { op, offset, width, operand })
    }

    /// Stores `desired` into a word of `target` if it is `expected`; returns its former value.
    ///
    /// # Errors
    /// When there is no such word, or the host cannot be reached.
    pub fn compare_swap(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        expected: u64,
        desired: u64,
    ) -> Result<u64> {
        self.check_word("compare and swap", target, offset, width)?;
        self.value(target, &Request::CompareSwap { offset, width, expected, desired })
    }

    /// Updates a word of `target` without waiting for a reply.
    ///
    /// # Errors
    /// When there is no such word, or the host cannot be reached.
    pub fn signal(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        update: Update,
        wake: Wake,
    ) -> Result<()> {
        self.check_word("signal", target, offset, width)?;
        if let Wake::Sleepers(gate) = wake {
            self.check_word("signal", target, gate, Width::W4)?;
        }
        let to = self.to(target);
        // A flush confirms it.
        to.link.has_puts.set(true);
        self.send_request(to, &Request::Signal { offset, width, update, wake }).map(|_| ())
    }

    /// Wakes `target`.
    ///
    /// # Errors
    /// When the host cannot be reached.
    pub fn ring(&self, target: Rank) -> Result<()> {
        self.send_request(self.to(target), &Request::Ring).map(|_| ())
    }

    fn value(&self, target: Rank, request: &Request<'_>) -> Result<u64> {
        match self.ask(self.to(target), request)? {
            Got::Value(value) => Ok(value),
            other => Err(Error::Invalid(format!("the server of {target} answers {other:?}"))),
        }
    }

    fn check_word(&self, what: &str, target: Rank, offset: u64, width: Width) -> Result<()> {
        self.check(what, target, offset, width.bytes() as usize)?;
        check_aligned(what, target, offset, width)
    }
}
