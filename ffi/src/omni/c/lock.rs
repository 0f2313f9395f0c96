//! `lock` and `unlock` (XcalableMP 1.4, 5.5): variables of type `xmp_lock_t` in coarrays; offsets in elements.

use crate::gfortran_abi::Outcome as Status;
use crate::omni::entry::{List, for_c};
use crate::omni::error::{Outcome, Wrong};
use crate::omni::objects::{CoarrayObject, Descriptor, Object};
use crate::process::{Instance, enter, instance};
use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void};
use xmp_coarray::front_end::Location;
use xmp_coarray::front_end::lock::{LOCK_LEN, acquire, acquire_or_try, release};
use xmp_core::{Error, Result};

/// `XMP_STAT_UNLOCKED`. The other statuses have the values that gfortran gives them; that of this one is success there.
const UNLOCKED: c_int = 3;

/// The lock of an image, or of this one without cosubscripts.
fn lock(coarray: &CoarrayObject, offset: c_uint, image: &[c_int]) -> Outcome<Location> {
    let element = coarray.element;
    if element < LOCK_LEN || !element.is_multiple_of(LOCK_LEN) {
        return Err(Wrong::because(format!("elements of {element} bytes are no xmp_lock_t")));
    }
    let Instance { image: this, .. } = instance();
    let index = coarray.image_or_own(this, image, this.settings().first_image_in_c)?;
    let offset = i64::from(offset).saturating_mul(element as i64);
    coarray.place(this, index, offset, LOCK_LEN as i64)
}

/// Declares both directives for a number of cosubscripts.
macro_rules! locks {
    ($($lock:ident $unlock:ident($($image:ident)*))*) => { for_c! { $(
        /// Waits until this image holds the lock.
        "lock" fn $lock(coarray: &Object<CoarrayObject>, offset: c_uint, $($image: c_int),*) {
            let at = lock(coarray, offset, &[$($image),*])?;
            // SAFETY: an aligned variable of a coarray of locks, which starts as zeros.
            unsafe { acquire(&instance().image, at)? };
            Ok(())
        }
        /// Releases the lock, which this image holds.
        "unlock" fn $unlock(coarray: &Object<CoarrayObject>, offset: c_uint, $($image: c_int),*) {
            let at = lock(coarray, offset, &[$($image),*])?;
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

/// The lock of a directive with clauses; `images` has `count` cosubscripts.
fn named(
    coarray: Descriptor,
    offset: c_uint,
    images: &List<c_int>,
    count: c_int,
) -> Result<Location> {
    let place = || -> Outcome<Location> {
        lock(coarray.object()?, offset, images.fixed(usize::try_from(count).unwrap_or(0))?)
    };
    place().map_err(Wrong::error)
}

/// Gives the outcome of a directive to `stat`; without that clause an error ends the job.
fn deliver(operation: &'static str, status: Option<&Cell<c_int>>, outcome: Result<()>) {
    match (outcome, status) {
        (Err(Error::Unlocked), Some(status)) => status.set(UNLOCKED),
        (outcome, _) => {
            Status::new(operation, status).deliver(outcome);
        }
    }
}

/// `lock` with clauses: `acquired_lock`, with which it does not wait, and `stat`.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_omni_lock(
    coarray: Descriptor,
    offset: c_uint,
    count: c_int,
    images: List<c_int>,
    acquired: Option<&Cell<c_int>>,
    status: Option<&Cell<c_int>>,
) {
    let _entered = enter();
    let attempt = || -> Result<()> {
        let at = named(coarray, offset, &images, count)?;
        // SAFETY: an aligned variable of a coarray of locks, which starts as zeros.
        unsafe { acquire_or_try(&instance().image, at, acquired) }
    };
    deliver("lock", status, attempt());
}

/// `unlock` with the clause `stat`.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_omni_unlock(
    coarray: Descriptor,
    offset: c_uint,
    count: c_int,
    images: List<c_int>,
    status: Option<&Cell<c_int>>,
) {
    let _entered = enter();
    let attempt = || -> Result<()> {
        let at = named(coarray, offset, &images, count)?;
        // SAFETY: an aligned word of a coarray; the contract of entries: a lock.
        unsafe { release(&instance().image, at) }
    };
    deliver("unlock", status, attempt());
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
