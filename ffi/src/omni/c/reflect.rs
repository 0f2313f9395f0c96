//! `reflect` and `reduce_shadow` (XcalableMP 1.4, 4.5.1 and 4.5.7). Widths are those that were set before, for once; the
//! whole shadow otherwise.

use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{ArrayObject, Descriptor, Object, operator_of};
use crate::process::{Instance, instance};
use smallvec::{SmallVec, smallvec};
use std::cell::RefCell;
use std::ffi::c_int;
use xmp_collectives::global::{
    Shape, Width, reduce_shadow, reduce_shadow_async, reflect, reflect_async,
};
use xmp_core::global::Shadow;

/// Sets the widths of a dimension for the next operation; the others have none unless they are set, too. Where there is
/// none, what neighbours have in their shadow comes along: programs fill corners by one reflect for each dimension.
///
/// # Errors
/// When there is no such dimension.
pub fn set(
    array: &ArrayObject,
    widths: &RefCell<Option<SmallVec<[Width; 4]>>>,
    dim: c_int,
    (lower, upper, periodic): (c_int, c_int, c_int),
) -> Outcome {
    let none = || Width { lower: 0, upper: 0, periodic: false, carried: true };
    let mut widths = widths.borrow_mut();
    let widths = widths.get_or_insert_with(|| smallvec![none(); array.ndims()]);
    let Some(width) = usize::try_from(dim).ok().and_then(|dim| widths.get_mut(dim)) else {
        return Err(Wrong::because(format!("the array has no dimension {}", i64::from(dim) + 1)));
    };
    let (lower, upper, periodic) = (lower.into(), upper.into(), periodic != 0);
    *width = Width { lower, upper, periodic, carried: true };
    Ok(())
}

/// The widths of this operation.
fn widths(
    array: &ArrayObject,
    said: &RefCell<Option<SmallVec<[Width; 4]>>>,
) -> Outcome<SmallVec<[Width; 4]>> {
    let mapping = array.mapping()?;
    let whole = Width::whole(&mapping);
    let Some(mut widths) = said.borrow_mut().take() else { return Ok(whole) };
    for (dim, width) in widths.iter_mut().enumerate() {
        // Of a full shadow everything or nothing.
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
///
/// # Safety
/// The array is where it was said to be; until it is waited for if there is an id.
pub unsafe fn fill(array: &ArrayObject, id: Option<i64>) -> Outcome {
    let Instance { image, omni, .. } = instance();
    let set = image.executing();
    let widths = widths(array, &array.reflect)?;
    let shape = Shape { widths: &widths, orthogonal: false };
    let storage = array.storage(image)?;
    // SAFETY: the caller's guarantee.
    unsafe {
        match id {
            Some(id) => {
                let pending = (&omni.pending, id);
                reflect_async(image, &set, &omni.plans, (&storage, shape), pending)?
            }
            None => reflect(image, &set, &omni.plans, &storage, shape)?,
        }
    }
    Ok(())
}

/// Adds the shadow to the elements that it is a copy of; of neighbours along one dimension, as Omni does.
///
/// # Errors
/// As [`fill`]; for elements that cannot be added.
///
/// # Safety
/// As there.
pub unsafe fn collect(array: &ArrayObject, id: Option<i64>) -> Outcome {
    const SUM: c_int = 300;
    let Instance { image, omni, .. } = instance();
    let set = image.executing();
    let widths = widths(array, &array.reduce_shadow)?;
    let shape = Shape { widths: &widths, orthogonal: true };
    let storage = array.storage(image)?;
    let (operator, element) = operator_of(SUM, array.element_type()?)?;
    let reduction = operator.on(element)?;
    // SAFETY: the caller's guarantee.
    unsafe {
        let what = (&storage, shape);
        match id {
            Some(id) => {
                let pending = (&omni.pending, id);
                reduce_shadow_async(image, &set, &omni.plans, what, reduction, pending)?
            }
            None => reduce_shadow(image, &set, &omni.plans, what, &reduction)?,
        }
    }
    Ok(())
}

/// Widths of a dimension in the next `reflect`.
///
/// # Safety
/// `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_set_reflect__(
    array: Descriptor,
    dim: c_int,
    lower: c_int,
    upper: c_int,
    periodic: c_int,
) {
    done("reflect", || {
        // SAFETY: the caller's guarantee.
        let array = unsafe { Object::<ArrayObject>::of(array)? };
        set(array, &array.reflect, dim, (lower, upper, periodic))
    });
}

/// `reflect`.
///
/// # Safety
/// `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_reflect__(array: Descriptor) {
    let id = instance().omni.asynchronous.get();
    // SAFETY: the caller's guarantee.
    done("reflect", || unsafe { fill(Object::<ArrayObject>::of(array)?, id) });
}

/// `reflect async(id)`.
///
/// # Safety
/// `array` describes one, which stays until the id is waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_reflect_async__(array: Descriptor, id: c_int) {
    // SAFETY: the caller's guarantee.
    done("reflect", || unsafe { fill(Object::<ArrayObject>::of(array)?, Some(id.into())) });
}

/// Widths of a dimension in the next `reduce_shadow`.
///
/// # Safety
/// `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_set_reduce_shadow__(
    array: Descriptor,
    dim: c_int,
    lower: c_int,
    upper: c_int,
    periodic: c_int,
) {
    done("reduce_shadow", || {
        // SAFETY: the caller's guarantee.
        let array = unsafe { Object::<ArrayObject>::of(array)? };
        set(array, &array.reduce_shadow, dim, (lower, upper, periodic))
    });
}

/// `reduce_shadow`.
///
/// # Safety
/// `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_reduce_shadow__(array: Descriptor) {
    let id = instance().omni.asynchronous.get();
    // SAFETY: the caller's guarantee.
    done("reduce_shadow", || unsafe { collect(Object::<ArrayObject>::of(array)?, id) });
}
