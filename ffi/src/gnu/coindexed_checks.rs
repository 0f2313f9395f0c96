//! Cosubscripts, subscripts and `result_image=` as the program has written them: programs that are compiled with
//! `xmpfc --check=bounds` call these functions.
//!
//! The other functions of this front end get the image index that the compiler makes of cosubscripts, without their cobounds. That index
//! is 0 also where there is no image selector, and where `result_image=` is absent. Sections reach them as an address and strides,
//! without subscripts.

use crate::entry::{decode, entries};
use crate::process;
use std::ffi::{c_char, c_int};
use xmp_core::Error;

entries! {
    /// Returns the cosubscript of a codimension if it is within its cobounds (Fortran 2018, 9.6), else ends the job. `text` is the
    /// coindexed object.
    fn xmprt_cosubscript(
        cosubscript: i64, lower: i64, upper: i64, codimension: c_int, text: *const c_char, len: usize,
    ) -> c_int
    where text = decode::characters(text, len)
    {
        match c_int::try_from(cosubscript) {
            Ok(within) if (lower..=upper).contains(&cosubscript) => within,
            _ => beyond(cosubscript, [lower, upper], codimension, text),
        }
    }

    /// Returns the image index of `result_image=` if it is one, or beyond the last image, which the collective subroutine reports, else
    /// ends the job. `text` is the name of the subroutine.
    fn xmprt_result_image(image: i64, text: *const c_char, len: usize) -> c_int
    where text = decode::characters(text, len)
    {
        match c_int::try_from(image) {
            Ok(index @ 1..) => index,
            _ => {
                let why = format!("result_image={image} is no image index: these begin with 1");
                process::run_time_error(&String::from_utf8_lossy(text), &Error::Invalid(why))
            }
        }
    }
}

/// Declares a function by several names.
macro_rules! subscript_functions {
    ($($name:ident),+) => {
        entries! {
            $(
                /// Returns the subscript of a dimension if it is within its bounds (Fortran 2018, 9.5.3.1), else ends the job.
                fn $name(
                    subscript: &i64,
                    lower: &i64,
                    upper: &i64,
                    dimension: &c_int,
                    text: *const c_char,
                    _len: &i64,
                    text_len: usize,
                ) -> i64
                where text = decode::characters(text, text_len)
                {
                    if !(*lower..=*upper).contains(subscript) {
                        out_of_bounds(*subscript, [*lower, *upper], *dimension, text);
                    }
                    *subscript
                }
            )+
        }
    };
}

// The program calls it as an elemental function, which cannot have a binding label: so its name depends on `-fno-underscoring` and
// `-fsecond-underscore`.
subscript_functions!(xmprt_subscript, xmprt_subscript_, xmprt_subscript__);

/// Ends the job because of a subscript.
#[cold]
fn out_of_bounds(subscript: i64, [lower, upper]: [i64; 2], dimension: c_int, text: &[u8]) -> ! {
    let text = String::from_utf8_lossy(text);
    let why =
        format!("{text}: subscript {subscript} of dimension {dimension} is not in {lower}:{upper}");
    process::run_time_error("coindexed object", &Error::Invalid(why))
}

/// Ends the job because of a cosubscript.
#[cold]
fn beyond(cosubscript: i64, [lower, upper]: [i64; 2], codimension: c_int, text: &[u8]) -> ! {
    let text = String::from_utf8_lossy(text);
    let bound = if cosubscript < lower {
        format!("below the lower cobound, {lower}")
    } else if cosubscript <= upper {
        "greater than any image index".into()
    } else {
        format!("above the upper cobound, {upper}")
    };
    let why = format!("{text}: cosubscript {cosubscript} of codimension {codimension} is {bound}");
    process::run_time_error("image selector", &Error::Invalid(why))
}
