//! The fast path: collectives of a few numbers or bytes between images of one host, in one barrier or
//! ring exchange.
//!
//! It does what [`crate::host`] does, for the common types only: no choice of an algorithm, no pointers to elements, no
//! loops over blocks. These would take as long as the barrier, a tenth of a microsecond. Operands are combined in the
//! canonical brackets. A reduction of more numbers goes straight to [`crate::host::reduce::copy_in`] if
//! that takes one barrier.
//!
//! A function returns `None`, and has done nothing, where the fast path does not apply. All images of the set get the
//! same answer if they call with the same count.

use crate::elements::Elements;
use crate::guard::with_live_set;
use crate::host::Host;
use crate::host::reduce::Operand;
use crate::host::reduce::copy_in::CopyIn;
use crate::reduction::{Number, Op, Reduction};
use crate::schedules::recursive_doubling::Fold;
use crate::select::{HostReduce, Shape};
use xmp_core::coll_area::{CollArea, RingExchange, SLOT_DATA};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Rank, Result};

/// Combines `count` numbers at `data` of all images, element by element; all images get the result.
///
/// # Errors
/// Those of [`crate::raw::allreduce`].
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
) -> Option<Result<()>> {
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
        let signature = Signature::new::<T>(area.epoch() + 1, op, count);
        let is_signed = Signature::has_room::<T>(count);
        if is_signed {
            area.slot().add(SIGNATURE).cast::<u64>().write(signature.0);
        }
        area.barrier(image)?;
        if is_signed {
            // SAFETY: slots have room for it; those of the last epoch are not written before the next barrier.
            let theirs = |member| area.slot_of(member).add(SIGNATURE).cast::<u64>().read();
            signature.compare(image, area, theirs)?;
        }
        combine(area.len(), |member| area.slot_of(member).cast(), data, count, op);
        Ok(())
    }))
}

/// Combines `count` numbers at `data` of all images, element by element; the image at position `to` gets the result, and
/// the others do not wait for it. Without `to` all get it.
///
/// # Errors
/// Those of [`crate::raw::reduce`].
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
) -> Option<Result<()>> {
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
) -> Option<Result<()>> {
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
) -> Result<()> {
    let ring_exchange = RingExchange::begin(area, image)?;
    let signature = Signature::new::<T>(ring_exchange.number(), op, count);
    let is_signed = Signature::has_room::<T>(count);
    // SAFETY: there are `count` numbers at `data` (contract above).
    unsafe {
        if area.position() == to {
            for member in (0..area.len()).filter(|&member| member != to) {
                ring_exchange.consume(member)?;
            }
            if is_signed {
                let theirs = |member| {
                    let line = || ring_exchange.consumed(member).add(SIGNATURE).cast::<u64>();
                    if member == to { signature.0 } else { line().read() }
                };
                if let Err(differs) = signature.compare(image, area, theirs) {
                    ring_exchange.done();
                    return Err(differs);
                }
            }
            let operand = |member| {
                let line = || ring_exchange.consumed(member).cast();
                if member == to { data.cast_const() } else { line() }
            };
            combine(area.len(), operand, data, count, op);
        } else {
            let line = ring_exchange.line()?;
            copy_few(line, data.cast(), count * size_of::<T>());
            if is_signed {
                line.add(SIGNATURE).cast::<u64>().write(signature.0);
            }
            ring_exchange.produce();
        }
    }
    ring_exchange.done();
    Ok(())
}

/// Where in a slot the signature of a reduction lies, if its operands leave room.
const SIGNATURE: usize = SLOT_DATA - size_of::<u64>();

/// What an image executes: from the lowest byte on the number of elements, the operation, the name of the type, and the
/// number of the epoch or ring exchange. Images that do not execute the same have another one, or data there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Signature(u64);

impl Signature {
    #[inline(always)]
    fn new<T: Number>(epoch: u64, op: Op, count: usize) -> Signature {
        Signature(epoch << 48 | const { code(T::NAME) } << 16 | (op as u64) << 8 | count as u64)
    }

    /// Whether a slot or a line has room for it beside that many operands.
    #[inline(always)]
    fn has_room<T: Number>(count: usize) -> bool {
        count * size_of::<T>() <= SIGNATURE
    }

    /// Compares it with what `theirs` reads of each member.
    ///
    /// # Errors
    /// When one differs.
    #[inline(always)]
    fn compare(self, image: &Image, area: &CollArea, theirs: impl Fn(usize) -> u64) -> Result<()> {
        for member in 0..area.len() {
            let theirs = theirs(member);
            if theirs != self.0 {
                return Err(self.differ(image, area.ranks()[member], Signature(theirs)));
            }
        }
        Ok(())
    }

    #[cold]
    fn differ(self, image: &Image, other: Rank, theirs: Signature) -> Error {
        let me = image.rank();
        let language = (image.source().language)();
        let (bits, own, its) = (self.0 ^ theirs.0, self.0 as u8, theirs.0 as u8);
        Error::Invalid(if bits >> 48 != 0 {
            format!("{other} executes another statement, XMP_CHECK=1 names it")
        } else if bits >> 8 != 0 {
            let name = |it: Signature| language.reduction(&it.reduction());
            format!("{me} wants the {}, {other} the {}", name(self), name(theirs))
        } else {
            format!("{me} gives {own} elements, {other} gives {its}")
        })
    }

    /// The reduction, such as `sum of f64`.
    fn reduction(self) -> String {
        let op =
            [Op::Sum, Op::Min, Op::Max].into_iter().find(|&op| op as u8 == (self.0 >> 8) as u8);
        let op = op.map_or("reduction", Op::name);
        let name = ((self.0 >> 16) as u32).to_le_bytes();
        let name = String::from_utf8_lossy(&name);
        format!("{op} of {}", name.trim_end_matches('\0'))
    }
}

/// The first four letters of a type's name.
const fn code(name: &str) -> u64 {
    let (bytes, mut code, mut at) = (name.as_bytes(), 0, 0);
    while at < bytes.len() && at < 4 {
        code |= (bytes[at] as u64) << (8 * at);
        at += 1;
    }
    code
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
) -> Option<Result<()>> {
    let area = set.fast_area(image)?;
    let bytes = count * size_of::<T>();
    let shape = Shape::new(image, bytes, area.len());
    let choice = shape.reduce(size_of::<T>(), true, None);
    if choice.direct || choice.otherwise != HostReduce::CopyIn || bytes > shape.chunk {
        return None;
    }
    let (host, reduction) = (Host { image, area }, Reduction::number::<T>(op));
    // SAFETY: `data` has `count` numbers (contract above).
    let elements = unsafe { Elements::new(data.cast(), count, &reduction) };
    let operand = Operand { elements, to: None };
    let copy_in = CopyIn::new(&host, &operand, bytes);
    Some(with_live_set(image, set, || copy_in.run()))
}

/// Copies the `len` bytes at `buffer` of the image at position `root` to `buffer` of all images of the set.
///
/// # Errors
/// Those of [`crate::raw::broadcast`].
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
) -> Option<Result<()>> {
    if !(1..=SLOT_DATA).contains(&len) {
        return None;
    }
    let area = set.fast_area(image).filter(|area| root < area.len())?;
    // SAFETY: `buffer` is valid for `len` bytes (contract above); lines have room.
    Some(with_live_set(image, set, || unsafe { deliver(area, image, root, buffer, len) }))
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
) -> Result<()> {
    let ring_exchange = RingExchange::begin(area, image)?;
    // SAFETY: `buffer` is valid for `len` bytes (contract above).
    unsafe {
        if area.position() == root {
            copy_few(ring_exchange.line()?, buffer, len);
            ring_exchange.produce();
        } else {
            copy_few(buffer, ring_exchange.consume(root)?, len);
        }
    }
    ring_exchange.done();
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
    // SAFETY: both are valid for `len` bytes and do not overlap (contract above).
    unsafe {
        for word in 0..words {
            dst.cast::<u64>()
                .add(word)
                .write_unaligned(src.cast::<u64>().add(word).read_unaligned());
        }
        for at in words * 8..len {
            dst.add(at).write(src.add(at).read());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::simulate::{Content, canonical};

    /// What two images get that reduce these numbers of elements by these operations, for all or the one at `to`.
    fn errors_to<A: Number + Default, B: Number + Default>(
        to: Option<usize>,
        [one, two]: [(Op, usize); 2],
    ) -> Vec<String> {
        let errors = std::sync::Mutex::new(Vec::new());
        xmp_core::transport::threads::run(2, 1, |image| {
            let set = image.executing();
            // SAFETY: as many numbers as are said.
            let outcome = unsafe {
                match image.rank().get() {
                    0 => reduce(image, &set, to, [A::default(); 7].as_mut_ptr(), one.1, one.0),
                    _ => reduce(image, &set, to, [B::default(); 7].as_mut_ptr(), two.1, two.0),
                }
            };
            if let Some(Err(error)) = outcome {
                errors.lock().unwrap().push(error.to_string());
            }
        })
        .unwrap();
        let mut errors = errors.into_inner().unwrap();
        errors.sort();
        errors
    }

    fn errors<A: Number + Default, B: Number + Default>(calls: [(Op, usize); 2]) -> Vec<String> {
        errors_to::<A, B>(None, calls)
    }

    #[test]
    fn the_image_that_gets_the_result_finds_that_another_reduces_otherwise() {
        let (two, three) = ((Op::Sum, 2), (Op::Sum, 3));
        let none = Vec::<String>::new();
        assert_eq!(errors_to::<f64, f64>(Some(1), [two, two]), none);
        assert_eq!(errors_to::<f64, f64>(Some(1), [(Op::Sum, 7), (Op::Sum, 7)]), none);
        let differs = errors_to::<f64, f64>(Some(1), [two, three]);
        assert_eq!(differs, ["image 2 gives 3 elements, image 1 gives 2"]);
        let differs = errors_to::<f64, i32>(Some(0), [two, (Op::Max, 2)]);
        assert_eq!(differs, ["image 1 wants the sum of f64, image 2 the maximum of i32"]);
        assert_eq!(errors_to::<f64, f64>(Some(1), [(Op::Sum, 7), two]).len(), 1);
    }

    #[test]
    fn reductions_that_differ_are_errors() {
        let (two, three) = ((Op::Sum, 2), (Op::Sum, 3));
        assert_eq!(errors::<f64, f64>([two, two]), Vec::<String>::new());
        assert_eq!(
            errors::<f64, f64>([two, three]),
            [
                "image 1 gives 2 elements, image 2 gives 3",
                "image 2 gives 3 elements, image 1 gives 2"
            ]
        );
        assert_eq!(
            errors::<f64, i32>([two, (Op::Max, 2)]),
            [
                "image 1 wants the sum of f64, image 2 the maximum of i32",
                "image 2 wants the maximum of i32, image 1 the sum of f64"
            ]
        );
        // Without room for the signature on one of them.
        let full = errors::<f64, f64>([two, (Op::Sum, 7)]);
        assert_eq!(full.len(), 1, "{full:?}");
    }

    #[test]
    fn brackets_are_the_canonical_ones() {
        for n in 1..=130 {
            assert_eq!(bracketed(n, Content::leaf, Content::then), canonical(n), "{n}");
        }
    }
}
