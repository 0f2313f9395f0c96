//! CO_BROADCAST, CO_SUM, CO_MAX and CO_MIN.

use super::images;
use std::ffi::c_int;
use xmp_coarray::front_end::plan::Axis;
use xmp_collectives::{Op, Reduction, raw};
use xmp_core::image_set::ImageSet;
use xmp_core::number::ElemType;
use xmp_core::{Error, Image, Result};
use xmp_ffi::gfortran_abi::{Descriptor, Elements, Packed};
use xmp_ffi::global::fast_reduction;
use xmp_ffi::process::instance;
use xmp_ffi::xmp::entry::Memory;
use xmp_ffi::xmp::error::done;

/// The 0-based position of an image index.
fn position(set: &ImageSet, index: c_int) -> Result<usize> {
    let position = usize::try_from(index).ok().and_then(|index| index.checked_sub(1));
    position
        .filter(|&position| position < set.len())
        .ok_or(Error::ImageIndex { index: index.into(), images: set.len() })
}

fn broadcast(source: Result<Elements>, index: c_int) {
    done("co_broadcast", || {
        let instance = instance();
        let set = images::of_statement(instance)?;
        let source = source?;
        let root = position(&set, index)?;
        let mut packed = Packed::new(source)?;
        let (start, bytes) = (packed.start(), packed.bytes());
        // SAFETY: the contract of entries: the elements are there.
        unsafe { raw::broadcast(&instance.image, &set, root, start, bytes)? };
        Ok(packed.store()?)
    });
}

/// A reduction: what messages call it, its operation and the type of elements.
#[derive(Clone, Copy)]
struct Reduced {
    name: &'static str,
    op: Op,
    element: ElemType,
}

impl Reduced {
    /// Reduces the source; into the result if there is one, on all images or on the one with an index.
    fn execute(
        self,
        source: Result<Elements>,
        result: Option<Result<Elements>>,
        index: Option<&c_int>,
    ) {
        done(self.name, || {
            let instance = instance();
            let set = images::of_statement(instance)?;
            let (source, result) = (source?, result.transpose()?);
            let root = index.map(|&index| position(&set, index)).transpose()?;
            if root.is_none()
                && let Some(outcome) = self.fast(&instance.image, &set, &source, result.as_ref())
            {
                return Ok(outcome?);
            }
            Ok(self.slow(&instance.image, &set, root, source, result)?)
        });
    }

    /// Reduces one number to all images. `None` where the fast path does not apply: the same answer on all of them.
    fn fast(
        self,
        image: &Image,
        set: &ImageSet,
        source: &Elements,
        result: Option<&Elements>,
    ) -> Option<Result<()>> {
        let to = result.unwrap_or(source);
        let element = fast_reduction::element(self.element)?;
        if !(source.axes.is_empty() && to.axes.is_empty() && set.fast_area(image).is_some()) {
            return None;
        }
        // SAFETY: the contract of entries: the numbers are there; both may be the same.
        unsafe {
            to.base.copy_from(source.base, source.size);
            fast_reduction::allreduce(image, set, to.base, 1, element, self.op)
        }
    }

    /// Reduces any elements.
    fn slow(
        self,
        image: &Image,
        set: &ImageSet,
        root: Option<usize>,
        source: Elements,
        result: Option<Elements>,
    ) -> Result<()> {
        let reduction = Reduction::of(self.op, self.element)?;
        let shape =
            |elements: &Elements| elements.axes.iter().map(Axis::extent).collect::<Vec<_>>();
        let (from, to) = (shape(&source), shape(result.as_ref().unwrap_or(&source)));
        if from != to {
            return Err(Error::Invalid(format!("a result of shape {to:?} for {from:?}")));
        }
        // The source stays what it is where there is a result, or where this image gets none.
        let mine = root.is_none_or(|root| set.position() == Some(root));
        let mut packed = Packed::new(source)?;
        if result.is_some() || !mine {
            packed.set_aside()?;
        }
        let (start, count) = (packed.start(), packed.count());
        // SAFETY: the contract of entries: the elements are there, of the type.
        unsafe {
            match root {
                None => raw::allreduce(image, set, start, count, &reduction)?,
                Some(root) => raw::reduce(image, set, root, start, count, &reduction)?,
            }
        }
        match result {
            _ if !mine => Ok(()),
            Some(result) => packed.store_to(result),
            None => packed.store(),
        }
    }
}

macro_rules! broadcasts {
    ($rank:literal, $kind:ident, $size:literal) => {
        typed! { "co_broadcast" $rank $kind (source: &Descriptor, index: &c_int)
            { broadcast(Elements::array(source, $size), *index) }
        }
    };
}
macro_rules! broadcasts_of {
    ($kind:ident, $size:literal, $basic:ident) => {
        typed! { "co_broadcast" "0" $kind (source: Memory, index: &c_int)
            { broadcast(Ok(Elements::scalar(source.start(), $size)), *index) }
        }
        each_rank!(broadcasts, $kind, $size);
    };
}
each_kind!(broadcasts_of);

macro_rules! reductions {
    ($rank:literal, $family:literal, $op:ident, $kind:ident, $size:literal, $element:expr) => {
        typed! { $family $rank $kind
            (source: &Descriptor, result: Option<&Descriptor>, index: Option<&c_int>)
            {
                let result = result.map(|result| Elements::array(result, $size));
                Reduced { name: $family, op: Op::$op, element: $element }
                    .execute(Elements::array(source, $size), result, index)
            }
        }
    };
}
macro_rules! reductions_of {
    ($family:literal, $op:ident: $($kind:ident $size:literal $type:ident $number:literal),*) => {
        $(
            typed! { $family "0" $kind (source: Memory, result: Memory, index: Option<&c_int>)
                {
                    let source = Ok(Elements::scalar(source.start(), $size));
                    let result = result.is_there().then(|| Ok(Elements::scalar(result.start(), $size)));
                    Reduced { name: $family, op: Op::$op, element: ElemType::$type($number) }
                        .execute(source, result, index)
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
