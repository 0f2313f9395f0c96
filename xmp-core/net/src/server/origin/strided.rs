//! Sections: packed by the origin, sent as few messages, scattered by the server; and the reverse.

mod pieces;

use super::Origin;
use super::link::{Got, To};
use super::transfer::unexpected;
use crate::error::Result;
use crate::nest::Nest;
use crate::rank::Rank;
use crate::server::fabric::Tag;
use crate::server::here::check_bytes;
use crate::server::packing::{self, Side};
use crate::server::wire::{Grid, Payload, RemoteLayout, Request};
use crate::transport::Op;
use pieces::{Piece, for_each_piece};
use std::collections::VecDeque;
use std::ops::Range;

/// Buffers for packed sections that are kept.
const SPARE: usize = 8;

impl Origin {
    /// Puts a section; its source may be changed when this returns.
    ///
    /// # Errors
    /// When a point does not lie in the segment of `target`, or the host cannot be reached.
    ///
    /// # Safety
    /// All points of `src` can be read.
    pub(super) unsafe fn put_nest(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        nest: Nest<'_>,
    ) -> Result<()> {
        let Some(most) = self.check_section("strided put", target, offset, nest)? else {
            return Ok(());
        };
        let to = self.to(target);
        to.link.has_puts.set(true);
        let mut sends = Sends { origin: self, to, ops: VecDeque::new() };
        for_each_piece(nest, most, |piece| {
            let from = src.wrapping_offset(piece.local as isize);
            let at = offset.wrapping_add_signed(piece.remote);
            if piece.loops.is_empty() {
                sends.finish_all()?;
                // SAFETY: a run of the nest, which can be read from `src` (contract of this method).
                return unsafe { self.put_contiguous(target, at, from, piece.unit) };
            }
            let mut packed = self.buffer(piece.len());
            // SAFETY: points of the nest, which can be read from `src` (contract of this method); the buffer has
            // room.
            unsafe { packing::pack(from, piece.nest(), Side::Local, packed.as_mut_ptr()) };
            let to_nest = RemoteLayout::Nest(Grid::of(at, piece.nest()));
            if packed.len() <= self.limits.inline as usize {
                let data = Payload::Inline(&packed);
                let sent = self.send_request(to, &Request::Put { to: to_nest, data });
                self.give_back(packed);
                return sent.map(|_| ());
            }
            let data = Payload::Follows(packed.len() as u64);
            self.send_request(to, &Request::Put { to: to_nest, data })?;
            sends.begin(packed)
        })?;
        sends.finish_all()
    }

    /// Gets a section.
    ///
    /// # Errors
    /// When a point does not lie in the segment of `target`, or the host cannot be reached.
    ///
    /// # Safety
    /// All points of `dst` can be written.
    pub(super) unsafe fn get_nest(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        nest: Nest<'_>,
    ) -> Result<()> {
        let Some(most) = self.check_section("strided get", target, offset, nest)? else {
            return Ok(());
        };
        let to = self.to(target);
        for_each_piece(nest, most, |piece| {
            let into = dst.wrapping_offset(piece.local as isize);
            let at = offset.wrapping_add_signed(piece.remote);
            if piece.loops.is_empty() {
                // SAFETY: a run of the nest, which can be written from `dst` (contract of this method).
                return unsafe { self.get_contiguous(target, at, into, piece.unit) };
            }
            // SAFETY: points of the nest, which can be written from `dst` (contract of this method).
            unsafe { self.get_piece(to, at, into, piece) }
        })
    }

    /// # Safety
    /// All points of `dst` can be written.
    unsafe fn get_piece(&self, to: To<'_>, at: u64, dst: *mut u8, piece: &Piece) -> Result<()> {
        let len = piece.len();
        let mut packed = self.buffer(len);
        let from = RemoteLayout::Nest(Grid::of(at, piece.nest()));
        let got = self.ask(to, &Request::Get { from })?;
        // SAFETY: the buffer has room for as many bytes as the piece has; its points can be written from `dst`
        // (contract of this method).
        unsafe {
            match got {
                Got::Data(bytes) if bytes == len => self.take_data(packed.as_mut_ptr(), len),
                Got::Follows(bytes) if bytes == len as u64 => {
                    self.receive_data(to.link, packed.as_mut_ptr(), len)?
                }
                got => return Err(unexpected("strided get", to.target, got, len)),
            }
            packing::unpack(dst, piece.nest(), Side::Local, packed.as_ptr());
        }
        self.give_back(packed);
        Ok(())
    }

    /// Checks a section and chooses the most packed bytes of one of its messages; `None` if it is empty.
    fn check_section(
        &self,
        what: &str,
        target: Rank,
        offset: u64,
        nest: Nest<'_>,
    ) -> Result<Option<usize>> {
        let grid = Grid::of(offset, nest);
        let Range { start, end } = grid.touched();
        check_bytes(what, target, start, end, self.job.geometry().stride)?;
        let most = self.limits.chunk.max(self.limits.inline) as usize;
        Ok((grid.packed() != Some(0)).then_some(most))
    }

    pub(super) fn buffer(&self, len: usize) -> Vec<u8> {
        let mut buffer = self.spare.borrow_mut().pop().unwrap_or_default();
        buffer.resize(len, 0);
        buffer
    }

    pub(super) fn give_back(&self, buffer: Vec<u8>) {
        let mut spare = self.spare.borrow_mut();
        if spare.len() < SPARE {
            spare.push(buffer);
        }
    }
}

/// Packed pieces in transit.
struct Sends<'a> {
    origin: &'a Origin,
    to: To<'a>,
    ops: VecDeque<(Op, Vec<u8>)>,
}

impl Sends<'_> {
    fn begin(&mut self, packed: Vec<u8>) -> Result<()> {
        while self.ops.len() >= self.origin.limits.pipeline.max(1) as usize {
            self.finish_first()?;
        }
        let leader = self.to.link.leader;
        let bytes = &raw const packed[..];
        // SAFETY: the buffer is kept until the operation is over; moving the vector does not move its bytes.
        let op = self
            .origin
            .port
            .carry(|fabric| unsafe { fabric.send(leader, Tag::REQUEST_DATA, bytes) })?;
        self.ops.push_back((op, packed));
        Ok(())
    }

    fn finish_first(&mut self) -> Result<()> {
        let Some((op, packed)) = self.ops.pop_front() else { return Ok(()) };
        let outcome = self.origin.complete(self.to.link, op);
        match outcome {
            Ok(_) => self.origin.give_back(packed),
            // MPI may still read it.
            Err(_) => std::mem::forget(packed),
        }
        outcome.map(|_| ())
    }

    fn finish_all(&mut self) -> Result<()> {
        while !self.ops.is_empty() {
            self.finish_first()?;
        }
        Ok(())
    }
}

impl Drop for Sends<'_> {
    /// After an error.
    fn drop(&mut self) {
        for (op, packed) in self.ops.drain(..) {
            self.origin.give_up([op]);
            std::mem::forget(packed);
        }
    }
}
