//! Start and end of a program; who this image is. (GNU-LIBCAF section 2)

use crate::process::{self, instance};
use std::ffi::{c_char, c_int, c_void};
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
    process::end_ok(0);
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

/// RANDOM_INIT(repeatable, image_distinct): libgfortran seeds, with the image as a further seed.
#[unsafe(no_mangle)]
pub extern "C" fn _gfortran_caf_random_init(repeatable: bool, image_distinct: bool) {
    type RandomInit = unsafe extern "C" fn(c_int, c_int, c_int);
    // By name at run time: a program that calls this has libgfortran, a C program has not.
    // SAFETY: a NUL-terminated name.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_gfortran_random_init".as_ptr()) };
    if found.is_null() {
        process::die("random_init", "libgfortran is not in this process");
    }
    // SAFETY: libgfortran's function of this name has this signature since GCC 9.
    unsafe {
        let random_init = std::mem::transmute::<*mut c_void, RandomInit>(found);
        let this_image = instance().image.rank().image() as c_int;
        random_init(repeatable.into(), image_distinct.into(), this_image);
    }
}
