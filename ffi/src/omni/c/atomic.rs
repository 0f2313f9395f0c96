//! `xmp_atomic_define` and `xmp_atomic_ref` (XcalableMP 1.4, 5.4): integers of 4 bytes in coarrays; offsets in elements.

use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{CoarrayObject, Descriptor, Object};
use crate::process::{Instance, instance};
use std::ffi::c_int;
use xmp_coarray::{Location, atomic};
use xmp_core::transport::{AtomicOp, Width};

/// The word of an image, or of this one without cosubscripts.
///
/// # Safety
/// `coarray` describes one.
unsafe fn word(
    coarray: Descriptor,
    offset: usize,
    image: &[c_int],
    element: usize,
) -> Outcome<Location> {
    const BYTES: usize = size_of::<c_int>();
    // SAFETY: the caller's guarantee.
    let coarray = unsafe { Object::<CoarrayObject>::of(coarray)? };
    if element != BYTES {
        return Err(Wrong::because(format!("elements of {element} bytes; it must be {BYTES}")));
    }
    let Instance { image: this, .. } = instance();
    let index = coarray.image_or_own(this, image, this.settings().first_image_in_c)?;
    let offset = i64::try_from(offset).ok().and_then(|offset| offset.checked_mul(BYTES as i64));
    let offset = offset.ok_or_else(|| Wrong::because("an offset that is too large"))?;
    coarray.place(this, index, (offset, BYTES as i64))
}

/// Defines both procedures for a number of cosubscripts.
macro_rules! atomics {
    ($($define:ident $reference:ident($($image:ident)*))*) => { $(
        /// Stores a value.
        ///
        /// # Safety
        /// `coarray` describes one.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $define(
            coarray: Descriptor,
            offset: usize,
            $($image: c_int,)*
            value: c_int,
            _from: Descriptor,
            _from_offset: usize,
            element: usize,
        ) {
            done("xmp_atomic_define", || {
                // SAFETY: the caller's guarantee; a word of a coarray, aligned as its elements are.
                unsafe {
                    let at = word(coarray, offset, &[$($image),*], element)?;
                    let value = u64::from(value as u32);
                    atomic::fetch(&instance().image, AtomicOp::Swap, at, Width::W4, value)?;
                }
                Ok(())
            });
        }

        /// Loads a value.
        ///
        /// # Safety
        /// `coarray` describes one; the place is valid.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $reference(
            coarray: Descriptor,
            offset: usize,
            $($image: c_int,)*
            value: *mut c_int,
            _to: Descriptor,
            _to_offset: usize,
            element: usize,
        ) {
            done("xmp_atomic_ref", || {
                let this = &instance().image;
                // SAFETY: as above.
                unsafe {
                    let at = word(coarray, offset, &[$($image),*], element)?;
                    let found = atomic::fetch(this, AtomicOp::Load, at, Width::W4, 0)?;
                    value.write(found as u32 as c_int);
                }
                // Programs ask in loops.
                this.polled();
                Ok(())
            });
        }
    )* };
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
