//! Start and end of a program. (GNU-LIBCAF section 2)

use crate::entry::entries;
use crate::process::{self, enter, instance};
use std::ffi::{c_char, c_int};
use xmp_coarray::sync_all;
use xmp_core::Error;

entries! {
    /// First statement of a Fortran `main`. Waits for all images: constructors give static coarrays their
    /// initial values, and no image may put into another's before that.
    fn _gfortran_caf_init(_argc: *mut c_int, _argv: *mut *mut *mut c_char) {
        let _entered = enter();
        let image = &instance().image;
        match sync_all(image, &image.executing()) {
            // An image that ended before its first statement is an error only for operations that need it.
            Ok(()) | Err(Error::StoppedImage(_) | Error::FailedImage(_)) => {}
            Err(error) => process::run_time_error("program start", &error),
        }
    }

    /// End of a Fortran `main` after END PROGRAM: normal termination.
    fn _gfortran_caf_finalize() {
        process::end_ok();
    }
}
