//! CO_BROADCAST, CO_SUM, CO_MAX and CO_MIN.

use super::arrays::Elements;
use super::images;
use crate::gfortran_abi::Descriptor;
use crate::omni::error::{Outcome, done};
use crate::omni::short;
use crate::process::instance;
use std::ffi::c_int;
use xmp_coarray::plan::{Axis, Plan, contiguous};
use xmp_coarray::transfer::buffer;
use xmp_collectives::{Op, Reduction, raw};
use xmp_core::image_set::ImageSet;
use xmp_core::number::ElemType;
use xmp_core::{Error, Image, Result};

/// Elements one after the other: where they are, or in a copy.
struct Packed {
    copy: Option<Vec<u8>>,
    start: *mut u8,
    count: usize,
}

impl Packed {
    /// The elements, copied if they do not lie together, or if `private`.
    ///
    /// # Safety
    /// The elements are there.
    unsafe fn new(elements: &Elements, private: bool) -> Result<Packed> {
        let count = elements.count()?;
        let together = contiguous(elements.size, &elements.axes)?;
        let gaps = |(own, packed): (&Axis, &Axis)| own.extent() != 1 && own != packed;
        let with_gaps = elements.axes.iter().zip(&together).any(gaps);
        if count == 0 || !(with_gaps || private) {
            return Ok(Packed { copy: None, start: elements.base, count });
        }
        let plan = Plan::pack(elements.size, &elements.axes)?;
        let mut copy = buffer(count * elements.size)?;
        // SAFETY: the plan reads the elements and fills the copy.
        unsafe { plan.execute(copy.as_mut_ptr(), elements.base)? };
        Ok(Packed { start: copy.as_mut_ptr(), copy: Some(copy), count })
    }

    /// Writes a copy to elements of that shape.
    ///
    /// # Safety
    /// The elements are there.
    unsafe fn store(self, elements: &Elements) -> Result<()> {
        let Some(copy) = self.copy else { return Ok(()) };
        let from = contiguous(elements.size, &elements.axes)?;
        let plan = Plan::copy(elements.size, &elements.axes, &from)?;
        // SAFETY: the plan writes the elements and reads the copy.
        unsafe { plan.execute(elements.base, copy.as_ptr()) }
    }
}

fn position(set: &ImageSet, index: c_int) -> Result<usize> {
    let position = usize::try_from(index).ok().and_then(|index| index.checked_sub(1));
    position
        .filter(|&position| position < set.len())
        .ok_or(Error::ImageIndex { index: index.into(), images: set.len() })
}

/// # Safety
/// The elements are there.
unsafe fn broadcast(source: Result<Elements>, index: c_int) {
    done("co_broadcast", || -> Outcome {
        let instance = instance();
        let set = images::of_statement(instance)?;
        let source = source?;
        let root = position(&set, index)?;
        // SAFETY: the caller's guarantee.
        unsafe {
            let packed = Packed::new(&source, false)?;
            let bytes = packed.count * source.size;
            raw::broadcast(&instance.image, &set, root, packed.start, bytes)?;
            packed.store(&source)?;
        }
        Ok(())
    });
}

/// Reduces one number to all images, where there is a short way; the same answer on all of them.
///
/// # Safety
/// As [`reduce`].
unsafe fn scalar(
    among: (&Image, &ImageSet),
    (element, op): (ElemType, Op),
    source: &Elements,
    result: Option<&Elements>,
) -> Option<Result<()>> {
    let to = result.unwrap_or(source);
    let element = short::element(element)?;
    if !(source.axes.is_empty() && to.axes.is_empty() && among.1.express(among.0).is_some()) {
        return None;
    }
    // SAFETY: the caller's guarantee; both may be the same.
    unsafe {
        to.base.copy_from(source.base, source.size);
        short::reduced(among, (to.base, 1), element, op)
    }
}

/// Reduces the source; into the result if there is one, on all images or on the one with an index.
///
/// # Safety
/// The elements are there, of the type; the index is null or valid.
unsafe fn reduce(
    (name, op): (&str, Op),
    element: ElemType,
    source: Result<Elements>,
    result: Option<Result<Elements>>,
    index: *const c_int,
) {
    done(name, || -> Outcome {
        let instance = instance();
        let image = &instance.image;
        let set = images::of_statement(instance)?;
        let (source, result) = (source?, result.transpose()?);
        // SAFETY: the caller's guarantee.
        let index = unsafe { index.as_ref() };
        let root = index.map(|&index| position(&set, index)).transpose()?;
        if root.is_none() {
            let (among, what) = ((image, &*set), (element, op));
            // SAFETY: the caller's guarantee.
            if let Some(outcome) = unsafe { scalar(among, what, &source, result.as_ref()) } {
                return Ok(outcome?);
            }
        }
        let reduction = Reduction::of(op, element)?;
        let to = result.as_ref().unwrap_or(&source);
        let shape =
            |elements: &Elements| elements.axes.iter().map(Axis::extent).collect::<Vec<_>>();
        if shape(to) != shape(&source) {
            let (from, to) = (shape(&source), shape(to));
            return Err(Error::Invalid(format!("a result of shape {to:?} for {from:?}")).into());
        }
        // SAFETY: the caller's guarantee.
        unsafe {
            // The source stays what it is where there is a result, or where this image gets none.
            let mine = root.is_none_or(|root| set.position() == Some(root));
            let packed = Packed::new(&source, result.is_some() || !mine)?;
            match root {
                None => raw::allreduce(image, &set, packed.start, packed.count, &reduction)?,
                Some(root) => {
                    raw::reduce(image, &set, root, packed.start, packed.count, &reduction)?
                }
            }
            if mine {
                packed.store(to)?;
            }
        }
        Ok(())
    });
}

/// An optional argument.
///
/// # Safety
/// It is null or as gfortran passes it.
unsafe fn optional(descriptor: *const Descriptor, size: usize) -> Option<Result<Elements>> {
    // SAFETY: the caller's guarantee.
    (!descriptor.is_null()).then(|| unsafe { Elements::array(descriptor, size) })
}

macro_rules! broadcasts {
    ($rank:literal, $kind:ident, $size:literal) => {
        typed! { "co_broadcast" $rank $kind (source: *const Descriptor, index: *const c_int)
            { broadcast(Elements::array(source, $size), *index) }
        }
    };
}
macro_rules! broadcasts_of {
    ($kind:ident, $size:literal, $basic:ident) => {
        typed! { "co_broadcast" "0" $kind (source: *const u8, index: *const c_int)
            { broadcast(Ok(Elements::scalar(source, $size)), *index) }
        }
        each_rank!(broadcasts, $kind, $size);
    };
}
each_kind!(broadcasts_of);

macro_rules! reductions {
    ($rank:literal, $family:literal, $op:ident, $kind:ident, $size:literal, $element:expr) => {
        typed! { $family $rank $kind
            (source: *const Descriptor, result: *const Descriptor, index: *const c_int)
            {
                let (source, result) = (Elements::array(source, $size), optional(result, $size));
                reduce(($family, Op::$op), $element, source, result, index)
            }
        }
    };
}
macro_rules! reductions_of {
    ($family:literal, $op:ident: $($kind:ident $size:literal $type:ident $number:literal),*) => {
        $(
            typed! { $family "0" $kind (source: *const u8, result: *const u8, index: *const c_int)
                {
                    let source = Ok(Elements::scalar(source, $size));
                    let result = (!result.is_null()).then(|| Ok(Elements::scalar(result, $size)));
                    reduce(($family, Op::$op), ElemType::$type($number), source, result, index)
                }
            }
            each_rank!(reductions, $family, $op, $kind, $size, (ElemType::$type($number)));
        )*
    };
}
reductions_of!(
    "co_sum", Sum: i2 2 Integer 2, i4 4 Integer 4, i8 8 Integer 8, r4 4 Real 4, r8 8 Real 8, z8 8 Complex 4, z16 16 Complex 8
);
reductions_of!("co_max", Max: i2 2 Integer 2, i4 4 Integer 4, i8 8 Integer 8, r4 4 Real 4, r8 8 Real 8);
reductions_of!("co_min", Min: i2 2 Integer 2, i4 4 Integer 4, i8 8 Integer 8, r4 4 Real 4, r8 8 Real 8);
