//! `lock` and `unlock` (XcalableMP 1.4, 5.5): variables of type `xmp_lock_t` in coarrays; offsets in elements.

use crate::objects::{CoarrayObject, Object};
use std::ffi::{c_int, c_uint, c_void};
use xmp_coarray::front_end::lock::{acquire, release};
use xmp_ffi::global::lock::lock;
use xmp_ffi::process::instance;
use xmp_ffi::xmp::entry::for_c;

/// Declares both directives for a number of cosubscripts.
macro_rules! locks {
    ($($lock:ident $unlock:ident($($image:ident)*))*) => { for_c! { $(
        /// Waits until this image holds the lock.
        "lock" fn $lock(coarray: &Object<CoarrayObject>, offset: c_uint, $($image: c_int),*) {
            let at = lock(coarray, i64::from(offset), &[$(i64::from($image)),*])?;
            // SAFETY: an aligned variable of a coarray of locks, which starts as zeros.
            unsafe { acquire(&instance().image, at)? };
            Ok(())
        }
        /// Releases the lock, which this image holds.
        "unlock" fn $unlock(coarray: &Object<CoarrayObject>, offset: c_uint, $($image: c_int),*) {
            let at = lock(coarray, i64::from(offset), &[$(i64::from($image)),*])?;
            // SAFETY: an aligned word of a coarray; the contract of entries: a lock that this image holds.
            unsafe { release(&instance().image, at)? };
            Ok(())
        }
    )* } };
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

/// Declares what the translator calls after it has declared a coarray of locks, by number of dimensions.
macro_rules! initialisations {
    ($($name:ident($($extent:ident)*))*) => { $(
        /// All locks of a coarray are open. They already are: coarrays start as zeros, before any image can access
        /// them. A change by this image might come too late.
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
