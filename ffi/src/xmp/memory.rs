//! Memory of distributed arrays that are pointers of the program (XcalableMP 1.4, 4.8: `xmp_malloc`).

use crate::global::{ArrayObject, Object};
use crate::process::instance;
use crate::xmp::arguments::Arguments;
use crate::xmp::entry::for_c;
use crate::xmp::error::Outcome;
use std::ffi::c_void;

/// Memory for this image's part of an array of these sizes, one argument for each dimension. The program frees it.
///
/// # Errors
/// For sizes that the mapping of the array does not take.
pub fn allocate(array: &ArrayObject, arguments: &mut Arguments) -> Outcome<*mut c_void> {
    let image = &instance().image;
    for dim in 0..array.ndims() {
        let size = i64::from(arguments.integer());
        array.change(dim, |dim| dim.upper = dim.lower + size - 1)?;
    }
    array.allocate_for_program(image)?;
    array.expose(image)?;
    Ok(array.base().cast())
}

for_c! {
    /// `xmp_malloc(xmp_desc_of(a), sizes...)`.
    "xmp_malloc" fn xmprt_xmp_malloc(array: &Object<ArrayObject>, arguments: &mut Arguments) -> *mut c_void {
        allocate(array, arguments)
    }

    /// Gives back what `xmp_malloc` has allocated.
    "xmp_free" fn xmp_free(array: &Object<ArrayObject>) {
        // SAFETY: the contract of entries: the memory is that of `xmp_malloc`, and the program gives it back once.
        unsafe { array.free_for_program() }
    }
}
