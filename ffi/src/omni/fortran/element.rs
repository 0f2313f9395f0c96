//! Types of elements.

use crate::omni::error::{Outcome, Wrong};
use crate::omni::objects::fortran_element_of;
use std::ffi::c_int;

/// Derived types.
pub const OTHER: c_int = 599;

/// Bytes of elements of a type that is none of derived ones.
///
/// # Errors
/// As [`fortran_element_of`].
pub fn bytes_of(code: c_int) -> Outcome<usize> {
    match code {
        OTHER => Err(Wrong::because("elements of a derived type")),
        code => Ok(fortran_element_of(code)?.size()),
    }
}
