//! Normal termination of an image, and error termination of all images.

use crate::entry::entries;
use crate::process;
use std::ffi::c_int;

entries! {
    /// Normal termination of this image.
    pub fn xmprt_stop(status: c_int) -> ! {
        process::stop(status)
    }

    /// Error termination of all images.
    pub fn xmprt_error_stop(status: c_int) -> ! {
        process::error_stop(status, false)
    }
}
