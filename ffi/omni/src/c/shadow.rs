//! `shadow` (XcalableMP 1.4, 4.3.5).

use super::array::note_origin;
use crate::objects::{ArrayObject, Object};
use xmp_core::global::Shadow;
use xmp_ffi::process::instance;
use xmp_ffi::xmp::arguments::Arguments;
use xmp_ffi::xmp::entry::for_c;
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

const NONE: i32 = 400;
const NORMAL: i32 = 401;
const FULL: i32 = 402;

/// The shadow of all dimensions: the arguments are, for each, its kind and the widths of a normal one.
fn read_shadow(array: &ArrayObject, arguments: &mut Arguments) -> Outcome {
    for dim in 0..array.ndims() {
        let shadow = match arguments.integer() {
            NONE => Shadow::NONE,
            NORMAL => Shadow::Widths {
                lower: arguments.integer().into(),
                upper: arguments.integer().into(),
            },
            FULL => Shadow::Full,
            kind => {
                return Err(DirectiveError::because(format!("there is no kind {kind} of shadows")));
            }
        };
        array.change(dim, |dim| dim.shadow = shadow)?;
    }
    Ok(())
}

for_c! {
    /// `shadow a[..]...`
    "shadow" fn xmprt_omni_init_shadow(array: &Object<ArrayObject>, arguments: &mut Arguments) {
        read_shadow(array, arguments)?;
        (0..array.ndims()).try_for_each(|dim| note_origin(&instance().image, array, dim))
    }

    /// `shadow` of a pointer, which has no memory yet.
    "shadow" fn xmprt_omni_init_shadow_noalloc(array: &Object<ArrayObject>, arguments: &mut Arguments) {
        read_shadow(array, arguments)
    }
}
