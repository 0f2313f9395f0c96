//! Scan between the members of a collective area. All algorithms combine in the brackets of
//! [`crate::schedules::prefix`].
//!
//! | algorithm | place of the elements | barriers | for |
//! |---|---|---|---|
//! | [`slots`] | lines of the rings | none | few numbers |
//! | [`staged`] | staging buffers; each member combines all up to its own | one a chunk | few members |
//! | [`doubling`] | staging buffers; in each round from the member twice as far | log2 of the members a chunk | many |
//! | [`direct`] | segments, where they are | two | long operands in segments |

use super::reduce::slice;
use super::{Host, Sources};
use crate::copy::take;
use crate::elements::Elements;
use std::ops::Range;
use xmp_core::BoxedResult;
use xmp_core::coll_area::{Direction, Flow, SLOT_DATA, STAGING};

/// Bytes of an element up to which [`slots`] can be used.
pub const LONGEST_IN_SLOT: usize = SLOT_DATA;
/// Bytes of an element up to which [`staged`] and [`doubling`] can be used.
pub const LONGEST_STAGED: usize = STAGING;

/// Bytes of each member that [`direct`] works on at a time, so that those of all members stay in the second-level cache.
const BLOCK: usize = 8 * 1024;

/// A scan on one member.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    /// The elements of this member.
    pub elements: Elements<'a>,
    /// Whether the scan is exclusive: the result of a member does not contain its own elements. The first member has no
    /// result then, and keeps its elements.
    pub exclusive: bool,
}

impl Operand<'_> {
    /// The members whose elements are in the result of the one at `position`.
    #[inline(always)]
    fn members_in(&self, position: usize) -> Range<usize> {
        0..if self.exclusive { position } else { position + 1 }
    }

    /// The elements in pieces of about `chunk` bytes.
    fn pieces(&self, chunk: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        self.elements.pieces((chunk / self.elements.element()).max(1))
    }
}

/// Scan through the rings, of elements of at most [`LONGEST_IN_SLOT`] bytes. A member waits only for those before it.
#[inline]
pub fn slots(host: &Host<'_>, operand: &Operand<'_>) -> BoxedResult<()> {
    let elements = &operand.elements;
    for piece in operand.pieces(SLOT_DATA) {
        let own = elements.at(piece.start);
        let ring_exchange = host.ring_exchange()?;
        // SAFETY: the piece is of the elements and fits in a line; all members write as much.
        unsafe {
            let bytes = piece.len() * elements.element();
            let line = ring_exchange.line()?;
            std::ptr::copy_nonoverlapping(own, line, bytes);
            host.produce(&ring_exchange);
            let members = operand.members_in(host.me());
            if !members.is_empty() {
                let lines = members.clone().map(|i| ring_exchange.consume(i));
                let lines = lines.collect::<BoxedResult<Sources>>()?;
                if let Err(differs) = host.compare_lines(&ring_exchange, members) {
                    ring_exchange.done(Flow::new(Direction::Upwards, 0));
                    return Err(differs);
                }
                elements.reduction().prefix(own, &lines, piece.len());
            }
        }
        ring_exchange.done(Flow::new(Direction::Upwards, 0));
    }
    Ok(())
}

/// Scan through the staging buffers in chunks of about `chunk` bytes, at most [`STAGING`], of elements of at most
/// [`LONGEST_STAGED`] bytes. Each member combines the elements of all members up to itself.
pub fn staged(host: &Host<'_>, operand: &Operand<'_>, chunk: usize) -> BoxedResult<()> {
    let (me, elements) = (host.me(), &operand.elements);
    for piece in operand.pieces(chunk) {
        let own = elements.at(piece.start);
        let bytes = piece.len() * elements.element();
        // SAFETY: the piece is of the elements. Staging buffers of the last epoch are not written before the next
        // barrier. No other member writes the own elements, which are read in place.
        unsafe {
            if me + 1 < host.members() {
                host.area.stage(host.area.staging(bytes), own, bytes);
            }
            host.barrier()?;
            let source =
                |i| if i == me { own.cast_const() } else { host.area.staging_of(i, bytes) };
            let sources: Sources = operand.members_in(me).map(source).collect();
            if !sources.is_empty() {
                elements.reduction().prefix(own, &sources, piece.len());
            }
        }
    }
    Ok(())
}

/// Scan by the schedule [`crate::schedules::prefix`] through the staging buffers, in chunks of about `chunk` bytes, at
/// most [`STAGING`], of elements of at most [`LONGEST_STAGED`] bytes. In each round a member combines once.
pub fn doubling(host: &Host<'_>, operand: &Operand<'_>, chunk: usize) -> BoxedResult<()> {
    let elements = &operand.elements;
    // An exclusive scan is an inclusive one of the elements of the members before, without the first member.
    let first = usize::from(operand.exclusive);
    for piece in operand.pieces(chunk) {
        let own = elements.at(piece.start);
        let bytes = piece.len() * elements.element();
        // SAFETY: the piece is of the elements. Staging buffers of the last epoch are not written before the next
        // barrier.
        unsafe {
            if operand.exclusive
                && let Some(before) = round(host, elements, &piece, 0, 1)?
            {
                take(own, before, bytes);
            }
            let mut distance = 1;
            while first + distance < host.members() {
                if let Some(before) = round(host, elements, &piece, first, distance)? {
                    elements.reduction().two(own, before, own, piece.len());
                }
                distance *= 2;
            }
        }
    }
    Ok(())
}

/// One round of [`doubling`] among the members from `first` on: stages a piece for the member `distance` after this
/// one, and returns the piece of the member `distance` before it.
fn round(
    host: &Host<'_>,
    elements: &Elements<'_>,
    piece: &Range<usize>,
    first: usize,
    distance: usize,
) -> BoxedResult<Option<*const u8>> {
    let me = host.me();
    let bytes = piece.len() * elements.element();
    if me >= first && me + distance < host.members() {
        // SAFETY: the piece is of the elements; the staging buffer of the current epoch has its length.
        unsafe { host.area.stage(host.area.staging(bytes), elements.at(piece.start), bytes) };
    }
    host.barrier()?;
    Ok((me >= first + distance).then(|| host.area.staging_of(me - distance, bytes)))
}

/// Scan in the segments of the members: each member computes the scan of its slice for all members, in place. The first
/// barrier publishes the addresses and says that the operands are ready, the second one that the results are.
/// `Ok(false)`, on all members, when an operand is not in a segment; nothing has been written then.
pub fn direct(host: &Host<'_>, operand: &Operand<'_>) -> BoxedResult<bool> {
    let (elements, members) = (&operand.elements, host.members());
    host.post_address(elements.at(0));
    host.barrier()?;
    if (0..members).any(|i| host.posted_word(i) == 0) {
        return Ok(false);
    }
    let (element, reduction) = (elements.element(), elements.reduction());
    let own = slice(&(0..elements.count()), element, members, host.me());
    let step = (BLOCK / element).max(1);
    for from in own.clone().step_by(step) {
        let count = step.min(own.end - from);
        let at = |i: usize| host.posted_address(i).wrapping_add(from * element);
        let sources: Sources = (0..members).map(at).collect();
        let place = |i: usize| sources[i].cast_mut();
        // SAFETY: between the two barriers only this member accesses this slice of the operands, which are valid.
        // Segments are mapped at the same address on all images of the host. The loops go from the last member to the
        // first, so that what is read has not been changed.
        unsafe {
            let first = usize::from(operand.exclusive);
            if operand.exclusive {
                for i in (1..members).rev() {
                    std::ptr::copy_nonoverlapping(sources[i - 1], place(i), count * element);
                }
            }
            let mut distance = 1;
            while first + distance < members {
                for i in (first + distance..members).rev() {
                    reduction.two(place(i), sources[i - distance], sources[i], count);
                }
                distance *= 2;
            }
        }
    }
    host.barrier()?;
    Ok(true)
}
