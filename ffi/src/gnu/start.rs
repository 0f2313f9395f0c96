//! Start and end of a program; who this image is. (GNU-LIBCAF section 2)

use crate::process::{self, instance};
use std::ffi::{c_char, c_int};
use xmp_coarray::sync_all;
use xmp_core::Error;
use xmp_core::job::page::ImageState;

/// First statement of a Fortran `main`. Waits for all images: constructors give static coarrays their
/// initial values, and no image may put into another's before that.
#[unsafe(no_mangle)]
pub extern "C" fn _gfortran_caf_init(_argc: *mut c_int, _argv: *mut *mut *mut c_char) {
    let image = &instance().image;
    match sync_all(image, &image.executing()) {
        // An image that ended before its first statement is the business of those that need it.
        Ok(()) | Err(Error::StoppedImage(_) | Error::FailedImage(_)) => {}
        Err(error) => process::run_time_error("program start", &error),
    }
}

/// End of a Fortran `main` after END PROGRAM: normal termination.
#[unsafe(no_mangle)]
pub extern "C" fn _gfortran_caf_finalize() {
    process::end_ok();
}

/// THIS_IMAGE() in the executing set.
#[unsafe(no_mangle)]
pub extern "C" fn _gfortran_caf_this_image(_distance: c_int) -> c_int {
    let set = instance().image.executing();
    set.position().expect("an image executes in its own set") as c_int + 1
}

/// NUM_IMAGES() of the executing set; `failed` 0 counts the images that have not failed, 1 the others, -1
/// all.
#[unsafe(no_mangle)]
pub extern "C" fn _gfortran_caf_num_images(_distance: c_int, failed: c_int) -> c_int {
    let image = &instance().image;
    let set = image.executing();
    if failed < 0 {
        return set.len() as c_int;
    }
    let has_failed = |&rank: &_| image.job().state(rank) == ImageState::Failed;
    let count = set.ranks().filter(has_failed).count();
    match failed {
        0 => (set.len() - count) as c_int,
        _ => count as c_int,
    }
}
