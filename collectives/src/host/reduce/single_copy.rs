//! Reduction of private memory by a single copy: each member takes its slice of all operands from the others, block by
//! block, combines them, and gives each other member the result. No operand passes through a staging buffer, and all
//! members together combine each element once.
//!
//! ```text
//! take    block 0 of the slice from all others; all say whether that went well
//! combine block 0 in the own operand, and give it to all others
//! take    block 1 ...
//! ```

use super::copy_in::CopyIn;
use super::direct;
use super::sliced::{self, Sliced};
use super::{Operand, slice};
use crate::elements::Elements;
use crate::host::single_copy::{self, CopyMethod, SHORTEST, all_have_copied, give, give_up, take};
use crate::host::{Host, Sources};
use crate::reduction::{Op, Reduction};
use std::cell::Cell;
use std::ops::Range;
use xmp_core::coll_area::SingleCopy;
use xmp_core::process::memory;
use xmp_core::{BoxedResult, Error};

/// The least bytes of a block: a call of the system takes as long as the copy of some kilobytes.
const LEAST_BLOCK: usize = 32 << 10;

/// A cache line of blocks, of which only addresses are used.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line {
    _bytes: [u8; 64],
}

thread_local! {
    /// Room for the blocks of the other members. It stays allocated, and so in the cache, from one reduction to the next.
    static BLOCKS: Cell<Vec<Line>> = const { Cell::new(Vec::new()) };
}

/// Whether the members reduce `bytes` bytes of operands in private memory by a single copy. All members call it for the same operation.
/// `copies_in`: whether [`CopyIn`], with chunks of `chunk` bytes, is the other way for operands of this many bytes; else it is [`Sliced`].
#[inline]
pub fn is_better(
    host: &Host<'_>,
    bytes: usize,
    chunk: usize,
    copies_in: impl Fn(usize) -> bool,
) -> BoxedResult<bool> {
    if bytes < SHORTEST {
        return Ok(false);
    }
    let least = single_copy::least(host, SingleCopy::Reduction, |buffer, way| {
        let reduction = Reduction::number::<u64>(Op::Sum);
        let element = reduction.element();
        // SAFETY: the buffer of this member, which only the reduction accesses.
        let elements =
            unsafe { Elements::new(buffer.as_mut_ptr(), buffer.len() / element, &reduction) };
        let operand = Operand { elements, to: None };
        match way {
            CopyMethod::Single => run(host, &operand, chunk, false),
            CopyMethod::Staged if copies_in(buffer.len()) => {
                CopyIn::new(host, &operand, chunk).run().map(|()| true)
            }
            CopyMethod::Staged => {
                Sliced::new(host, &operand, sliced::MAX_CHUNK).run().map(|()| true)
            }
        }
    })?;
    Ok(bytes as u64 >= least)
}

/// The reduction with blocks that take as much as `chunk` bytes, the own ones included; straight in the segments if that
/// is permitted and all operands are there. Returns whether the system has copied. If not, the operands are as they were,
/// and no member of the area tries it again.
///
/// # Errors
/// When a member has ended, or the system has copied a part of the operands only.
pub fn run(
    host: &Host<'_>,
    operand: &Operand<'_>,
    chunk: usize,
    may_be_direct: bool,
) -> BoxedResult<bool> {
    let start = operand.elements.at(0);
    let shared = if may_be_direct { host.shared_address(start) } else { 0 };
    host.post_words([shared, start.expose_provenance() as u64]);
    host.barrier()?;
    let posted = (0..host.members()).map(|member| host.posted_words(member));
    if posted.clone().all(|[shared, _]| shared != 0) {
        let at = |[shared, _]: [u64; 2]| std::ptr::with_exposed_provenance(shared as usize);
        let addresses: Sources = posted.map(at).collect();
        // SAFETY: all members find the same addresses, so all of them execute this.
        return unsafe { direct::finish(host, operand, &addresses) }.map(|()| true);
    }
    let addresses: Vec<u64> = posted.map(|[_, private]| private).collect();
    let others = host.members() - 1;
    let block = (chunk / 2 / others).max(LEAST_BLOCK) / operand.elements.element();
    let slice = Slice { host, operand, addresses: &addresses, step: block.max(1) };
    // The first barrier in it is made before any member writes.
    host.access_epoch(|| slice.reduce())
}

/// The slice that one member combines.
struct Slice<'a> {
    host: &'a Host<'a>,
    operand: &'a Operand<'a>,
    /// The addresses of all operands, each in the process of its member.
    addresses: &'a [u64],
    /// Elements in a block.
    step: usize,
}

impl Slice<'_> {
    fn reduce(&self) -> BoxedResult<bool> {
        let others = self.host.members() - 1;
        let lines = (others * self.room()).div_ceil(size_of::<Line>());
        let mut blocks = BLOCKS.take();
        blocks.resize(lines.max(blocks.len()), Line { _bytes: [0; 64] });
        let reduced = self.reduce_in(blocks.as_mut_ptr().cast());
        BLOCKS.set(blocks);
        reduced
    }

    /// Bytes of a block in the room for blocks.
    fn room(&self) -> usize {
        (self.step * self.operand.elements.element()).next_multiple_of(size_of::<Line>())
    }

    /// The reduction with room for the blocks of the other members.
    fn reduce_in(&self, blocks: *mut u8) -> BoxedResult<bool> {
        let host = self.host;
        let own = self.of(host.me());
        let mut pieces = own.clone().step_by(self.step);
        let piece = |from: usize| from..(from + self.step).min(own.end);
        // Nothing has been changed yet where a member cannot take its first block.
        let first = pieces.next().map(piece);
        let taken = first.as_ref().map_or(Ok(()), |first| self.take(first, blocks));
        if !all_have_copied(host, &taken)? {
            give_up(host, SingleCopy::Reduction);
            return Ok(false);
        }
        let first = first.map_or(Ok(()), |first| self.combine(&first, blocks));
        let outcome = first.and_then(|()| {
            pieces.map(piece).try_for_each(|piece| {
                self.take(&piece, blocks)?;
                self.combine(&piece, blocks)
            })
        });
        if !all_have_copied(host, &outcome)? {
            give_up(host, SingleCopy::Reduction);
            return Err(Box::new(Error::Invalid(
                "the system has copied a part of the operands of a reduction between the processes of this host, and \
                 refused to copy the rest: set XMP_COLL=allreduce:sliced,reduce:sliced, with which operands go through \
                 shared memory"
                    .into(),
            )));
        }
        for other in host.others().filter(|_| self.operand.wanted_by(host.me())) {
            let slice = self.of(other);
            let bytes = slice.len() * self.operand.elements.element();
            memory::written_by_another(self.operand.elements.at(slice.start), bytes);
        }
        Ok(true)
    }

    /// The slice that a member combines.
    fn of(&self, position: usize) -> Range<usize> {
        let elements = &self.operand.elements;
        slice(&(0..elements.count()), elements.element(), self.host.members(), position)
    }

    /// The address of an element in the process of a member.
    fn address(&self, member: usize, element: usize) -> u64 {
        self.addresses[member] + (element * self.operand.elements.element()) as u64
    }

    /// The block of another member.
    fn block(&self, member: usize, blocks: *mut u8) -> *mut u8 {
        let before = member - usize::from(member > self.host.me());
        blocks.wrapping_add(before * self.room())
    }

    /// Takes the elements of a piece from all others, each to its block. The system locks pages of a process while it copies them, so each
    /// member begins with another one.
    fn take(&self, piece: &Range<usize>, blocks: *mut u8) -> BoxedResult<()> {
        let bytes = piece.len() * self.operand.elements.element();
        self.host.others_from_next().try_for_each(|other| {
            let target = self.block(other, blocks);
            // SAFETY: there is room for a block of each other member. Only this member accesses its slice of the operands
            // between the two barriers.
            unsafe { take(self.host, other, self.address(other, piece.start), target, bytes) }
        })
    }

    /// Combines the elements of a piece, of which the blocks have those of the others, and gives the result to the members
    /// that want it.
    fn combine(&self, piece: &Range<usize>, blocks: *mut u8) -> BoxedResult<()> {
        let (host, elements) = (self.host, &self.operand.elements);
        let result = elements.at(piece.start);
        let block = |member: usize| {
            if member == host.me() { result } else { self.block(member, blocks) }
        };
        let sources: Sources =
            (0..host.members()).map(|member| block(member).cast_const()).collect();
        // SAFETY: the elements have this piece, and each block as many elements.
        unsafe { elements.reduction().combine(result, &sources, piece.len()) };
        let bytes = piece.len() * elements.element();
        let mut receivers = host.others_from_next().filter(|&other| self.operand.wanted_by(other));
        receivers.try_for_each(|other| {
            // SAFETY: the elements have this piece. Only this member accesses its slice of the operands between the two
            // barriers.
            unsafe { give(host, other, self.address(other, piece.start), result, bytes) }
        })
    }
}
