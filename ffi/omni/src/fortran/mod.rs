//! XMP/Fortran: entry functions of directives that only Fortran has, or has in another way than C.
//!
//! Everything comes by reference: descriptors as variables of 8 bytes that hold them, 0 for an omitted clause.
//! Indices and dimensions of arrays are in the order of Fortran; dimensions count from 0 in calls that the
//! translator makes, and from 1 in those that users make. A LOGICAL has 4 bytes.

mod array;
mod nodes;
mod reference;
mod task;
mod template;

pub use reference::{Reference, ReferencedObject, nodes_on};

use std::ffi::c_int;
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

/// A number of things.
///
/// # Errors
/// When it is negative.
fn count(number: c_int, what: &str) -> Outcome<usize> {
    usize::try_from(number).map_err(|_| DirectiveError::because(format!("{number} {what}")))
}
