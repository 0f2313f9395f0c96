//! Functions of libgfortran that this library calls in programs that have them.
//!
//! The references are weak: a C program need not have libgfortran, and a version of it need not have every
//! function. (Where libgfortran is an archive, `xmpfc` asks for the members.)

use super::weak::weak;
use std::ffi::{c_int, c_void};
use std::mem::transmute;

/// `random_init`: repeatable, image_distinct, this image.
pub type RandomInit = unsafe extern "C" fn(c_int, c_int, c_int);
/// `random_seed_i4`: SIZE, and the descriptors of PUT and GET; all but one are null.
pub type RandomSeed = unsafe extern "C" fn(*mut c_int, *const c_void, *const c_void);
/// `report_exception`.
pub type ReportException = unsafe extern "C" fn();

/// RANDOM_INIT.
pub fn random_init() -> Option<RandomInit> {
    let address = weak!("_gfortran_random_init");
    // SAFETY: null is `None`; libgfortran's function of this name has this type since GCC 9.
    unsafe { transmute(address) }
}

/// RANDOM_SEED for default integers.
pub fn random_seed() -> Option<RandomSeed> {
    let address = weak!("_gfortran_random_seed_i4");
    // SAFETY: null is `None`; libgfortran's function of this name has this type since GCC 9.
    unsafe { transmute(address) }
}

/// The warning about floating-point exceptions that are signalling, which STOP gives. Older versions of
/// libgfortran keep it to themselves: [`exceptions`](super::exceptions).
pub fn report_exception() -> Option<ReportException> {
    let address = weak!("_gfortran_report_exception");
    // SAFETY: null is `None`; libgfortran's function of this name takes nothing and returns nothing.
    unsafe { transmute(address) }
}
