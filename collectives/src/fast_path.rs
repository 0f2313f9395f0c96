//! The fast path: collectives of a few numbers or bytes between images of one host, in one barrier or
//! ring exchange.
//!
//! It does what [`crate::host`] does, for the common types only: no choice of an algorithm, no pointers to elements, no
//! loops over blocks. These would take as long as the barrier, a tenth of a microsecond. Operands are combined in the
//! canonical brackets. A reduction of more numbers goes straight to [`crate::host::reduce::copy_in`] if
//! that takes one barrier.
//!
//! Images compare what they call ([`crate::signature`]).
//!
//! A function returns `None`, and has done nothing, where the fast path does not apply. All images of the set get the
//! same answer if they call with the same count.

use crate::array_shape::ArrayShape;
use crate::elements::Elements;
use crate::guard::with_live_set;
use crate::host::Host;
use crate::host::broadcast::{Message, leave, slots};
use crate::host::reduce::Operand;
use crate::host::reduce::copy_in::CopyIn;
use crate::reduction::{Number, Op, Reduction};
use crate::schedules::recursive_doubling::Fold;
use crate::select::{HostMove, HostReduce, Shape};
use crate::signature::{IN_RING, RingCall, Signature};
use xmp_core::coll_area::{CollArea, Direction, Flow, RingExchange, SLOT_DATA};
use xmp_core::image_set::ImageSet;
use xmp_core::number::ElemType;
use xmp_core::{BoxedResult, Image};

/// Combines `count` numbers at `data` of all images, element by element; all images get the result.
///
/// # Errors
/// Those of [`crate::raw::allreduce`]; when another image does not reduce the same.
///
/// # Safety
/// `data` is valid for `count` numbers, which no other image accesses meanwhile; it need not be aligned.
#[inline]
pub unsafe fn allreduce<T: Number>(
    image: &Image,
    set: &ImageSet,
    data: *mut T,
    count: usize,
    op: Op,
) -> Option<BoxedResult<()>> {
    if count > SLOT_DATA / size_of::<T>() {
        // SAFETY: there are `count` numbers at `data` (contract above).
        return unsafe { in_one_piece(image, set, data, count, op) };
    }
    if count == 0 {
        return None;
    }
    let area = set.fast_area(image)?;
    // SAFETY: there are `count` numbers at `data` (contract above); slots have room for that many numbers.
    Some(with_live_set(image, set, || unsafe {
        for i in 0..count {
            area.slot().cast::<T>().add(i).write_unaligned(data.add(i).read_unaligned());
        }
        Signature::of_numbers::<T>(op, count).barrier(image, area)?;
        combine(area.len(), |member| area.slot_of(member).cast(), data, count, op);
        Ok(())
    }))
}

/// Combines `count` numbers at `data` of all images, element by element; the image at position `to` gets the result, and
/// the others do not wait for it. Without `to` all get it.
///
/// # Errors
/// Those of [`crate::raw::reduce`]; on the image that gets the result, when another one does not reduce the same.
///
/// # Safety
/// `data` is valid for `count` numbers, which no other image accesses meanwhile; it need not be aligned.
#[inline(always)]
pub unsafe fn reduce<T: Number>(
    image: &Image,
    set: &ImageSet,
    to: Option<usize>,
    data: *mut T,
    count: usize,
    op: Op,
) -> Option<BoxedResult<()>> {
    // SAFETY: there are `count` numbers at `data` (contract above).
    unsafe {
        match to {
            None => allreduce(image, set, data, count, op),
            Some(to) => reduce_to(image, set, to, data, count, op),
        }
    }
}

/// [`reduce`] to the image at position `to`.
///
/// # Safety
/// That of [`reduce`].
#[inline(never)]
unsafe fn reduce_to<T: Number>(
    image: &Image,
    set: &ImageSet,
    to: usize,
    data: *mut T,
    count: usize,
    op: Op,
) -> Option<BoxedResult<()>> {
    if !(1..=SLOT_DATA / size_of::<T>()).contains(&count) {
        return None;
    }
    let area = set.fast_area(image).filter(|area| to < area.len())?;
    // SAFETY: there are `count` numbers at `data` (contract above); lines have room for that many numbers.
    Some(with_live_set(image, set, || unsafe { collect(area, image, to, data, count, op) }))
}

/// # Safety
/// There are `count` numbers at `data`, for which a line has room.
#[inline(always)]
unsafe fn collect<T: Number>(
    area: &CollArea,
    image: &Image,
    to: usize,
    data: *mut T,
    count: usize,
    op: Op,
) -> BoxedResult<()> {
    let flow = Flow::new(Direction::ToRoot, to);
    let ring_exchange = RingExchange::begin(area, image)?;
    let call = RingCall::of_numbers::<T>(op, count);
    // SAFETY: there are `count` numbers at `data` (contract above).
    unsafe {
        if area.position() == to {
            for member in (0..area.len()).filter(|&member| member != to) {
                ring_exchange.consume(member)?;
            }
            if let Err(differs) = call.compare(image, area, &ring_exchange, 0..area.len()) {
                ring_exchange.done(flow);
                return Err(differs);
            }
            let operand = |member| {
                let line = || ring_exchange.consumed(member).cast();
                if member == to { data.cast_const() } else { line() }
            };
            combine(area.len(), operand, data, count, op);
        } else {
            let line = ring_exchange.line()?;
            copy_few(line, data.cast(), count * size_of::<T>());
            ring_exchange.produce(call.number());
        }
    }
    ring_exchange.done(flow);
    Ok(())
}

/// An allreduce of more numbers than a slot has room for, in one piece of staging.
///
/// # Safety
/// `data` is valid for `count` numbers, which no other image accesses meanwhile.
#[inline(never)]
unsafe fn in_one_piece<T: Number>(
    image: &Image,
    set: &ImageSet,
    data: *mut T,
    count: usize,
    op: Op,
) -> Option<BoxedResult<()>> {
    let area = set.fast_area(image)?;
    let bytes = count * size_of::<T>();
    let shape = Shape::new(image, bytes, area.len());
    let choice = shape.reduce(size_of::<T>(), true, None);
    if choice.direct || choice.otherwise != HostReduce::CopyIn || bytes > shape.chunk {
        return None;
    }
    let reduction = Reduction::number::<T>(op);
    let signature = Signature::of_numbers::<T>(op, count);
    let host = Host::of_call(image, area, signature);
    // SAFETY: `data` has `count` numbers (contract above).
    let elements = unsafe { Elements::new(data.cast(), count, &reduction) };
    let operand = Operand { elements, to: None };
    let copy_in = CopyIn::new(&host, &operand, bytes);
    Some(with_live_set(image, set, || copy_in.run()))
}

/// Copies the `len` bytes at `buffer` of the image at position `root` to `buffer` of all images of the set.
///
/// # Safety
/// `buffer` is valid for `len` bytes, which no other image accesses meanwhile.
#[inline]
pub unsafe fn broadcast(
    image: &Image,
    set: &ImageSet,
    root: usize,
    buffer: *mut u8,
    len: usize,
    element: ElemType,
    shape: ArrayShape,
) -> Option<BoxedResult<()>> {
    if len > SLOT_DATA {
        // SAFETY: the contract is the same.
        return unsafe { in_ring(image, set, root, buffer, len, element, shape) };
    }
    if len == 0 {
        return None;
    }
    let area = set.fast_area(image).filter(|area| root < area.len())?;
    // SAFETY: `buffer` is valid for `len` bytes (contract above); lines have room.
    Some(with_live_set(image, set, || unsafe {
        deliver(area, image, root, buffer, len, element, shape)
    }))
}

/// A [`broadcast`] of more bytes than a line has room for, through the pieces of the root's ring.
///
/// # Safety
/// That of [`broadcast`].
#[inline(never)]
unsafe fn in_ring(
    image: &Image,
    set: &ImageSet,
    root: usize,
    buffer: *mut u8,
    len: usize,
    element: ElemType,
    shape: ArrayShape,
) -> Option<BoxedResult<()>> {
    if len > IN_RING {
        return None;
    }
    let area = set.fast_area(image).filter(|area| root < area.len())?;
    let choice = Shape::new(image, len, area.len()).broadcast(None);
    if choice.direct || choice.otherwise != HostMove::Slots {
        return None;
    }
    // SAFETY: `buffer` has `len` bytes (contract above).
    let message = unsafe { Message::new(buffer, len, root) }.of_array(element, shape);
    let host = Host::of_call(image, area, message.signature());
    Some(with_live_set(image, set, || slots(&host, &message)))
}

/// # Safety
/// `buffer` is valid for `len` bytes, at most [`SLOT_DATA`].
#[inline(always)]
unsafe fn deliver(
    area: &CollArea,
    image: &Image,
    root: usize,
    buffer: *mut u8,
    len: usize,
    element: ElemType,
    shape: ArrayShape,
) -> BoxedResult<()> {
    let flow = Flow::new(Direction::FromRoot, root);
    let ring_exchange = RingExchange::begin(area, image)?;
    let call = RingCall::of_bytes(len, element, shape);
    // SAFETY: `buffer` is valid for `len` bytes (contract above).
    unsafe {
        if area.position() == root {
            let line = ring_exchange.line()?;
            copy_few(line, buffer, len);
            ring_exchange.produce(call.number());
        } else {
            let (line, theirs) = ring_exchange.consume_call(root)?;
            if let Err(differs) = call.compare_with(image, area, root, theirs) {
                return leave(&Host::new(image, area), ring_exchange, root, differs);
            }
            copy_few(buffer, line, len);
        }
    }
    ring_exchange.done(flow);
    Ok(())
}

/// Combines the numbers of `members` members, which `operand` gives the addresses of.
///
/// # Safety
/// All have `count` numbers. `data` has room for as many; it may be one of the operands, and overlaps no other.
#[inline(always)]
unsafe fn combine<T: Number>(
    members: usize,
    operand: impl Fn(usize) -> *const T,
    data: *mut T,
    count: usize,
    op: Op,
) {
    // SAFETY: the operands and `data` have `count` numbers (contract above).
    unsafe {
        match op {
            Op::Sum => combine_by(members, operand, data, count, T::sum),
            Op::Min => combine_by(members, operand, data, count, T::least),
            Op::Max => combine_by(members, operand, data, count, T::greatest),
        }
    }
}

/// # Safety
/// Those of [`combine`].
#[inline(always)]
unsafe fn combine_by<T: Number>(
    members: usize,
    operand: impl Fn(usize) -> *const T,
    data: *mut T,
    count: usize,
    op: impl Fn(T, T) -> T,
) {
    // SAFETY: the operands and `data` have `count` numbers (contract above).
    unsafe {
        let number = |member, i| operand(member).add(i).read_unaligned();
        for i in 0..count {
            let result = match members {
                2 => op(number(0, i), number(1, i)),
                4 => op(op(number(0, i), number(1, i)), op(number(2, i), number(3, i))),
                members => bracketed(members, |member| number(member, i), &op),
            };
            data.add(i).write_unaligned(result);
        }
    }
}

/// The combination of any number of operands in canonical brackets.
#[inline(never)]
fn bracketed<T: Copy>(members: usize, operand: impl Fn(usize) -> T, op: impl Fn(T, T) -> T) -> T {
    /// Levels of the tree over all seats, at most 2^16 of them (as many as a collective area has members at most).
    const LEVELS: usize = 17;
    let fold = Fold::of(members);
    let leaf = |seat| match fold.pair(seat) {
        Some(lower) => op(operand(lower), operand(lower + 1)),
        None => operand(fold.single(seat)),
    };
    // Seat k completes as many subtrees as k + 1 is divisible by 2. Level l has the last subtree of 2^l seats.
    let mut complete = [leaf(0); LEVELS];
    for seat in 1..fold.seats() {
        let level = (seat + 1).trailing_zeros() as usize;
        let subtrees = complete[..level].iter();
        complete[level] = subtrees.fold(leaf(seat), |right, &left| op(left, right));
    }
    complete[fold.rounds() as usize]
}

/// Copies a few bytes, without a call.
///
/// # Safety
/// Both are valid for `len` bytes and do not overlap.
#[inline(always)]
unsafe fn copy_few(dst: *mut u8, src: *const u8, len: usize) {
    let words = len / 8;
    let mut at = words * 8;
    // SAFETY: both are valid for `len` bytes and do not overlap (contract above).
    unsafe {
        for word in 0..words {
            copy_word::<u64>(dst, src, word * 8);
        }
        if len & 4 != 0 {
            copy_word::<u32>(dst, src, at);
            at += 4;
        }
        for at in at..len {
            copy_word::<u8>(dst, src, at);
        }
    }
}

/// Copies the number that is `at` bytes after the addresses.
///
/// # Safety
/// Both have the number there; they do not overlap.
#[inline(always)]
unsafe fn copy_word<T>(dst: *mut u8, src: *const u8, at: usize) {
    // SAFETY: the contract of this function.
    unsafe { dst.add(at).cast::<T>().write_unaligned(src.add(at).cast::<T>().read_unaligned()) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::simulate::{Content, canonical};

    #[test]
    fn brackets_are_the_canonical_ones() {
        for n in 1..=130 {
            assert_eq!(bracketed(n, Content::leaf, Content::then), canonical(n), "{n}");
        }
    }
}
