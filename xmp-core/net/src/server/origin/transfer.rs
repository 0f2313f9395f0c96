//! Contiguous puts and gets: short ones travel in the request or its reply, long ones directly between source and
//! destination.

use super::Origin;
use super::link::{Link, ServerReply, To};
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::server::fabric::Tag;
use crate::server::wire::{Payload, Request, write_short_put};
use crate::transport::Op;
use std::collections::VecDeque;
use std::slice;

impl Origin {
    /// Copies bytes into the segment of `target`; they may be changed when this returns.
    ///
    /// # Errors
    /// When they are not there, or the host cannot be reached.
    ///
    /// # Safety
    /// `src` can be read for `len` bytes.
    pub(super) unsafe fn put_contiguous(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        len: usize,
    ) -> Result<()> {
        self.check("put", target, offset, len)?;
        let to = self.to(target);
        if self.goes_by_window(len) {
            // SAFETY: `src` can be read for `len` bytes (contract of this method).
            return unsafe { self.put_by_window(to, offset, src, len) };
        }
        to.link.has_puts.set(true);
        if len <= self.limits.inline as usize {
            // SAFETY: `src` can be read for `len` bytes (contract of this method).
            let data = unsafe { bytes(src, len) };
            if self.extends_put(to, offset, data) {
                return Ok(());
            }
            let write = |message: &mut _, head| write_short_put(message, head, offset, data);
            if self.coalesce(to, len, write)? {
                to.link.coalesced.borrow_mut().last_is_put(target, offset, len);
                return Ok(());
            }
            return self.send_request(to, &Request::put(offset, Payload::Inline(data))).map(|_| ());
        }
        self.send_request(to, &Request::put(offset, Payload::Follows(len as u64)))?;
        // SAFETY: `src` can be read for `len` bytes (contract of this method), and the program does not change it
        // meanwhile.
        unsafe { self.send_data(to.link, src, len) }
    }

    /// Copies bytes out of the segment of `target`.
    ///
    /// # Errors
    /// When they are not there, or the host cannot be reached.
    ///
    /// # Safety
    /// `dst` can be written for `len` bytes.
    pub(super) unsafe fn get_contiguous(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        len: usize,
    ) -> Result<()> {
        self.check("get", target, offset, len)?;
        let to = self.to(target);
        if len <= self.limits.inline as usize {
            let got = self.ask(to, &Request::get(offset, len as u64))?;
            if got != ServerReply::Data(len) {
                return Err(unexpected("get", target, got, len));
            }
            // SAFETY: `dst` can be written for `len` bytes (contract of this method), as many as have come.
            unsafe { self.take_data(dst, len) };
            return Ok(());
        }
        if self.goes_by_window(len) {
            // SAFETY: `dst` can be written for `len` bytes (contract of this method).
            return unsafe { self.get_by_window(to, offset, dst, len) };
        }
        let mut pieces =
            Pieces { origin: self, to, asked: VecDeque::new(), landing: VecDeque::new() };
        let chunk = self.limits.chunk.max(self.limits.inline) as usize;
        let mut at = 0;
        while at < len || !pieces.asked.is_empty() {
            let full = pieces.asked.len() >= self.limits.pipeline.max(1) as usize;
            if at == len || full || (!pieces.asked.is_empty() && !self.has_credit(to.link)) {
                pieces.finish_first()?;
                continue;
            }
            let part = (len - at).min(chunk);
            // SAFETY: within the `len` bytes of `dst` (contract of this method).
            unsafe { pieces.begin(offset + at as u64, dst.add(at), part)? };
            at += part;
        }
        Ok(())
    }

    /// Sends bytes that follow a request, in messages of the chunk's size, several at once.
    ///
    /// # Safety
    /// `src` can be read for `len` bytes, and no other code changes them.
    pub(super) unsafe fn send_data(&self, link: &Link, src: *const u8, len: usize) -> Result<()> {
        let chunk = self.limits.chunk as usize;
        let mut ops = VecDeque::new();
        let mut at = 0;
        while at < len || !ops.is_empty() {
            if at < len && ops.len() < self.limits.pipeline.max(1) as usize {
                let part =
                    std::ptr::slice_from_raw_parts(src.wrapping_add(at), chunk.min(len - at));
                // SAFETY: within the `len` bytes of `src` (contract of this method); done or given up before this
                // returns.
                let send = |fabric: &mut dyn crate::server::Fabric| unsafe {
                    fabric.send(link.leader, Tag::REQUEST_DATA, part)
                };
                match self.port.carry(send) {
                    Ok(op) => ops.push_back(op),
                    Err(error) => {
                        self.give_up(ops);
                        return Err(error);
                    }
                }
                at += part.len();
            } else if let Some(op) = ops.pop_front()
                && let Err(error) = self.complete(link, op)
            {
                self.give_up(ops);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Receives bytes that follow a reply, in messages of the chunk's size, several at once.
    ///
    /// # Safety
    /// `dst` can be written for `len` bytes.
    pub(super) unsafe fn receive_data(&self, link: &Link, dst: *mut u8, len: usize) -> Result<()> {
        let chunk = self.limits.chunk as usize;
        let mut ops = VecDeque::new();
        let mut at = 0;
        while at < len || !ops.is_empty() {
            if at < len && ops.len() < self.limits.pipeline.max(1) as usize {
                let part = chunk.min(len - at);
                // SAFETY: within the `len` bytes of `dst` (contract of this method); done or given up before this
                // returns.
                match unsafe { self.post_data(link, dst.wrapping_add(at), part) } {
                    Ok(op) => ops.push_back(op),
                    Err(error) => {
                        self.give_up(ops);
                        return Err(error);
                    }
                }
                at += part;
            } else if let Some(op) = ops.pop_front()
                && let Err(error) = self.complete(link, op)
            {
                self.give_up(ops);
                return Err(error);
            }
        }
        Ok(())
    }

    /// # Safety
    /// `dst` can be written for `len` bytes until the operation is over.
    pub(super) unsafe fn post_data(&self, link: &Link, dst: *mut u8, len: usize) -> Result<Op> {
        let room = std::ptr::slice_from_raw_parts_mut(dst, len);
        // SAFETY: `dst` can be written until the operation is over (contract of this method).
        self.port.carry(|fabric| unsafe { fabric.receive(link.leader, Tag::REPLY_DATA, room) })
    }

    /// Copies the bytes of the last reply.
    ///
    /// # Safety
    /// `dst` has room for `len` bytes, and the last reply has brought as many.
    pub(super) unsafe fn take_data(&self, dst: *mut u8, len: usize) {
        let landing = self.landing.borrow();
        let data = &landing[crate::server::wire::REPLY_HEADER..][..len];
        // SAFETY: `dst` has room for `len` bytes, and the landing has as many (contract of this method).
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), dst, len) };
    }
}

/// # Safety
/// `src` can be read for `len` bytes as long as the slice is used; it may be any address if `len` is 0.
pub(super) unsafe fn bytes<'a>(src: *const u8, len: usize) -> &'a [u8] {
    match len {
        0 => &[],
        // SAFETY: `src` can be read for `len` bytes as long as the slice is used (contract of this function).
        _ => unsafe { slice::from_raw_parts(src, len) },
    }
}

#[cold]
pub(super) fn unexpected(what: &str, target: Rank, got: ServerReply, len: usize) -> Error {
    Error::Invalid(format!("{what}: the server of {target} answers {got:?} for {len} bytes"))
}

/// A piece that was requested.
pub(super) struct RequestedPiece {
    /// Number of the request.
    id: u32,
    dst: *mut u8,
    len: usize,
}

/// Pieces of a long get, several of which are in transit.
pub(super) struct Pieces<'a> {
    pub origin: &'a Origin,
    pub to: To<'a>,
    /// Those that wait for their replies.
    pub asked: VecDeque<RequestedPiece>,
    /// Receives of their bytes; the last piece may be so short that its reply contains them.
    pub landing: VecDeque<Op>,
}

impl Pieces<'_> {
    /// # Safety
    /// `dst` can be written for `len` bytes until the pieces are finished or dropped.
    unsafe fn begin(&mut self, offset: u64, dst: *mut u8, len: usize) -> Result<()> {
        // The receive first: then the bytes go to their destination at once.
        if len > self.origin.limits.inline as usize {
            // SAFETY: `dst` can be written until the pieces are finished or dropped (contract of this method).
            self.landing.push_back(unsafe { self.origin.post_data(self.to.link, dst, len)? });
        }
        let request = Request::get(offset, len as u64);
        let id = self.origin.send_request(self.to, &request)?;
        self.asked.push_back(RequestedPiece { id, dst, len });
        Ok(())
    }

    fn finish_first(&mut self) -> Result<()> {
        let Some(RequestedPiece { id, dst, len }) = self.asked.pop_front() else { return Ok(()) };
        match self.origin.reply(self.to.link, id)? {
            got @ ServerReply::Follows(bytes) if bytes == len as u64 => {
                match self.landing.pop_front() {
                    Some(op) => self.origin.complete(self.to.link, op).map(|_| ()),
                    None => Err(unexpected("get", self.to.target, got, len)),
                }
            }
            ServerReply::Data(bytes) if bytes == len => {
                // SAFETY: `dst` of the piece's `begin` can be written (its contract), for as many bytes as have come.
                unsafe { self.origin.take_data(dst, len) };
                Ok(())
            }
            got => Err(unexpected("get", self.to.target, got, len)),
        }
    }
}

impl Drop for Pieces<'_> {
    /// After an error: takes the outstanding replies, and gives up what may never come.
    fn drop(&mut self) {
        while let Some(asked) = self.asked.pop_front() {
            if let Ok(ServerReply::Follows(_)) = self.origin.reply(self.to.link, asked.id)
                && let Some(op) = self.landing.pop_front()
            {
                let _ = self.origin.complete(self.to.link, op);
            }
        }
        self.origin.give_up(self.landing.drain(..));
    }
}
