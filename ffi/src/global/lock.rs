//! Words of coarrays of C: locks, and integers for atomic procedures (XcalableMP 1.4, 5.4 and 5.5).

use super::coarray::CoarrayObject;
use super::error::{DirectiveError, Outcome};
use crate::process::{Instance, instance};
use std::ffi::c_int;
use xmp_coarray::front_end::lock::LOCK_LEN;
use xmp_coarray::front_end::{Location, atomic};
use xmp_core::counted::counted;
use xmp_core::transport::{AtomicOp, Width};

/// The lock at element `offset` of an image, or of this one without cosubscripts.
///
/// # Errors
/// For elements that are no locks; outside of the coarray and of its images.
pub fn lock(coarray: &CoarrayObject, offset: i64, image: &[i64]) -> Outcome<Location> {
    let element = coarray.element;
    if element < LOCK_LEN || !element.is_multiple_of(LOCK_LEN) {
        return Err(DirectiveError::because(format!(
            "elements of {} are no xmp_lock_t",
            counted(element, "byte")
        )));
    }
    let Instance { image: this, .. } = instance();
    let index = coarray.image_or_own(this, image, this.settings().first_image_in_c)?;
    let offset = offset.saturating_mul(element as i64);
    coarray.place(this, index, offset, LOCK_LEN as i64)
}

/// Executes an operation on the integer at element `offset` of an image, or of this one without cosubscripts; the value that it
/// had.
///
/// # Errors
/// Outside of the coarray and of its images.
pub fn word(
    coarray: &CoarrayObject,
    offset: i64,
    image: &[i64],
    op: AtomicOp,
    operand: c_int,
) -> Outcome<c_int> {
    const BYTES: usize = size_of::<c_int>();
    if coarray.element != BYTES {
        let element = counted(coarray.element, "byte");
        return Err(DirectiveError::because(format!("elements of {element}; it must be {BYTES}")));
    }
    let Instance { image: this, .. } = instance();
    let index = coarray.image_or_own(this, image, this.settings().first_image_in_c)?;
    let offset = offset.checked_mul(BYTES as i64);
    let offset = offset.ok_or_else(|| DirectiveError::because("an offset that is too large"))?;
    let at = coarray.place(this, index, offset, BYTES as i64)?;
    // SAFETY: a word of a coarray, aligned as its elements are.
    let old = unsafe { atomic::fetch(this, op, at, Width::W4, u64::from(operand as u32))? };
    Ok(old as u32 as c_int)
}
