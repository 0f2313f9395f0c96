//! `xmp_atomic_define` and `xmp_atomic_ref` (XcalableMP 1.4, 5.4): integers of 4 bytes in coarrays; offsets in
//! elements.

use crate::omni::entry::for_c;
use crate::omni::error::{Outcome, Wrong};
use crate::omni::objects::{CoarrayObject, Descriptor, Object};
use crate::process::{Instance, instance};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_coarray::front_end::atomic;
use xmp_core::transport::{AtomicOp, Width};

/// Executes an operation on the word of an image, or of this one without cosubscripts; the value that the word had.
fn word(
    coarray: &CoarrayObject,
    offset: usize,
    image: &[c_int],
    element: usize,
    op: AtomicOp,
    operand: c_int,
) -> Outcome<c_int> {
    const BYTES: usize = size_of::<c_int>();
    if element != BYTES {
        return Err(Wrong::because(format!("elements of {element} bytes; it must be {BYTES}")));
    }
    let Instance { image: this, .. } = instance();
    let index = coarray.image_or_own(this, image, this.settings().first_image_in_c)?;
    let offset = i64::try_from(offset).ok().and_then(|offset| offset.checked_mul(BYTES as i64));
    let offset = offset.ok_or_else(|| Wrong::because("an offset that is too large"))?;
    let at = coarray.place(this, index, offset, BYTES as i64)?;
    // SAFETY: a word of a coarray, aligned as its elements are.
    let old = unsafe { atomic::fetch(this, op, at, Width::W4, u64::from(operand as u32))? };
    Ok(old as u32 as c_int)
}

/// Declares both procedures for a number of cosubscripts.
macro_rules! atomics {
    ($($define:ident $reference:ident($($image:ident)*))*) => { for_c! { $(
        /// Stores a value.
        "xmp_atomic_define" fn $define(
            coarray: &Object<CoarrayObject>, offset: usize, $($image: c_int,)* value: c_int,
            _from: Descriptor, _from_offset: usize, element: usize,
        ) {
            word(coarray, offset, &[$($image),*], element, AtomicOp::Swap, value).map(drop)
        }
        /// Loads a value.
        "xmp_atomic_ref" fn $reference(
            coarray: &Object<CoarrayObject>, offset: usize, $($image: c_int,)* value: &Cell<c_int>,
            _to: Descriptor, _to_offset: usize, element: usize,
        ) {
            value.set(word(coarray, offset, &[$($image),*], element, AtomicOp::Load, 0)?);
            // Programs ask in loops.
            instance().image.polled();
            Ok(())
        }
    )* } };
}

atomics! {
    _XMP_atomic_define_0 _XMP_atomic_ref_0()
    _XMP_atomic_define_1 _XMP_atomic_ref_1(a)
    _XMP_atomic_define_2 _XMP_atomic_ref_2(a b)
    _XMP_atomic_define_3 _XMP_atomic_ref_3(a b c)
    _XMP_atomic_define_4 _XMP_atomic_ref_4(a b c d)
    _XMP_atomic_define_5 _XMP_atomic_ref_5(a b c d e)
    _XMP_atomic_define_6 _XMP_atomic_ref_6(a b c d e f)
    _XMP_atomic_define_7 _XMP_atomic_ref_7(a b c d e f g)
}
