//! What images reduce, in a word beside their operands; the fast path compares the words of all images, always.
//!
//! The last word of a slot or a line is free where the operands leave it. An image on the slow path writes the word, too:
//! images that execute the same statement may take different paths, because arguments differ in what lies between their
//! elements.

use crate::reduction::{Number, Op, Reduction};
use xmp_core::coll_area::{CollArea, SLOT_DATA};
use xmp_core::{Error, Image, Rank, Result};

/// Where in a slot or a line it lies.
const PLACE: usize = SLOT_DATA - size_of::<u64>();

/// From the lowest byte on the number of elements, the operation, the name of the type, and the number of the epoch or
/// ring exchange. Images that do not execute the same have another one, or data there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature(u64);

impl Signature {
    /// That of `count` numbers; `None` if they leave no room for it.
    #[inline(always)]
    pub fn of_numbers<T: Number>(epoch: u64, op: Op, count: usize) -> Option<Signature> {
        let has_room = count * size_of::<T>() <= PLACE;
        has_room.then(|| Signature::new(epoch, const { code(T::NAME) }, op, count))
    }

    /// That of `count` elements; `None` if they leave no room for it, or the reduction is none of the fast path.
    pub fn of_elements(epoch: u64, reduction: &Reduction<'_>, count: usize) -> Option<Signature> {
        let (op, name) = reduction.of_single_numbers()?;
        let has_room = count * reduction.element() <= PLACE;
        has_room.then(|| Signature::new(epoch, code(name), op, count))
    }

    #[inline(always)]
    fn new(epoch: u64, code: u64, op: Op, count: usize) -> Signature {
        Signature(epoch << 48 | code << 16 | (op as u64) << 8 | count as u64)
    }

    /// Writes it to a slot or a line.
    ///
    /// # Safety
    /// The slot is this image's, has [`SLOT_DATA`] bytes, and others do not read it yet.
    #[inline(always)]
    pub unsafe fn write(self, slot: *mut u8) {
        // SAFETY: the last word of the slot (contract above).
        unsafe { slot.add(PLACE).cast::<u64>().write(self.0) };
    }

    /// What is in a slot or a line.
    ///
    /// # Safety
    /// The slot has [`SLOT_DATA`] bytes, which are not written meanwhile.
    #[inline(always)]
    pub unsafe fn read(slot: *const u8) -> Signature {
        // SAFETY: the last word of the slot (contract above).
        Signature(unsafe { slot.add(PLACE).cast::<u64>().read() })
    }

    /// Compares it with those of the members, which `of` reads.
    ///
    /// # Errors
    /// When one differs.
    #[inline(always)]
    pub fn compare(
        self,
        image: &Image,
        area: &CollArea,
        of: impl Fn(usize) -> Signature,
    ) -> Result<()> {
        let bits = |member| of(member).0 ^ self.0;
        // A loop over few members takes longer than they do.
        let differing = match area.len() {
            2 => bits(0) | bits(1),
            4 => bits(0) | bits(1) | bits(2) | bits(3),
            members => (0..members).fold(0, |all, member| all | bits(member)),
        };
        if differing == 0 { Ok(()) } else { self.first_that_differs(image, area, of) }
    }

    #[cold]
    #[inline(never)]
    fn first_that_differs(
        self,
        image: &Image,
        area: &CollArea,
        of: impl Fn(usize) -> Signature,
    ) -> Result<()> {
        let members = area.ranks().iter().enumerate();
        for (member, rank) in members {
            let theirs = of(member);
            if theirs != self {
                return Err(self.differ(image, *rank, theirs));
            }
        }
        Ok(())
    }

    fn differ(self, image: &Image, other: Rank, theirs: Signature) -> Error {
        let me = image.rank();
        let language = (image.source().language)();
        let (bits, own, its) = (self.0 ^ theirs.0, self.0 as u8, theirs.0 as u8);
        Error::Invalid(if bits >> 48 != 0 {
            format!(
                "{other} executes another statement, or has another type or number of elements: XMP_CHECK=1 names it"
            )
        } else if bits >> 8 != 0 {
            let name = |it: Signature| language.reduction(&it.reduction());
            format!("{me} wants the {}, {other} the {}", name(self), name(theirs))
        } else {
            format!("{me} gives {own} elements, {other} gives {its}")
        })
    }

    /// The reduction, such as `sum of f64`.
    fn reduction(self) -> String {
        let op = (self.0 >> 8) as u8;
        let op = [Op::Sum, Op::Min, Op::Max].into_iter().find(|&known| known as u8 == op);
        let name = ((self.0 >> 16) as u32).to_le_bytes();
        let name = String::from_utf8_lossy(&name);
        format!("{} of {}", op.map_or("reduction", Op::name), name.trim_end_matches('\0'))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fast_path::reduce;
    use crate::raw;
    use std::sync::Mutex;
    use xmp_core::image_set::ImageSet;
    use xmp_core::transport::threads;

    /// A reduction of one image; `None` where the fast path does not apply.
    type Call = dyn Fn(&Image, &ImageSet) -> Option<Result<()>> + Sync;

    /// What images say that execute these functions with a set of all of them; `None` where the fast path did not apply.
    fn errors(calls: &[&Call]) -> Vec<String> {
        let errors = Mutex::new(Vec::new());
        threads::run(calls.len() as u32, 1, |image| {
            let outcome = calls[image.rank().index()](image, &image.executing());
            if let Some(Err(error)) = outcome {
                errors.lock().unwrap().push(error.to_string());
            }
        })
        .unwrap();
        let mut errors = errors.into_inner().unwrap();
        errors.sort();
        errors
    }

    /// A call of the fast path, for all or the one at `to`.
    fn fast<T: Number + Default>(
        to: Option<usize>,
        op: Op,
        count: usize,
    ) -> impl Fn(&Image, &ImageSet) -> Option<Result<()>> {
        move |image, set| {
            let mut numbers = vec![T::default(); count];
            // SAFETY: so many numbers.
            unsafe { reduce(image, set, to, numbers.as_mut_ptr(), count, op) }
        }
    }

    /// A call of the slow path.
    fn slow<T: Number + Default>(
        to: Option<usize>,
        op: Op,
        count: usize,
    ) -> impl Fn(&Image, &ImageSet) -> Option<Result<()>> {
        move |image, set| {
            let mut numbers = vec![T::default(); count];
            let (start, reduction) = (numbers.as_mut_ptr().cast(), Reduction::number::<T>(op));
            // SAFETY: so many numbers.
            Some(unsafe {
                match to {
                    None => raw::allreduce(image, set, start, count, &reduction),
                    Some(to) => raw::reduce(image, set, to, start, count, &reduction),
                }
            })
        }
    }

    const NONE: [String; 0] = [];

    #[test]
    fn reductions_that_differ_are_errors() {
        let [two, three] = [2, 3].map(|count| fast::<f64>(None, Op::Sum, count));
        let greatest = fast::<i32>(None, Op::Max, 2);
        assert_eq!(errors(&[&two, &two, &two]), NONE);
        assert_eq!(
            errors(&[&two, &three]),
            [
                "image 1 gives 2 elements, image 2 gives 3",
                "image 2 gives 3 elements, image 1 gives 2"
            ]
        );
        assert_eq!(
            errors(&[&two, &greatest]),
            [
                "image 1 wants the sum of f64, image 2 the maximum of i32",
                "image 2 wants the maximum of i32, image 1 the sum of f64"
            ]
        );
        // Without room for it on one of them.
        let full = errors(&[&two, &fast::<f64>(None, Op::Sum, 7)]);
        assert_eq!(full.len(), 1, "{full:?}");
    }

    #[test]
    fn the_image_that_gets_the_result_finds_that_another_reduces_otherwise() {
        let of = |to, count| fast::<f64>(Some(to), Op::Sum, count);
        assert_eq!(errors(&[&of(1, 2), &of(1, 2)]), NONE);
        assert_eq!(errors(&[&of(1, 7), &of(1, 7)]), NONE);
        assert_eq!(errors(&[&of(1, 2), &of(1, 3)]), ["image 2 gives 3 elements, image 1 gives 2"]);
        assert_eq!(
            errors(&[&of(0, 2), &fast::<i32>(Some(0), Op::Max, 2)]),
            ["image 1 wants the sum of f64, image 2 the maximum of i32"]
        );
        assert_eq!(errors(&[&of(1, 7), &of(1, 2)]).len(), 1);
    }

    #[test]
    fn images_on_both_paths_agree() {
        for to in [None, Some(0), Some(2)] {
            let (near, far) = (fast::<f64>(to, Op::Min, 6), slow::<f64>(to, Op::Min, 6));
            assert_eq!(errors(&[&near, &far, &near, &far]), NONE, "{to:?}");
            assert_eq!(errors(&[&far, &near, &far]), NONE, "{to:?}");
            let (near, far) = (fast::<i8>(to, Op::Sum, 48), slow::<i8>(to, Op::Sum, 48));
            assert_eq!(errors(&[&near, &far, &near]), NONE, "{to:?}");
            let (near, far) = (fast::<i64>(to, Op::Sum, 7), slow::<i64>(to, Op::Sum, 7));
            assert_eq!(errors(&[&near, &far, &near]), NONE, "{to:?}");
        }
    }

    #[test]
    fn numbers_of_epochs_may_wrap() {
        let many = |image: &Image, set: &ImageSet| {
            let call = fast::<i32>(None, Op::Sum, 1);
            let mut outcomes = (0..70_000).map(|_| call(image, set));
            outcomes.find(|outcome| !matches!(outcome, Some(Ok(())))).flatten()
        };
        assert_eq!(errors(&[&many, &many]), NONE);
    }
}
