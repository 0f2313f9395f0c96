//! `reflect` and `reduce_shadow` (XcalableMP 1.4, 4.5.1 and 4.5.7). Widths are those that were set before, for
//! once; the whole shadow otherwise.

use super::asynchronous;
use crate::objects::{ArrayObject, Object, operator_of};
use smallvec::{SmallVec, smallvec};
use std::cell::RefCell;
use std::ffi::c_int;
use xmp_collectives::global::{
    Operation, Shape, Width, begin, prepare_reduce_shadow, prepare_reflect, run,
};
use xmp_core::global::Shadow;
use xmp_ffi::global::{pending, plans};
use xmp_ffi::process::instance;
use xmp_ffi::xmp::entry::for_both;
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

/// Sets the widths of a dimension for the next operation; the others have none unless they are set, too. Where there is
/// none, what neighbours have in their shadow comes along: programs fill corners by one reflect for each dimension.
///
/// # Errors
/// When there is no such dimension.
fn set(
    array: &ArrayObject,
    widths: &RefCell<Option<SmallVec<[Width; 4]>>>,
    dim: c_int,
    given: Width,
) -> Outcome {
    let none = || Width { lower: 0, upper: 0, periodic: false, carried: true };
    let mut widths = widths.borrow_mut();
    let widths = widths.get_or_insert_with(|| smallvec![none(); array.ndims()]);
    let Some(width) = usize::try_from(dim).ok().and_then(|dim| widths.get_mut(dim)) else {
        return Err(DirectiveError::because(format!(
            "the array has no dimension {}",
            i64::from(dim) + 1
        )));
    };
    *width = given;
    Ok(())
}

/// Widths as a program gives them.
fn given(lower: c_int, upper: c_int, periodic: c_int) -> Width {
    Width { lower: lower.into(), upper: upper.into(), periodic: periodic != 0, carried: true }
}

/// The widths of this operation.
fn widths(
    array: &ArrayObject,
    given_widths: &RefCell<Option<SmallVec<[Width; 4]>>>,
) -> Outcome<SmallVec<[Width; 4]>> {
    let mapping = array.mapping()?;
    let whole = Width::whole(&mapping);
    let Some(mut widths) = given_widths.borrow_mut().take() else { return Ok(whole) };
    for (dim, width) in widths.iter_mut().enumerate() {
        // An exchange of a full shadow moves the whole dimension or nothing.
        if mapping.dims()[dim].shadow == Shadow::Full {
            *width = whole[dim];
        }
    }
    Ok(widths)
}

/// Fills the shadow, at once or by an async id.
///
/// # Errors
/// When the array is not allocated, and for widths beyond its shadow.
fn fill(array: &ArrayObject, id: Option<i64>) -> Outcome {
    let instance = instance();
    let image = &instance.image;
    let set = image.executing();
    let widths = widths(array, &array.reflect)?;
    let shape = Shape { widths: &widths, orthogonal: false };
    let storage = array.storage(image)?;
    execute(id, prepare_reflect(image, &set, plans(instance), &storage, shape)?)
}

/// Adds the shadow to the elements that it is a copy of; of neighbours along one dimension, as Omni does.
///
/// # Errors
/// When the array is not allocated, for widths beyond its shadow, and for elements that cannot be added.
fn collect(array: &ArrayObject, id: Option<i64>) -> Outcome {
    const SUM: c_int = 300;
    let instance = instance();
    let image = &instance.image;
    let set = image.executing();
    let widths = widths(array, &array.reduce_shadow)?;
    let shape = Shape { widths: &widths, orthogonal: true };
    let storage = array.storage(image)?;
    let (operator, element) = operator_of(SUM, array.element_type()?)?;
    let reduction = operator.on(element)?;
    execute(id, prepare_reduce_shadow(image, &set, plans(instance), &storage, shape, &reduction)?)
}

/// Executes an operation, at once or by an async id.
fn execute(id: Option<i64>, operation: Operation<'static>) -> Outcome {
    let instance = instance();
    let (image, set) = (&instance.image, instance.image.executing());
    let outcome = match id {
        Some(id) => begin(image, &set, pending(instance).operations.id(id), operation),
        None => run(image, &set, &operation),
    };
    Ok(outcome?)
}

for_both! {
    /// Widths of a dimension in the next `reflect`.
    "reflect" fn _XMP_set_reflect__, xmpf_set_reflect__(
        array: &Object<ArrayObject>, dim: c_int, lower: c_int, upper: c_int, periodic: c_int,
    ) {
        set(array, &array.reflect, dim, given(lower, upper, periodic))
    }

    /// `reflect`.
    "reflect" fn _XMP_reflect__, xmpf_reflect__(array: &Object<ArrayObject>) {
        fill(array, asynchronous::id(instance()))
    }

    /// `reflect async(id)`.
    "reflect" fn _XMP_reflect_async__, xmpf_reflect_async__(array: &Object<ArrayObject>, id: c_int) {
        fill(array, Some(id.into()))
    }

    /// Widths of a dimension in the next `reduce_shadow`.
    "reduce_shadow" fn _XMP_set_reduce_shadow__, xmpf_set_reduce_shadow__(
        array: &Object<ArrayObject>, dim: c_int, lower: c_int, upper: c_int, periodic: c_int,
    ) {
        set(array, &array.reduce_shadow, dim, given(lower, upper, periodic))
    }

    /// `reduce_shadow`.
    "reduce_shadow" fn _XMP_reduce_shadow__, xmpf_reduce_shadow__(array: &Object<ArrayObject>) {
        collect(array, asynchronous::id(instance()))
    }
}
