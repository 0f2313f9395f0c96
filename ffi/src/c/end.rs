//! The end of an image, or of all.

use crate::process;
use std::ffi::c_int;

/// Normal termination of this image.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_stop(status: c_int) -> ! {
    process::stop(status)
}

/// Error termination of all images.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_error_stop(status: c_int) -> ! {
    process::error_stop(status, false)
}
