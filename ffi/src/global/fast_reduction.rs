//! The fast path of reductions: few numbers of the usual types, among images of one host.

use xmp_collectives::global::{Element, Operator};
use xmp_collectives::{Op, fast_path};
use xmp_core::image_set::ImageSet;
use xmp_core::number::ElemType;
use xmp_core::{Image, Result};

/// Combines `count` elements of all images of a set. `None`, without any effect, where the fast path does not
/// apply: the same answer on all images that call with the same arguments.
///
/// # Errors
/// When an image of the set has stopped or failed.
///
/// # Safety
/// `start` is valid for reads and writes of `count` elements, which no other image accesses meanwhile.
#[inline]
pub unsafe fn allreduce(
    image: &Image,
    set: &ImageSet,
    start: *mut u8,
    count: usize,
    element: Element,
    op: Op,
) -> Option<Result<()>> {
    // SAFETY: `start` has `count` elements of the type, which no other image accesses meanwhile.
    let outcome = unsafe {
        match element {
            Element::Integer(4) => fast_path::allreduce::<i32>(image, set, start.cast(), count, op),
            Element::Integer(8) => fast_path::allreduce::<i64>(image, set, start.cast(), count, op),
            Element::Real(4) => fast_path::allreduce::<f32>(image, set, start.cast(), count, op),
            Element::Real(8) => fast_path::allreduce::<f64>(image, set, start.cast(), count, op),
            _ => None,
        }
    };
    outcome.map(|outcome| Ok(outcome?))
}

/// The operations of the fast path.
pub fn operation(operator: Operator) -> Option<Op> {
    match operator {
        Operator::Sum => Some(Op::Sum),
        Operator::Min => Some(Op::Min),
        Operator::Max => Some(Op::Max),
        _ => None,
    }
}

/// The types of the fast path.
pub fn element(element: ElemType) -> Option<Element> {
    match element {
        ElemType::Integer(size @ (4 | 8)) => Some(Element::Integer(size)),
        ElemType::Real(size @ (4 | 8)) => Some(Element::Real(size)),
        _ => None,
    }
}
