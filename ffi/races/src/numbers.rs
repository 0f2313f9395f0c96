//! Functions of C that read a number in a text. Those of integers have further names since C23, which has binary numbers.

use crate::copies::{enter, passed_on};
use crate::filter::is_of_interest;
use crate::of_c23::{
    strtoimax_of_c23, strtol_of_c23, strtoll_of_c23, strtoul_of_c23, strtoull_of_c23,
    strtoumax_of_c23,
};
use std::ffi::{c_double, c_int, c_long};

/// The C library's own functions: of most only their addresses are used.
mod own {
    use super::{c_double, c_int, c_long};

    unsafe extern "C" {
        pub fn strtol(text: usize, end: *mut usize, base: c_int) -> c_long;
        pub fn strtoll();
        pub fn strtoul();
        pub fn strtoull();
        pub fn strtoimax();
        pub fn strtoumax();
        pub fn strtod(text: usize, end: *mut usize) -> c_double;
        pub fn strtof();
        pub fn strtold();
        pub fn atoi();
        pub fn atol();
        pub fn atoll();
        pub fn atof();
    }
}

/// This thread reads a number up to the character that ends it, and stores that one's address. The function finds it. `errno` stays as it
/// is: programs set it to 0 before the call that follows, and read it after that.
fn number(text: usize, end: usize, place: usize, find: impl FnOnce(*mut usize)) {
    // SAFETY: the variable of this thread, which lives as long as the thread.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above; only this thread accesses it.
    let before = unsafe { errno.read() };
    if is_of_interest(text) {
        let mut last = text;
        find(&raw mut last);
        enter(text, last - text + 1, false, place);
    }
    enter(end, size_of::<usize>(), true, place);
    // SAFETY: as above.
    unsafe { errno.write(before) };
}

extern "C" fn integer(text: usize, end: usize, base: usize, place: usize) {
    // SAFETY: the program passes a text, here and below; an integer of any other type ends where this one does.
    number(text, end, place, |last| unsafe {
        own::strtol(text, last, base as c_int);
    });
}

extern "C" fn integer_of_c23(text: usize, end: usize, base: usize, place: usize) {
    // SAFETY: as above.
    number(text, end, place, |last| unsafe {
        strtol_of_c23(text, last, base as c_int);
    });
}

extern "C" fn real(text: usize, end: usize, _: usize, place: usize) {
    // SAFETY: as above.
    number(text, end, place, |last| unsafe {
        own::strtod(text, last);
    });
}

/// The same of functions whose argument is the text alone.
extern "C" fn decimal(text: usize, _: usize, _: usize, place: usize) {
    integer(text, 0, 10, place);
}

extern "C" fn real_alone(text: usize, _: usize, _: usize, place: usize) {
    real(text, 0, 0, place);
}

passed_on! {
    __wrap_strtol: integer, own::strtol;
    __wrap_strtoll: integer, own::strtoll;
    __wrap_strtoul: integer, own::strtoul;
    __wrap_strtoull: integer, own::strtoull;
    __wrap_strtoimax: integer, own::strtoimax;
    __wrap_strtoumax: integer, own::strtoumax;
    __wrap___isoc23_strtol: integer_of_c23, strtol_of_c23;
    __wrap___isoc23_strtoll: integer_of_c23, strtoll_of_c23;
    __wrap___isoc23_strtoul: integer_of_c23, strtoul_of_c23;
    __wrap___isoc23_strtoull: integer_of_c23, strtoull_of_c23;
    __wrap___isoc23_strtoimax: integer_of_c23, strtoimax_of_c23;
    __wrap___isoc23_strtoumax: integer_of_c23, strtoumax_of_c23;
    __wrap_strtod: real, own::strtod;
    __wrap_strtof: real, own::strtof;
    __wrap_strtold: real, own::strtold;
    __wrap_atoi: decimal, own::atoi;
    __wrap_atol: decimal, own::atol;
    __wrap_atoll: decimal, own::atoll;
    __wrap_atof: real_alone, own::atof;
}
