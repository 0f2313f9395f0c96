//! Transformational procedures on distributed arrays (XcalableMP 1.4, 7.7), for both languages.

use super::error::{Outcome, Wrong};
use super::objects::ArrayObject;
use crate::process::{Instance, instance};
use xmp_collectives::global::library::{self, Caller, Direction, Typed};
use xmp_collectives::global::{Element, Storage};
use xmp_core::image_set::ImageSet;

/// An array that is an argument.
struct Argument {
    storage: Storage,
    /// The type of its elements, if it is none of derived ones.
    element: Option<Element>,
}

impl Argument {
    fn new(array: &ArrayObject) -> Outcome<Argument> {
        let storage = array.storage(&instance().image)?;
        Ok(Argument { storage, element: array.element_type().ok() })
    }

    fn typed(&self) -> Outcome<Typed<'_>> {
        let element = self.element.ok_or_else(|| Wrong::because("elements of a derived type"))?;
        Ok(Typed { storage: &self.storage, element })
    }
}

/// Calls `procedure` in the name of all executing images.
fn among<T>(procedure: impl FnOnce(Caller<'_>) -> Outcome<T>) -> Outcome<T> {
    let Instance { image, omni, .. } = instance();
    let set: &ImageSet = &image.executing();
    procedure(Caller { image, set, plans: &omni.plans })
}

/// The transpose of `a` to `x`.
///
/// # Errors
/// As [`library::transpose`].
///
/// # Safety
/// The arrays are where they were said to be.
pub unsafe fn transpose(x: &ArrayObject, a: &ArrayObject) -> Outcome {
    let (x, a) = (Argument::new(x)?, Argument::new(a)?);
    // SAFETY: the caller's guarantee.
    among(|caller| unsafe { Ok(library::transpose(caller, &x.storage, &a.storage)?) })
}

/// The product of `a` and `b` to `x`.
///
/// # Errors
/// As [`library::matmul`]; when `x` is one of the others.
///
/// # Safety
/// The arrays are where they were said to be.
pub unsafe fn matmul(x: &ArrayObject, a: &ArrayObject, b: &ArrayObject) -> Outcome {
    if std::ptr::eq(x, a) || std::ptr::eq(x, b) {
        return Err(Wrong::because("the product is assigned to one of its factors"));
    }
    let (x, a, b) = (Argument::new(x)?, Argument::new(a)?, Argument::new(b)?);
    // SAFETY: the caller's guarantee.
    among(|caller| unsafe { Ok(library::matmul(caller, x.typed()?, a.typed()?, b.typed()?)?) })
}

/// The elements of `a`, sorted, to `x`.
///
/// # Errors
/// As [`library::sort`].
///
/// # Safety
/// The arrays are where they were said to be.
pub unsafe fn sort(x: &ArrayObject, a: &ArrayObject, direction: Direction) -> Outcome {
    let (x, a) = (Argument::new(x)?, Argument::new(a)?);
    // SAFETY: the caller's guarantee.
    among(|caller| unsafe { Ok(library::sort(caller, x.typed()?, a.typed()?, direction)?) })
}

/// The elements of `a` that the mask selects to `v`.
///
/// # Errors
/// As [`library::pack`].
///
/// # Safety
/// The arrays are where they were said to be.
pub unsafe fn pack(v: &ArrayObject, a: &ArrayObject, mask: Option<&ArrayObject>) -> Outcome {
    let (v, a, mask) = (Argument::new(v)?, Argument::new(a)?, mask.map(Argument::new).transpose()?);
    let mask = mask.as_ref().map(Argument::typed).transpose()?;
    // SAFETY: the caller's guarantee.
    among(|caller| unsafe { Ok(library::pack(caller, &v.storage, &a.storage, mask).map(drop)?) })
}

/// The elements of `v` to those of `a` that the mask selects.
///
/// # Errors
/// As [`library::unpack`].
///
/// # Safety
/// The arrays are where they were said to be.
pub unsafe fn unpack(a: &ArrayObject, v: &ArrayObject, mask: Option<&ArrayObject>) -> Outcome {
    let (a, v, mask) = (Argument::new(a)?, Argument::new(v)?, mask.map(Argument::new).transpose()?);
    let mask = mask.as_ref().map(Argument::typed).transpose()?;
    // SAFETY: the caller's guarantee.
    among(|caller| unsafe { Ok(library::unpack(caller, &a.storage, &v.storage, mask).map(drop)?) })
}

/// `x(indices) = a`
///
/// # Errors
/// As [`library::scatter`].
///
/// # Safety
/// The arrays are where they were said to be.
pub unsafe fn scatter(x: &ArrayObject, a: &ArrayObject, indices: &[&ArrayObject]) -> Outcome {
    let (x, a, indices) = (Argument::new(x)?, Argument::new(a)?, arguments(indices)?);
    let indices = indices.iter().map(Argument::typed).collect::<Outcome<Vec<_>>>()?;
    // SAFETY: the caller's guarantee.
    among(|caller| unsafe { Ok(library::scatter(caller, &x.storage, &a.storage, &indices)?) })
}

/// `x = a(indices)`
///
/// # Errors
/// As [`library::gather`].
///
/// # Safety
/// The arrays are where they were said to be.
pub unsafe fn gather(x: &ArrayObject, a: &ArrayObject, indices: &[&ArrayObject]) -> Outcome {
    let (x, a, indices) = (Argument::new(x)?, Argument::new(a)?, arguments(indices)?);
    let indices = indices.iter().map(Argument::typed).collect::<Outcome<Vec<_>>>()?;
    // SAFETY: the caller's guarantee.
    among(|caller| unsafe { Ok(library::gather(caller, &x.storage, &a.storage, &indices)?) })
}

fn arguments(arrays: &[&ArrayObject]) -> Outcome<Vec<Argument>> {
    arrays.iter().map(|array| Argument::new(array)).collect()
}
