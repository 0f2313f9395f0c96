//! Reductions of a few numbers of the usual types, by the shortest way that there is on one host.

use crate::omni::objects::Element;
use xmp_collectives::Op;
use xmp_collectives::express::allreduce;
use xmp_collectives::global::Operator;
use xmp_core::image_set::ImageSet;
use xmp_core::number::ElemType;
use xmp_core::{Image, Result};

/// Combines `count` elements of all images of a set; `None`, and nothing has happened, where this way does not go: the same
/// answer on all images that call with the same arguments.
///
/// # Errors
/// As [`xmp_collectives::raw::allreduce`].
///
/// # Safety
/// As there.
#[inline]
pub unsafe fn reduced(
    (image, set): (&Image, &ImageSet),
    (start, count): (*mut u8, usize),
    element: Element,
    op: Op,
) -> Option<Result<()>> {
    // SAFETY: the caller's guarantee.
    unsafe {
        match element {
            Element::Integer(4) => allreduce::<i32>(image, set, start.cast(), count, op),
            Element::Integer(8) => allreduce::<i64>(image, set, start.cast(), count, op),
            Element::Real(4) => allreduce::<f32>(image, set, start.cast(), count, op),
            Element::Real(8) => allreduce::<f64>(image, set, start.cast(), count, op),
            _ => None,
        }
    }
}

/// The operations that the short way knows.
pub fn operation(operator: Operator) -> Option<Op> {
    match operator {
        Operator::Sum => Some(Op::Sum),
        Operator::Min => Some(Op::Min),
        Operator::Max => Some(Op::Max),
        _ => None,
    }
}

/// The types that the short way knows.
pub fn element(element: ElemType) -> Option<Element> {
    match element {
        ElemType::Integer(size @ (4 | 8)) => Some(Element::Integer(size)),
        ElemType::Real(size @ (4 | 8)) => Some(Element::Real(size)),
        _ => None,
    }
}
