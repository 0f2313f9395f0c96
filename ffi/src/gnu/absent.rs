//! Entries that gfortran 12 to 14 may call and that are not supported yet: they end the program with an
//! error that names the Fortran feature, because a missing symbol would only fail the link.

use crate::process;
use std::ffi::c_int;

/// One entry each: symbol, and what the program did.
macro_rules! absent {
    ($($symbol:ident: $feature:literal;)*) => {$(
        #[doc = concat!("Not supported yet: ", $feature, ".")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $symbol() -> c_int {
            process::die($feature, "not supported yet")
        }
    )*};
}

absent! {
    _gfortran_caf_image_status: "image_status()";
    _gfortran_caf_failed_images: "failed_images()";
    _gfortran_caf_stopped_images: "stopped_images()";
}
