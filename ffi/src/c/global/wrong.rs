//! Errors that translated programs find by themselves, and the memory of their assignments.

use super::template::Blocks;
use crate::c::outcome::text;
use crate::process::{run_time_error, statement_failed};
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_long, c_void};
use xmp_core::Error;

/// A construct is on a template that is not fixed.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_not_fixed() -> ! {
    let why = Error::Invalid("`template_fix` has to come before".into());
    run_time_error("a construct is on a template that is not fixed", &why)
}

/// The value of an operand of a directive is no `int`.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_no_int(
    what: *const c_char,
    value: i64,
    file: *const c_char,
    line: c_int,
) -> ! {
    no_int(&text(what), value, format!("{}:{line}", text(file)))
}

/// The same, at a place of the program.
pub fn no_int(what: &str, value: i64, place: String) -> ! {
    let why = Error::Invalid(format!("{value} is not in {}:{}", c_int::MIN, c_int::MAX));
    statement_failed(place, what, &why)
}

/// An index of a dimension of an array is not here.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_not_here(
    array: *const c_char,
    dim: c_int,
    index: c_long,
    here: &Cell<Blocks>,
    file: *const c_char,
    line: c_int,
) -> ! {
    let Blocks { first, last, width, period } = here.get();
    let has = if last < first {
        "no elements of it".to_owned()
    } else if period == width {
        format!("{first} to {last} with the shadow")
    } else {
        format!("{first} to {} and each {period} further", first + width - 1)
    };
    let what = format!("index {index} of dimension {} of `{}`", dim + 1, text(array));
    let why = Error::Invalid(format!("not on this node, which has {has}"));
    statement_failed(format!("{}:{line}", text(file)), &what, &why)
}

/// Memory for the right side of an assignment, which the program frees.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_scratch(bytes: usize) -> *mut c_void {
    // SAFETY: any size can be asked for.
    let memory = unsafe { libc::malloc(bytes.max(1)) };
    if memory.is_null() {
        let why = Error::Invalid(format!("no memory for a copy of {bytes} bytes"));
        run_time_error("assignment of sections", &why);
    }
    memory
}
