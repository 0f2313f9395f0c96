//! `shadow` (XcalableMP 1.4, 4.3.5).

use super::array::note_origin;
use crate::omni::arguments::Arguments;
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{ArrayObject, Descriptor, Object};
use crate::process::instance;
use xmp_core::global::Shadow;

const NONE: i32 = 400;
const NORMAL: i32 = 401;
const FULL: i32 = 402;

/// The shadow of all dimensions: for each its kind and, of a normal one, its widths.
///
/// # Safety
/// The arguments are those.
unsafe fn read_shadow(array: &ArrayObject, arguments: *mut Arguments) -> Outcome {
    // SAFETY: the caller's guarantee.
    let arguments = unsafe { &mut *arguments };
    for dim in 0..array.ndims() {
        // SAFETY: as above.
        let shadow = unsafe {
            match arguments.integer() {
                NONE => Shadow::NONE,
                NORMAL => Shadow::Widths {
                    lower: arguments.integer().into(),
                    upper: arguments.integer().into(),
                },
                FULL => Shadow::Full,
                kind => return Err(Wrong::because(format!("there is no kind {kind} of shadows"))),
            }
        };
        array.change(dim, |dim| dim.shadow = shadow)?;
    }
    Ok(())
}

/// `shadow a[..]...`
///
/// # Safety
/// `array` describes one; the arguments are a kind for each dimension, and widths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_init_shadow(array: Descriptor, arguments: *mut Arguments) {
    done("shadow", || {
        // SAFETY: the caller's guarantee.
        unsafe {
            let array = Object::<ArrayObject>::of(array)?;
            read_shadow(array, arguments)?;
            (0..array.ndims()).try_for_each(|dim| note_origin(&instance().image, array, dim))
        }
    });
}

/// The same of a pointer, which has no memory yet.
///
/// # Safety
/// As [`xmprt_omni_init_shadow`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_init_shadow_noalloc(
    array: Descriptor,
    arguments: *mut Arguments,
) {
    // SAFETY: the caller's guarantee.
    done("shadow", || unsafe { read_shadow(Object::<ArrayObject>::of(array)?, arguments) });
}
