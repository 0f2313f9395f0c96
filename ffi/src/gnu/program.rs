//! Start and end of a program: the calls around a Fortran `main`, STOP, ERROR STOP, FAIL IMAGE. (GNU-LIBCAF section 2)

use super::exceptions;
use crate::entry::{decode, entries};
use crate::process;
use std::ffi::{c_char, c_int};

entries! {
    /// First statement of a Fortran `main`. Waits for all images: constructors give static coarrays their
    /// initial values, and no image may put into another's before that.
    fn _gfortran_caf_init(_argc: *mut c_int, _argv: *mut *mut *mut c_char) {
        super::register();
        process::begin_main();
    }

    /// End of a Fortran `main` after END PROGRAM: normal termination.
    fn _gfortran_caf_finalize() {
        process::end_ok();
    }

    /// STOP with an integer code.
    fn _gfortran_caf_stop_numeric(code: c_int, quiet: bool) -> ! {
        if !quiet {
            exceptions::report();
            process::print_stop("STOP ", code.to_string().as_bytes());
        }
        process::stop(code)
    }

    /// STOP with a text, or without a code (null).
    fn _gfortran_caf_stop_str(text: *const c_char, len: usize, quiet: bool) -> !
    where characters = decode::characters(text, len)
    {
        if !quiet {
            exceptions::report();
            if !text.is_null() {
                process::print_stop("STOP ", characters);
            }
        }
        process::stop(0)
    }

    /// ERROR STOP with an integer code.
    fn _gfortran_caf_error_stop(code: c_int, quiet: bool) -> ! {
        error_stop(code, quiet, code.to_string().as_bytes())
    }

    /// ERROR STOP with a text, or without a code (null): exit status 1, as libgfortran's.
    fn _gfortran_caf_error_stop_str(text: *const c_char, len: usize, quiet: bool) -> !
    where text = decode::characters(text, len)
    {
        error_stop(1, quiet, text)
    }

    /// FAIL IMAGE.
    fn _gfortran_caf_fail_image() -> ! {
        process::fail_image(process::any_thread())
    }
}

fn error_stop(code: c_int, quiet: bool, text: &[u8]) -> ! {
    if quiet {
        process::error_stop(code, None)
    }
    exceptions::report();
    process::error_stop(code, Some(process::stop_line("ERROR STOP ", text)))
}
