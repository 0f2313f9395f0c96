//! `lock` and `unlock` (XcalableMP 1.4, 5.5): variables of type `xmp_lock_t` in coarrays; offsets in elements.

use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{CoarrayObject, Descriptor, Object};
use crate::process::{Instance, instance};
use std::ffi::{c_int, c_uint, c_void};
use xmp_coarray::Location;
use xmp_coarray::lock::{LOCK_LEN, acquire, release};

/// The lock of an image, or of this one without cosubscripts.
///
/// # Safety
/// `coarray` describes one.
unsafe fn lock(coarray: Descriptor, offset: c_uint, image: &[c_int]) -> Outcome<Location> {
    // SAFETY: the caller's guarantee.
    let coarray = unsafe { Object::<CoarrayObject>::of(coarray)? };
    let element = coarray.element;
    if element < LOCK_LEN || !element.is_multiple_of(LOCK_LEN) {
        return Err(Wrong::because(format!("elements of {element} bytes are no xmp_lock_t")));
    }
    let Instance { image: this, .. } = instance();
    let index = coarray.image_or_own(this, image, this.settings().first_image_in_c)?;
    let offset = i64::from(offset).saturating_mul(element as i64);
    coarray.place(this, index, (offset, LOCK_LEN as i64))
}

/// Defines both directives for a number of cosubscripts.
macro_rules! locks {
    ($($lock:ident $unlock:ident($($image:ident)*))*) => { $(
        /// Waits until the lock is this image's.
        ///
        /// # Safety
        /// `coarray` describes one, of locks.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $lock(coarray: Descriptor, offset: c_uint, $($image: c_int),*) {
            done("lock", || {
                // SAFETY: the caller's guarantee; coarrays start as zeros, and are aligned.
                unsafe { acquire(&instance().image, lock(coarray, offset, &[$($image),*])?)? };
                Ok(())
            });
        }

        /// Lets others have the lock, which is this image's.
        ///
        /// # Safety
        /// `coarray` describes one, of locks.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $unlock(coarray: Descriptor, offset: c_uint, $($image: c_int),*) {
            done("unlock", || {
                // SAFETY: as above.
                unsafe { release(&instance().image, lock(coarray, offset, &[$($image),*])?)? };
                Ok(())
            });
        }
    )* };
}

locks! {
    _XMP_lock_0 _XMP_unlock_0()
    _XMP_lock_1 _XMP_unlock_1(a)
    _XMP_lock_2 _XMP_unlock_2(a b)
    _XMP_lock_3 _XMP_unlock_3(a b c)
    _XMP_lock_4 _XMP_unlock_4(a b c d)
    _XMP_lock_5 _XMP_unlock_5(a b c d e)
    _XMP_lock_6 _XMP_unlock_6(a b c d e f)
    _XMP_lock_7 _XMP_unlock_7(a b c d e f g)
}

/// Defines what the translator calls after it has declared a coarray of locks, by number of dimensions.
macro_rules! initialisations {
    ($($name:ident($($extent:ident)*))*) => { $(
        /// All locks of a coarray are open. They are already: coarrays start as zeros, before any image gets at them,
        /// which a change by this image might come too late for.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(_start: *mut c_void, $($extent: c_uint),*) {}
    )* };
}

initialisations! {
    _XMP_lock_initialize_1(_a)
    _XMP_lock_initialize_2(_a _b)
    _XMP_lock_initialize_3(_a _b _c)
    _XMP_lock_initialize_4(_a _b _c _d)
    _XMP_lock_initialize_5(_a _b _c _d _e)
    _XMP_lock_initialize_6(_a _b _c _d _e _f)
    _XMP_lock_initialize_7(_a _b _c _d _e _f _g)
}
