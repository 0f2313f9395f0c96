//! `xmp_atomic_define` and `xmp_atomic_ref` (XcalableMP 1.4, 5.4): integers of 4 bytes in coarrays; offsets in
//! elements.

use crate::objects::{CoarrayObject, Descriptor, Object};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_core::transport::AtomicOp;
use xmp_ffi::global::lock::word;
use xmp_ffi::process::instance;
use xmp_ffi::xmp::entry::for_c;
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

fn offset_of(offset: usize) -> Outcome<i64> {
    i64::try_from(offset).map_err(|_| DirectiveError::because("an offset that is too large"))
}

/// Declares both procedures for a number of cosubscripts.
macro_rules! atomics {
    ($($define:ident $reference:ident($($image:ident)*))*) => { for_c! { $(
        /// Stores a value.
        "xmp_atomic_define" fn $define(
            coarray: &Object<CoarrayObject>, offset: usize, $($image: c_int,)* value: c_int,
            _from: Descriptor, _from_offset: usize, _element: usize,
        ) {
            word(coarray, offset_of(offset)?, &[$(i64::from($image)),*], AtomicOp::Swap, value).map(drop)
        }
        /// Loads a value.
        "xmp_atomic_ref" fn $reference(
            coarray: &Object<CoarrayObject>, offset: usize, $($image: c_int,)* value: &Cell<c_int>,
            _to: Descriptor, _to_offset: usize, _element: usize,
        ) {
            value.set(word(coarray, offset_of(offset)?, &[$(i64::from($image)),*], AtomicOp::Load, 0)?);
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
