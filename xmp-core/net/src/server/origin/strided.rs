//! Sections: divided into pieces that fit into a message, packed by the origin, scattered by the server; and the reverse.

use super::Origin;
use super::link::{SPARE, ServerReply, To, keep};
use super::transfer::unexpected;
use crate::error::Result;
use crate::nest::{Loop, Nest};
use crate::rank::Rank;
use crate::server::fabric::Tag;
use crate::server::local_host::check_bytes;
use crate::server::sections::{MemorySide, pack, unpack};
use crate::server::wire::{Grid, LOOP, Payload, RemoteLayout, Request};
use crate::transport::Op;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::ops::Range;

/// Most packed bytes of a section in one message: while it is in transit, the next ones are packed.
const MAX_SECTION_MESSAGE: u32 = 1 << 20;

impl Origin {
    /// Puts a section; its source may be changed when this returns.
    ///
    /// # Errors
    /// When a point is not in the segment of `target`, or the host cannot be reached.
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
            unsafe { pack(from, piece.nest(), MemorySide::Local, packed.as_mut_ptr()) };
            let layout = RemoteLayout::of(at, piece.nest());
            if packed.len() <= self.limits.inline as usize {
                let sent = match layout {
                    RemoteLayout::Contiguous { .. } => {
                        // SAFETY: the bytes of the buffer.
                        unsafe { self.put_contiguous(target, at, packed.as_ptr(), packed.len()) }
                    }
                    layout => {
                        let len = packed.len() + piece.loops.len() * LOOP;
                        let data = Payload::Inline(&packed);
                        self.put_inline(to, &Request::Put { to: layout, data }, len)
                    }
                };
                self.give_back(packed);
                return sent;
            }
            let data = Payload::Follows(packed.len() as u64);
            self.send_request(to, &Request::Put { to: layout, data })?;
            sends.begin(packed)
        })?;
        sends.finish_all()
    }

    /// Gets a section.
    ///
    /// # Errors
    /// When a point is not in the segment of `target`, or the host cannot be reached.
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
        let from = RemoteLayout::of(at, piece.nest());
        let got = self.ask(to, &Request::Get { from })?;
        // SAFETY: the buffer has room for as many bytes as the piece has; its points can be written from `dst`
        // (contract of this method).
        unsafe {
            match got {
                ServerReply::Data(bytes) if bytes == len => {
                    self.take_data(packed.as_mut_ptr(), len)
                }
                ServerReply::Follows(bytes) if bytes == len as u64 => {
                    self.receive_data(to.link, packed.as_mut_ptr(), len)?
                }
                got => return Err(unexpected("strided get", to.target, got, len)),
            }
            unpack(dst, piece.nest(), MemorySide::Local, packed.as_ptr());
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
        let most = self.limits.chunk.min(MAX_SECTION_MESSAGE).max(self.limits.inline) as usize;
        Ok((grid.packed() != Some(0)).then_some(most))
    }

    pub(super) fn buffer(&self, len: usize) -> Vec<u8> {
        let mut buffer = self.spare.borrow_mut().pop().unwrap_or_default();
        buffer.resize(len, 0);
        buffer
    }

    pub(super) fn give_back(&self, buffer: Vec<u8>) {
        keep(&self.spare, SPARE, buffer);
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

/// A part of a nest, at these distances from its start. Without dimensions it is one run.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    /// Contiguous bytes.
    unit: usize,
    /// The grid.
    loops: SmallVec<[Loop; 4]>,
    /// Its start in the target's segment.
    remote: i64,
    /// Its start in local memory.
    local: i64,
}

impl Piece {
    /// Its bytes, packed.
    fn len(&self) -> usize {
        self.loops.iter().fold(self.unit, |len, dim| len * dim.extent)
    }

    /// As a section.
    fn nest(&self) -> Nest<'_> {
        Nest { unit: self.unit, loops: &self.loops }
    }
}

/// Calls `visit` with the pieces of a section that is not empty, in its order. Each has at most `most` bytes, unless it
/// is a single run that is longer.
fn for_each_piece(
    nest: Nest<'_>,
    most: usize,
    mut visit: impl FnMut(&Piece) -> Result<()>,
) -> Result<()> {
    // The inner dimensions that fit, and how many points of the next one do.
    let mut inner = 0;
    let mut len = nest.unit;
    while let Some(dim) = nest.loops.get(inner)
        && len.checked_mul(dim.extent).is_some_and(|len| len <= most)
    {
        len *= dim.extent;
        inner += 1;
    }
    let mut piece =
        Piece { unit: nest.unit, loops: nest.loops[..inner].into(), remote: 0, local: 0 };
    let Some((cut, outer)) = nest.loops[inner..].split_first() else { return visit(&piece) };
    // A longer run is one piece; its put or get divides it.
    let step = (most / len.max(1)).max(1);
    let together = len <= most && step > 1;
    if together {
        piece.loops.push(*cut);
    }
    Nest { unit: 0, loops: outer }.try_for_each(|remote, local| {
        for first in (0..cut.extent).step_by(if together { step } else { 1 }) {
            piece.remote = remote + first as i64 * cut.remote;
            piece.local = local + first as i64 * cut.local;
            if let Some(last) = piece.loops.last_mut().filter(|_| together) {
                last.extent = step.min(cut.extent - first);
            }
            visit(&piece)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The pieces have the runs of the nest, in its order, and fit.
        #[test]
        fn pieces_are_the_section(
            unit in 1usize..20, most in 1usize..200,
            dims in prop::collection::vec((1usize..6, -50i64..50, -50i64..50), 0..4),
        ) {
            let loops: Vec<Loop> =
                dims.into_iter().map(|(extent, remote, local)| Loop { extent, remote, local }).collect();
            let nest = Nest { unit, loops: &loops };
            let mut expected = Vec::new();
            nest.for_each(|remote, local| expected.push((remote, local)));
            let mut found = Vec::new();
            for_each_piece(nest, most, |piece| {
                assert!(piece.len() <= most || piece.loops.is_empty(), "{piece:?}");
                piece.nest().for_each(|remote, local| {
                    found.push((remote + piece.remote, local + piece.local));
                });
                Ok(())
            })
            .unwrap();
            prop_assert_eq!(found, expected);
        }
    }
}
